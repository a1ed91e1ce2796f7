"""Pencilbox for Spack, from a source tree that is here:

    spack repo add packaging/spack
    spack dev-build pencilbox@0.2.0            # in the source tree; +cuda cuda_arch=90, +rocm amdgpu_target=gfx90a
"""

from spack.package import *


class Pencilbox(CMakePackage, CudaPackage, ROCmPackage):
    """Lennard-Jones molecular dynamics with every neighbour-interaction strategy."""

    license("BSD-3-Clause")
    version("0.2.0")

    conflicts("+cuda", when="+rocm", msg="one kind of GPU in a build")
    conflicts("+cuda", when="cuda_arch=none", msg="say which GPU: cuda_arch=90")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("boost@1.74:+context")
    depends_on("cli11@2.1:", type="build")
    depends_on("fmt@8:")
    depends_on("hdf5@1.10.8:~mpi+hl")
    depends_on("highway@1.0:")
    depends_on("mpi")
    depends_on("nlohmann-json@3.10:", type="build")
    depends_on("openssl@3:")
    depends_on("spdlog@1.9:")
    depends_on("yaml-cpp@0.7:")

    generator("ninja")

    def cmake_args(self):
        gpu = "cuda" if "+cuda" in self.spec else "hip" if "+rocm" in self.spec else "none"
        args = [
            self.define("PENCILBOX_GPU", gpu),
            self.define("PENCILBOX_TESTS", self.run_tests),
        ]
        if gpu == "cuda":
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        if gpu == "hip":
            args.append(self.define("CMAKE_HIP_ARCHITECTURES", self.spec.variants["amdgpu_target"].value))
        return args

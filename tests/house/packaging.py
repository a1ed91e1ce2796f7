#!/usr/bin/env python3
"""packaging.py ROOT: what names the version or the libraries outside of CMake says the same as CMake."""

import json
import pathlib
import re
import sys
import types

root = pathlib.Path(sys.argv[1])
version = re.search(r"^project\(pencilbox VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text(), re.M)[1]
faults = []


def expect(what, got, wanted):
    if got != wanted:
        faults.append(f"{what}: got {got}, wanted {wanted}")


def text(name):
    return (root / name).read_text(encoding="utf-8")


expect("CITATION.cff", re.search(r"^version: (.*)$", text("CITATION.cff"), re.M)[1], version)
expect("codemeta.json", json.loads(text("codemeta.json"))["version"], version)
expect("CHANGELOG.md", re.search(r"^## ([0-9.]+)", text("CHANGELOG.md"), re.M)[1], version)


class Recipe:
    """What Spack's words note when the recipe is read."""

    versions, dependencies = [], set()

    def install(self, module):
        for word in ("license", "conflicts", "generator"):
            setattr(module, word, lambda *_, **__: None)
        module.version = lambda number, **_: self.versions.append(number)
        module.depends_on = lambda spec, **_: self.dependencies.add(re.match(r"[a-z0-9-]+", spec)[0])
        for base in ("CMakePackage", "CudaPackage", "ROCmPackage"):
            setattr(module, base, type(base, (), {}))


recipe = Recipe()
spack, package = types.ModuleType("spack"), types.ModuleType("spack.package")
recipe.install(package)
sys.modules.update({"spack": spack, "spack.package": package})
path = root / "packaging/spack/packages/pencilbox/package.py"
exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), {})  # pylint: disable=exec-used
expect("the Spack recipe", recipe.versions, [version])

# Names of Spack for those of CMake; what a compiler brings, and what only tests need, has none.
NAMES = {"Boost": "boost", "CLI11": "cli11", "HDF5": "hdf5", "hwy": "highway", "nlohmann_json": "nlohmann-json"}
OURS = {"Threads", "OpenMP", "GTest", "benchmark", "Git"}
found = set(re.findall(r"find_package\((\w[\w-]*)", text("cmake/dependencies.cmake"))) - OURS
expect("the Spack recipe's libraries", sorted(recipe.dependencies - {"c", "cxx", "cmake", "ninja"}),
       sorted(NAMES.get(name, name.lower()) for name in found))

if faults:
    sys.exit("\n".join(faults))

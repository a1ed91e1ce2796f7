#!/usr/bin/env python3
"""The dependency law of the house, checked on every source file.

  dependency_law.py ROOT         prints each violation as file:line: what; exits 1 if there is one
  dependency_law.py --self-test  plants every kind of violation in a tree of its own and shows that
                                 each is found, and that nothing else is
"""

import pathlib
import re
import sys
import tempfile

# folder -> folders that its files may include
MAY_INCLUDE = {
    "core": {"core"},
    "neighbor": {"core", "neighbor"},
    "integrators": {"core", "integrators"},
    "observables": {"core", "neighbor", "observables"},
    "io": {"core", "io"},
    "app": {"core", "neighbor", "integrators", "observables", "io", "app"},
    "tests": {"core", "neighbor", "integrators", "observables", "io", "app", "tests"},
}
# A room of app -> rooms of app that its files may include. What lies in app itself may include all,
# and nobody includes that.
APP_MAY_INCLUDE = {
    "engine": {"engine"},
    "ranks": {"engine", "ranks"},
    "processes": {"ranks", "processes"},
    "commands": {"engine", "ranks", "processes", "commands"},
    "bench": {"engine", "commands", "bench"},
    "compare": {"engine", "commands", "bench", "compare"},
    "validate": {"engine", "ranks", "processes", "commands", "bench", "validate"},
}
SOURCES = (".hpp", ".cpp", ".h", ".cu", ".cuh", ".hip", ".hpp.in", ".cpp.in")

# header pattern, the rooms that may include it, why
RESERVED_HEADERS = [
    (re.compile(r"(cuda|cub/|thrust/|curand|nvtx|nvml|cooperative_groups|mma\.h|device_launch|"
                r"hip/|hipcub/|rocprim/|rocthrust/|rocrand/)"),
     ("core/device/",), "only core/device includes a vendor's header"),
    (re.compile(r"boost/context/"), ("core/device/",), "only core/device includes Boost.Context"),
    (re.compile(r"(hdf5|H5[A-Za-z]*|hdf5_hl)\.h$"), ("io/", "tests/io/"), "only io includes hdf5.h"),
    (re.compile(r"hwy/"), ("core/device/host/", "neighbor/vectors/"),
     "only neighbor/vectors and core/device/host include the library of vectors"),
    (re.compile(r"mpi\.h$"), ("app/processes/",), "only app/processes includes MPI"),
    (re.compile(r"yaml-cpp/"), ("io/", "tests/io/"), "only io includes yaml-cpp"),
]
VENDOR_WORD = re.compile(
    r"\b(?:cuda|hip)[A-Z]\w*"
    r"|\b__(?:shfl|ballot|any_sync|all_sync|activemask|syncthreads|syncwarp|ldg|popc|ffs|clz)\w*"
    r"|\b(?:threadIdx|blockIdx|blockDim|gridDim|warpSize)\b"
    r"|\b__(?:global|device|shared|host|constant|managed|launch_bounds)__"
    r"|\batomic(?:Add|Sub|Max|Min|Exch|CAS|And|Or|Xor|Inc|Dec)\w*"
    r"|\b__(?:CUDA|HIP|NVCC|CUDACC|HIPCC)\w*"
    r"|\bPENCILBOX_DEVICE_(?:HOST|CUDA|HIP)\b"
    r"|<<<")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
COMMENT_OR_TEXT = re.compile(
    r'(?P<raw>R"(?P<fence>[^()\\\s]{0,16})\((?:.|\n)*?\)(?P=fence)")'
    r'|(?P<text>"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\')'
    r"|(?P<comment>//(?:\\\n|[^\n])*|/\*(?:.|\n)*?\*/)")


def blank(source, keep_text):
    """The source with comments (and, unless keep_text, literals) blanked; lines stay lines."""
    def blanked(match):
        if keep_text and match.group("text"):
            return match.group()
        return re.sub(r"[^\n]", " ", match.group())
    return COMMENT_OR_TEXT.sub(blanked, source)


def backend_room(path):
    """neighbor/backends/fenns/list.cpp and neighbor/backends/fenns.cpp both are in room `fenns`."""
    match = re.match(r"neighbor/backends/([^/.]+)", path)
    return match.group(1) if match else None


def app_room(path):
    """The room of app that a file lies in; None outside app, "app" for what is in no room."""
    match = re.match(r"app/(?:([^/]+)/)?", path)
    return match and (match.group(1) or "app")


def include_faults(path, header):
    for pattern, rooms, law in RESERVED_HEADERS:
        if pattern.match(header) and not path.startswith(rooms):
            yield f"includes {header}: {law}"
    folder, target = path.split("/")[0], header.split("/")[0]
    if header.startswith((".", "/")):
        yield f"includes {header}: paths are from the repository root"
    elif target in MAY_INCLUDE and target not in MAY_INCLUDE[folder]:
        allowed = ", ".join(sorted(MAY_INCLUDE[folder]))
        yield f"includes {header}: {folder} may include only {allowed}"
    here, there = app_room(path), app_room(header)
    if here and here not in APP_MAY_INCLUDE and here != "app":
        yield f"lies in app/{here}, a room that the law does not know"
    elif here in APP_MAY_INCLUDE and there and there not in APP_MAY_INCLUDE[here]:
        allowed = ", ".join(f"app/{room}" for room in sorted(APP_MAY_INCLUDE[here]))
        yield f"includes {header}: app/{here} may include of app only {allowed}"
    room = backend_room(header)
    if room and room != backend_room(path) and not path.startswith("tests/"):
        yield f"includes {header}: nobody includes a back end but itself and its tests"


def violations(root):
    """Yields (path, line, what) for every breach below root, in the order of the paths."""
    for folder in sorted(MAY_INCLUDE):
        for file in sorted((root / folder).rglob("*")):
            path = file.relative_to(root).as_posix()
            if not file.is_file() or not path.endswith(SOURCES):
                continue
            source = file.read_text(encoding="utf-8")
            with_text, code = blank(source, keep_text=True), blank(source, keep_text=False)
            for match in INCLUDE.finditer(with_text):
                line = with_text.count("\n", 0, match.start(1)) + 1
                for what in include_faults(path, match.group(1)):
                    yield path, line, what
            if not path.startswith("core/device/"):
                for match in VENDOR_WORD.finditer(code):
                    line = code.count("\n", 0, match.start()) + 1
                    yield path, line, f"says {match.group()}: only core/device names a vendor"


def check(root):
    missing = [folder for folder in MAY_INCLUDE if not (root / folder).is_dir()]
    if missing:
        sys.exit(f"{root} is not the root of the house: no folder {', '.join(missing)}")
    found = list(violations(root))
    for path, line, what in found:
        print(f"{path}:{line}: {what}")
    print(f"dependency law: {len(found)} violations")
    return 1 if found else 0


def self_test():
    # path -> (source, [(line, a part of what must be said)])
    tree = {
        "core/box.hpp": ("#pragma once\n#include <cmath>\n", []),
        "core/a.cpp": ('#include "core/box.hpp"\n#include "io/deck.hpp"\n', [(2, "core may include only core")]),
        "core/b.cpp": ('#include "neighbor/backend.hpp"\n', [(1, "core may include only core")]),
        "core/c.hpp": ("int a = 1'000;\n#include <hip/hip_runtime.h>\nint b = 1'000;\n", [(2, "vendor's header")]),
        "core/d.hpp": ("#  include <boost/context/fiber.hpp>\n", [(1, "Boost.Context")]),
        "core/device/gpu.hpp": ("#include <cuda_runtime.h>\n#include <cub/cub.cuh>\n"
                                "inline void f() { cudaFree(nullptr); __syncthreads(); }\n", []),
        "core/device/x.hpp": ('#include "app/engine/simulation.hpp"\n', [(1, "core may include only core")]),
        "neighbor/a.cpp": ('#include "core/box.hpp"\n#include "integrators/nve.hpp"\n', [(2, "neighbor may include only")]),
        "neighbor/b.cpp": ("/* cudaMalloc\n */ void f() { cudaMalloc(0, 0); }\n", [(2, "says cudaMalloc")]),
        "neighbor/c.cpp": ("int i = threadIdx.x;\nint j = __shfl_sync(0, 1, 2);\nk<<<1, 2>>>();\n"
                           "atomicAdd(p, 1);\n__device__ int k;\n#if defined(PENCILBOX_DEVICE_HIP)\n",
                           [(1, "threadIdx"), (2, "__shfl_sync"), (3, "<<<"), (4, "atomicAdd"),
                            (5, "__device__"), (6, "PENCILBOX_DEVICE_HIP")]),
        "neighbor/d.cpp": ('#include "../core/box.hpp"\n', [(1, "from the repository root")]),
        "neighbor/e.cpp": ('#include "neighbor/backends/fenns.hpp"\n', [(1, "nobody includes a back end")]),
        "neighbor/backends/fenns.hpp": ("", []),
        "tests/unit/fenns_test.cpp": ('#include "neighbor/backends/fenns.hpp"\n', []),
        "neighbor/backends/fenns.cpp": ('#include "neighbor/backends/fenns.hpp"\n', []),
        "neighbor/backends/green/list.cpp": ('#include "neighbor/backends/green/list.hpp"\n'
                                             '#include "neighbor/backends/fenns.hpp"\n',
                                             [(2, "nobody includes a back end")]),
        "integrators/a.hpp": ('#include "neighbor/cells/cell_grid.hpp"\n', [(1, "integrators may include only")]),
        "integrators/b.hpp": ("#include <yaml-cpp/yaml.h>\n", [(1, "only io includes yaml-cpp")]),
        "observables/a.cpp": ('#include "neighbor/cells/cell_grid.hpp"\n#include "integrators/b.hpp"\n',
                              [(2, "observables may include only core, neighbor, observables")]),
        "io/deck.hpp": ("#include <yaml-cpp/yaml.h>\n#include <hdf5.h>\n", []),
        "io/a.cpp": ('#include "neighbor/backend.hpp"\n', [(1, "io may include only")]),
        "app/a.cpp": ('#include "io/deck.hpp"\n#include "neighbor/backend.hpp"\n', []),
        "app/b.cpp": ("#include <hdf5.h>\n#include <cuda_runtime.h>\n",
                      [(1, "only io includes hdf5.h"), (2, "vendor's header")]),
        "app/decoys.cpp": ('// #include "x"; cudaMalloc\nconst char* t = "cudaMalloc \\" threadIdx";\n'
                           'const char* r = R"(\n#include <hdf5.h>\n__global__)";\n'
                           "char c = '\"';\nint hip_count, cuda_devices, n = 1'000'000;\n"
                           "#include <cstdio>\n", []),
        "app/main.cpp": ('#include "app/compare/x.hpp"\n#include "app/engine/x.hpp"\n', []),
        "app/engine/a.cpp": ('#include "app/engine/x.hpp"\n#include "neighbor/backend.hpp"\n'
                             '#include "app/bench/x.hpp"\n#include "app/commands/x.hpp"\n'
                             '#include "app/compare/x.hpp"\n#include "app/x.hpp"\n',
                             [(line, "app/engine may include of app only app/engine")
                              for line in (3, 4, 5, 6)]),
        "app/commands/a.cpp": ('#include "app/engine/x.hpp"\n#include "app/bench/x.hpp"\n',
                               [(2, "app/commands may include")]),
        "app/bench/a.cpp": ('#include "app/engine/x.hpp"\n#include "app/commands/x.hpp"\n'
                            '#include "app/compare/x.hpp"\n', [(3, "app/bench may include")]),
        "app/compare/a.cpp": ('#include "app/engine/x.hpp"\n#include "app/commands/x.hpp"\n'
                              '#include "app/bench/x.hpp"\n', []),
        "app/validate/a.cpp": ('#include "app/engine/x.hpp"\n#include "app/commands/x.hpp"\n'
                               '#include "app/bench/x.hpp"\n#include "app/compare/x.hpp"\n',
                               [(4, "app/validate may include")]),
        "app/attic/a.cpp": ('#include "core/box.hpp"\n', [(1, "a room that the law does not know")]),
        "app/generated.cpp.in": ('#include "tests/x.hpp"\n', [(1, "app may include only")]),
        "tests/io/a.cpp": ("#include <hdf5.h>\n", []),
        "tests/unit/a.cpp": ("#include <hdf5.h>\n", [(1, "only io includes hdf5.h")]),
    }
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, (source, _) in tree.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(source, encoding="utf-8")
        found = list(violations(root))
    planted = [(path, line, part) for path, (_, faults) in tree.items() for line, part in faults]
    unmatched = list(found)
    failures = []
    for path, line, part in planted:
        hits = [f for f in unmatched if f[0] == path and f[1] == line and part in f[2]]
        if len(hits) == 1:
            unmatched.remove(hits[0])
        else:
            failures.append(f"planted but found {len(hits)} times: {path}:{line}: {part}")
    failures += [f"found but not planted: {path}:{line}: {what}" for path, line, what in unmatched]
    for failure in failures:
        print(failure)
    print(f"dependency law, self-test: {len(planted)} planted, {len(found)} found")
    return 1 if failures or not planted else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(self_test() if sys.argv[1] == "--self-test" else check(pathlib.Path(sys.argv[1])))

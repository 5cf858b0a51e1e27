"""The public interface is the one of tests/frozen/api.txt; a change is in CHANGELOG.md."""

import subprocess
import sys
from difflib import unified_diff
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PINNED = "tests/frozen/api.txt"
ADVICE = (
    "The public interface changed. If it is meant: run `make api`, read the difference of "
    f"{PINNED}, and add a line to CHANGELOG.md in the same commit."
)


def api() -> Any:
    spec = spec_from_file_location("api", ROOT / ".ci" / "api.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["api"] = module
    spec.loader.exec_module(module)
    return module


def git(*args: str) -> str:
    done = subprocess.run(["git", *args], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def test_the_public_interface_is_the_pinned_one() -> None:
    pinned = (ROOT / PINNED).read_text(encoding="utf-8")
    change = [*unified_diff(pinned.splitlines(), api().text().splitlines(), n=0, lineterm="")]
    assert not change, "\n".join([ADVICE, *change[2:40]])
    assert len(pinned.splitlines()) > 800


def test_a_change_of_the_pinned_interface_has_an_entry_in_the_changelog() -> None:
    if not git("ls-files", PINNED):
        pytest.skip("this is no clone: git does not know the file")
    if git("diff", "--name-only", "HEAD", "--", PINNED):
        changed = git("diff", "--name-only", "HEAD").splitlines()
        where = "the changes that are not committed"
    else:
        last, *before = git("log", "-2", "--format=%h", "--", PINNED).splitlines()
        if not before:
            pytest.skip("git knows one version of the file only")
        changed = git("diff", "--name-only", before[0], "HEAD").splitlines()
        where = f"the commits since {before[0]}, of which {last}"
    assert "CHANGELOG.md" in changed, f"{where} change {PINNED} without CHANGELOG.md. {ADVICE}"


def test_a_new_option_and_a_new_parameter_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    import rankwise

    module = api()
    before = module.text()

    def parse(metric: str, strict: bool = True) -> None: ...

    monkeypatch.setattr(rankwise, "parse", parse)
    assert "\nparse(metric)\n" in before and "\nparse(metric, strict=True)\n" in module.text()
    exit_codes = before.partition("## exit codes\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split(":")[0] for line in exit_codes] == ["0", "1", "2", "130"]
    assert "\n  rankwise gate --significant\n" in before and "\nscore rows run: string\n" in before

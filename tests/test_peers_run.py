"""A peer that does not run is a fault on the Pythons that all run on, and a skip on others."""

import sys

import pytest
from peers import ALL_RUN_ON, import_peer


def broken(_: object) -> None:
    raise AttributeError("module 'ast' has no attribute 'Num'")


def test_a_peer_that_runs_is_its_module() -> None:
    assert import_peer("sys") is sys


@pytest.mark.parametrize("version", [(3, 11), ALL_RUN_ON])
def test_a_peer_must_run_where_all_do(
    monkeypatch: pytest.MonkeyPatch, version: tuple[int, int]
) -> None:
    monkeypatch.setattr(sys, "version_info", (*version, 0, "final", 0))
    with pytest.raises(ModuleNotFoundError):
        import_peer("no_such_peer")
    with pytest.raises(AttributeError):
        import_peer("sys", broken)


def test_a_peer_that_a_newer_python_breaks_is_skipped_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Newer(tuple[int, ...]):
        major, minor = 3, 99

    monkeypatch.setattr(sys, "version_info", Newer((3, 99)))
    with pytest.raises(pytest.skip.Exception, match=r"sys does not run on Python 3\.99 .*'Num'"):
        import_peer("sys", broken)

"""`rankwise adm`."""

from pathlib import Path
from typing import Any


def test_scores_are_printed_written_and_compared(rankwise: Any, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    (tmp_path / "s.run").write_text("1 Q0 a 1 0.75 s\n1 Q0 b 2 0.5 s\n2 Q0 a 1 1 s\n")
    (tmp_path / "t.run").write_text("1 Q0 a 1 7 t\n1 Q0 b 2 5 t\n2 Q0 a 1 1 t\n")
    done = rankwise("adm", "q.txt", "s.run")
    assert done.out.splitlines() == ["run     ADM  topics", "s    0.8125       2"]
    failed = rankwise("adm", "q.txt", "s.run", "t.run")
    assert failed.code == 2 and "--scaled stretches" in failed.err
    assert "t: document a of topic 1 has the score 7" in failed.err
    more = ("--scaled", "--by-topic", "-o", "adm.csv")
    assert rankwise("adm", "q.txt", "s.run", "t.run", *more).code == 0
    assert (tmp_path / "adm.csv").read_text().startswith("run,topic,metric,value")
    assert "ADM" in rankwise("compare", "--scores", "adm.csv").out

"""Data for checking the papers, read on first use."""

import os
from functools import cached_property
from pathlib import Path

from rankwise import Scores, overview, read, score, stability
from rankwise.experiments.stability import Stability
from rankwise.judging import Overview
from rankwise.scores.imported import scores_from_matrices

# bpref-10 of the paper is Bpref(k=10,norm=full) here.
MEASURES = ("AP", "Bpref(k=10,norm='full')", "RankEff")
TREC_5 = {"RR": "adhoc5_rr.csv", "P@10": "adhoc5_p10.csv", "AP": "adhoc5_ap.csv"}
SAMPLES = 10


class Data:
    """TREC-5 score matrices and TREC-8 runs, from the folder RANKWISE_DATA."""

    @cached_property
    def folder(self) -> Path:
        if "RANKWISE_DATA" not in os.environ:
            raise SystemExit(
                "RANKWISE_DATA is not set. It names the folder with trec5/*.csv, "
                "trec8/trec8.qrels.gz and trec8/runs/*.gz; the page is made whole or not at all."
            )
        folder = Path(os.environ["RANKWISE_DATA"])
        for name in ("trec5", "trec8"):
            if not (folder / name).is_dir():
                raise SystemExit(f"RANKWISE_DATA: there is no folder {name} in {folder}.")
        return folder

    @cached_property
    def trec5(self) -> Scores:
        """RR, P@10 and AP of 61 systems on 50 topics."""
        return scores_from_matrices(
            {metric: self.folder / "trec5" / name for metric, name in TREC_5.items()}
        )

    @cached_property
    def qrels(self) -> Path:
        return self.folder / "trec8" / "trec8.qrels.gz"

    @cached_property
    def runs(self) -> list[Path]:
        return sorted((self.folder / "trec8" / "runs").glob("*.gz"))

    @cached_property
    def seen(self) -> Overview:
        """The complete runs of TREC-8, in the order of their own ranks."""
        cutoffs = (100, 1000)
        return overview(
            read(self.qrels, self.runs, order="rank", complete_runs=True), cutoffs=cutoffs
        )

    @cached_property
    def trec8(self) -> Scores:
        """The complete runs of TREC-8, in the order of their scores."""
        return score(read(self.qrels, self.runs, complete_runs=True), metrics=MEASURES)

    @cached_property
    def sampled(self) -> Stability:
        """RankEff with samples of the judgments, from 1 to 95 %."""
        return stability(
            read(self.qrels, self.runs, complete_runs=True),
            metrics="RankEff",
            by="sample",
            resamples=SAMPLES,
        )

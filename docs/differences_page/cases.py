"""Each disagreement between tools on one small example, and the rankwise setting of each number."""

from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import rankwise
from differences_page.tools import Judgments, Ranked


@dataclass(frozen=True)
class Row:
    """A number of a tool; `ours` is the metric that gives it, with options of `score`."""

    tool: str
    measure: str
    ours: str
    options: dict[str, Any] = field(default_factory=dict)
    compat: bool = False  # by rankwise.compat.pytrec_eval

    def number(self, qrels: Judgments, run: Ranked) -> float:
        """By rankwise."""
        if self.compat:
            from rankwise.compat import pytrec_eval

            found = pytrec_eval.RelevanceEvaluator(qrels, {self.ours}).evaluate(run)
            return fmean(topic[self.ours] for topic in found.values())
        data = rankwise.read(qrels, run, **self.options)
        [value] = rankwise.score(data, metrics=self.ours).to_dict()["run"].values()
        return value

    @property
    def setting(self) -> str:
        if self.compat:
            return "`rankwise.compat.pytrec_eval`"
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"`{self.ours}{options}`".replace("'", '"')


@dataclass(frozen=True)
class Case:
    title: str
    text: str
    qrels: Judgments
    run: Ranked
    rows: list[Row]
    advice: str


CASES = [
    Case(
        "MAP@k: divided by R, or by min(k, R)",
        "Four documents are relevant, the first two ranks hold two of them. Average precision at 2 "
        "divides by all relevant documents, by those that fit into two ranks, or by those that "
        "were retrieved.",
        {"1": {"a": 1, "b": 1, "c": 1, "d": 1}},
        {"1": {"a": 3.0, "b": 2.0, "x": 1.0}},
        [
            Row("pytrec_eval", "map_cut_2", "AP@2"),
            Row("ir_measures", "AP@2", "AP@2"),
            Row("ranx", "map@2", "AP@2"),
            Row("NTCIREVAL", "AP@2", "AP(norm=min)@2"),
            Row("cwl_eval", "AP", "APStar"),
        ],
        "Say which in the paper. sentence-transformers' `map@k` divides by min(k, R) as well. AP "
        "divided by what was retrieved rewards a run for retrieving less.",
    ),
    Case(
        "nDCG: which ideal",
        "Three documents are relevant, and the run was cut at two documents. The ideal ranking has "
        "two documents where the metric has the cutoff; all three where only the run was cut; and "
        "only what was retrieved where the tool never sees the other judgments.",
        {"1": {"a": 1, "b": 3, "c": 2}},
        {"1": {"a": 2.0, "b": 1.0}},
        [
            Row("pytrec_eval", "ndcg_cut_2", "nDCG@2"),
            Row("ranx", "ndcg@2", "nDCG@2"),
            Row("NTCIREVAL", "MSnDCG@2", "nDCG@2"),
            Row("pytrec_eval", "ndcg", "nDCG"),
            Row("scikit-learn", "ndcg_score", "SNDCG"),
        ],
        "`nDCG@10` and `nDCG` of a run cut at 10 (`depth=10`) are two numbers. scikit-learn's "
        "`ndcg_score` is given the retrieved documents only, so that it cannot know what was "
        "missed; give it all judged documents of the topic, or use another tool.",
    ),
    Case(
        "nDCG: linear or exponential gain, and the first discount",
        "Grades 1, 3 and 2 at ranks 1, 2 and 3. The gain is the grade, or $2^{grade} - 1$. The "
        "original discount leaves rank 2 alone: $\\log_2 i$ from rank 2 on in place of "
        "$\\log_2 (i + 1)$.",
        {"1": {"a": 1, "b": 3, "c": 2}},
        {"1": {"a": 3.0, "b": 2.0, "c": 1.0}},
        [
            Row("pytrec_eval", "ndcg_cut_3", "nDCG@3"),
            Row("ir_measures", "nDCG@3", "nDCG@3"),
            Row("ranx", "ndcg@3", "nDCG@3"),
            Row("NTCIREVAL", "MSnDCG@3", "nDCG@3"),
            Row("ir_measures", "nDCG(dcg='exp-log2')@3", "nDCG(dcg=exp-log2)@3"),
            Row("ranx", "ndcg_burges@3", "nDCG(dcg=exp-log2)@3"),
            Row("NTCIREVAL", "nDCG@3", "nDCG(b=2)@3"),
        ],
        "With grades 0 and 1 linear and exponential gain are the same. Say which you use as soon "
        "as grades go beyond 1.",
    ),
    Case(
        "ERR: the highest grade",
        "How likely a document is to satisfy depends on the highest grade there is: "
        "$(2^{grade} - 1) / 2^{highest}$. gdeval, by which ir_measures computes ERR, always takes "
        "4, rankwise the highest of the qrels; and NTCIREVAL has $grade / (highest + 1)$ instead.",
        {"1": {"a": 1, "b": 2, "c": 0}},
        {"1": {"c": 3.0, "b": 2.0, "a": 1.0}},
        [
            Row("ir_measures", "ERR@3", "ERR(max_rel=4)@3"),
            Row("NTCIREVAL", "ERR", "ERR(stop=linear)"),
            Row("rankwise", "ERR@3", "ERR@3"),
        ],
        "Give `max_rel` where the scale has a grade that no document got.",
    ),
    Case(
        "Tied scores",
        "Three documents have one score, and the first in the file is relevant. trec_eval and what "
        "is built on it order ties by document name, descending; ranx leaves them as they were "
        "given; scikit-learn averages over the orders of a tie.",
        {"1": {"a": 1}},
        {"1": {"a": 1.0, "b": 1.0, "c": 1.0}},
        [
            Row("pytrec_eval", "recip_rank", "RR"),
            Row("ir_measures", "RR", "RR"),
            Row("ranx", "mrr", "RR", {"order": "file"}),
            Row("pytrec_eval", "ndcg", "nDCG"),
            Row("scikit-learn", "ndcg_score", "DCG(ties=share)"),
        ],
        "A run with many ties (all scores 1, or scores rounded to two decimals) is scored by the "
        "names of its documents. P, RBP and DCG take `ties=share`; with one relevant document of "
        "grade 1, as here, nDCG is DCG.",
    ),
    Case(
        "Scores in 32 bits",
        "Two scores differ in the eighth decimal. pytrec_eval, and trec_eval before version 10, "
        "keep 32 bits, in which they are equal: a tie, and document b comes first.",
        {"1": {"a": 1}},
        {"1": {"a": 0.99999995, "b": 0.99999993}},
        [
            Row("pytrec_eval", "recip_rank", "recip_rank", compat=True),
            Row("ir_measures", "RR", "recip_rank", compat=True),
            Row("ranx", "mrr", "RR"),
            Row("rankwise", "RR", "RR"),
        ],
        "On the 129 runs of TREC-8 this changes 50 of 6,450 rankings. It hurts most where the "
        "scores of a reranker crowd near 1.",
    ),
    Case(
        "Topics without relevant documents",
        "Topic 2 has judgments, and none of them is relevant: average precision would divide by 0. "
        "The tools average a 0, which no run can avoid; rankwise leaves the topic out of the mean "
        "and says so.",
        {"1": {"a": 1}, "2": {"b": 0}},
        {"1": {"a": 1.0}, "2": {"b": 1.0}},
        [
            Row("pytrec_eval", "map", "AP", {"undefined": "zero"}),
            Row("ir_measures", "AP", "AP", {"undefined": "zero"}),
            Row("ranx", "map", "AP", {"undefined": "zero"}),
            Row("rankwise", "AP", "AP"),
        ],
        "All runs lose the same, so that system rankings agree; the numbers do not.",
    ),
    Case(
        "Topics that the run lacks",
        "The run has nothing for topic 2. pytrec_eval averages over the topics that the run has, "
        "so that leaving out a hard topic pays; the others count 0.",
        {"1": {"a": 1}, "2": {"b": 1}},
        {"1": {"a": 1.0}},
        [
            Row("pytrec_eval", "map", "AP", {"topics": "common"}),
            Row("ir_measures", "AP", "AP"),
            Row("ranx", "map", "AP"),
            Row("rankwise", "AP", "AP"),
        ],
        "trec_eval counts 0 with `-c` only. ranx refuses such a run unless `make_comparable=True` "
        "is given, as it is here.",
    ),
    Case(
        "A topic that is itself a document",
        "In ArguAna and Quora, of BEIR, a topic is a document of the collection, and a good run "
        "finds it first. BEIR and MTEB drop it before they score, trec_eval cannot know.",
        {"q1": {"a": 1}},
        {"q1": {"q1": 2.0, "a": 1.0}},
        [
            Row("pytrec_eval", "recip_rank", "RR"),
            Row("BEIR, MTEB", "recip_rank", "RR", {"drop_self": True}),
        ],
        "rankwise notes it where a run has such documents. On the command line: `--drop-self`.",
    ),
]

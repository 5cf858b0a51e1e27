"""Disagreements between tools on small examples, with the rankwise setting for each number."""

from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import rankwise
from differences_page.tools import Judgments, Ranked


@dataclass(frozen=True)
class Row:
    """A number of a tool; `ours` is the metric that reproduces it, with options of `score`."""

    tool: str
    measure: str
    ours: str
    options: dict[str, Any] = field(default_factory=dict)
    compat: bool = False  # by rankwise.compat.pytrec_eval

    def number(self, qrels: Judgments, run: Ranked) -> float:
        """Return the number that rankwise computes."""
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
        "MAP@k: division by R or by min(k, R)",
        "Four documents are relevant, and two of them are at ranks 1 and 2. Average precision at 2 "
        "divides by the number of all relevant documents (R), by the number that fit into two "
        "ranks (min(k, R)), or by the number of retrieved relevant documents.",
        {"1": {"a": 1, "b": 1, "c": 1, "d": 1}},
        {"1": {"a": 3.0, "b": 2.0, "x": 1.0}},
        [
            Row("pytrec_eval", "map_cut_2", "AP@2"),
            Row("ir_measures", "AP@2", "AP@2"),
            Row("ranx", "map@2", "AP@2"),
            Row("NTCIREVAL", "AP@2", "AP(norm=min)@2"),
            Row("cwl_eval", "AP", "APStar"),
        ],
        "State the divisor in the paper. sentence-transformers' `map@k` also divides by min(k, R). "
        "AP divided by the number of retrieved relevant documents rewards a run for retrieving "
        "less.",
    ),
    Case(
        "nDCG: the ideal ranking",
        "Three documents are relevant, and the run was cut at two documents. The ideal ranking has "
        "two documents if the metric has the cutoff. It has all three if only the run was cut. It "
        "has only the retrieved documents if the tool does not see the other judgments.",
        {"1": {"a": 1, "b": 3, "c": 2}},
        {"1": {"a": 2.0, "b": 1.0}},
        [
            Row("pytrec_eval", "ndcg_cut_2", "nDCG@2"),
            Row("ranx", "ndcg@2", "nDCG@2"),
            Row("NTCIREVAL", "MSnDCG@2", "nDCG@2"),
            Row("pytrec_eval", "ndcg", "nDCG"),
            Row("scikit-learn", "ndcg_score", "SNDCG"),
        ],
        "`nDCG@10`, and `nDCG` of a run cut at 10 (`depth=10`), are two different numbers. "
        "scikit-learn's `ndcg_score` receives only the retrieved documents here, so it does not "
        "know which relevant documents were missed. Pass all judged documents of the topic, or use "
        "another tool.",
    ),
    Case(
        "nDCG: linear or exponential gain, and the first discount",
        "Documents with grades 1, 3 and 2 are at ranks 1, 2 and 3. The gain is the grade, or "
        "$2^{grade} - 1$. The original discount is $\\log_2 i$ from rank 2 on, so rank 2 has no "
        "discount. The common discount is $\\log_2 (i + 1)$.",
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
        "With grades 0 and 1, linear and exponential gain are the same. With higher grades, state "
        "which gain you use.",
    ),
    Case(
        "ERR: the highest grade",
        "The probability that a document satisfies the user depends on the highest grade: "
        "$(2^{grade} - 1) / 2^{highest}$. gdeval, which ir_measures uses for ERR, always assumes a "
        "highest grade of 4. rankwise uses the highest grade in the qrels. NTCIREVAL uses $grade / "
        "(highest + 1)$ instead.",
        {"1": {"a": 1, "b": 2, "c": 0}},
        {"1": {"c": 3.0, "b": 2.0, "a": 1.0}},
        [
            Row("ir_measures", "ERR@3", "ERR(max_rel=4)@3"),
            Row("NTCIREVAL", "ERR", "ERR(stop=linear)"),
            Row("rankwise", "ERR@3", "ERR@3"),
        ],
        "Set `max_rel` if the scale has a grade that no document has.",
    ),
    Case(
        "Tied scores",
        "Three documents have the same score, and the first in the file is relevant. trec_eval and "
        "the tools built on it order ties by document name, descending. ranx keeps the order of "
        "the input. scikit-learn averages over the orders of a tie.",
        {"1": {"a": 1}},
        {"1": {"a": 1.0, "b": 1.0, "c": 1.0}},
        [
            Row("pytrec_eval", "recip_rank", "RR"),
            Row("ir_measures", "RR", "RR"),
            Row("ranx", "mrr", "RR", {"order": "file"}),
            Row("pytrec_eval", "ndcg", "nDCG"),
            Row("scikit-learn", "ndcg_score", "DCG(ties=share)"),
        ],
        "In a run with many ties (all scores 1, or scores rounded to two decimals), the names of "
        "the documents determine the score. P, RBP and DCG have the option `ties=share`. With one "
        "relevant document of grade 1, as here, nDCG equals DCG.",
    ),
    Case(
        "Scores in 32 bits",
        "Two scores differ in the eighth decimal. pytrec_eval, and trec_eval before version 10, "
        "store scores in 32 bits, where the two scores are equal. This is a tie, and document b "
        "comes first.",
        {"1": {"a": 1}},
        {"1": {"a": 0.99999995, "b": 0.99999993}},
        [
            Row("pytrec_eval", "recip_rank", "recip_rank", compat=True),
            Row("ir_measures", "RR", "recip_rank", compat=True),
            Row("ranx", "mrr", "RR"),
            Row("rankwise", "RR", "RR"),
        ],
        "On the 129 runs of TREC-8 this changes 50 of 6,450 rankings. The effect is largest if "
        "many scores of a reranker are close to 1.",
    ),
    Case(
        "Topics without relevant documents",
        "Topic 2 has judgments, but no relevant document, so average precision would divide by 0. "
        "The other tools count a score of 0, which no run can avoid. rankwise excludes the topic "
        "from the mean, with a note.",
        {"1": {"a": 1}, "2": {"b": 0}},
        {"1": {"a": 1.0}, "2": {"b": 1.0}},
        [
            Row("pytrec_eval", "map", "AP", {"undefined": "zero"}),
            Row("ir_measures", "AP", "AP", {"undefined": "zero"}),
            Row("ranx", "map", "AP", {"undefined": "zero"}),
            Row("rankwise", "AP", "AP"),
        ],
        "All runs lose the same amount, so the system rankings agree; the numbers do not.",
    ),
    Case(
        "Topics missing from the run",
        "The run has no documents for topic 2. pytrec_eval averages over the topics of the run, so "
        "a run can gain by leaving out a hard topic. The other tools count 0.",
        {"1": {"a": 1}, "2": {"b": 1}},
        {"1": {"a": 1.0}},
        [
            Row("pytrec_eval", "map", "AP", {"topics": "common"}),
            Row("ir_measures", "AP", "AP"),
            Row("ranx", "map", "AP"),
            Row("rankwise", "AP", "AP"),
        ],
        "trec_eval counts 0 only with `-c`. ranx refuses this run unless `make_comparable=True` is "
        "set, as it is here.",
    ),
    Case(
        "Topics that are documents of the collection",
        "In ArguAna and Quora of BEIR, each topic is a document of the collection, and a good run "
        "retrieves it first. BEIR and MTEB remove it before scoring. trec_eval does not.",
        {"q1": {"a": 1}},
        {"q1": {"q1": 2.0, "a": 1.0}},
        [
            Row("pytrec_eval", "recip_rank", "RR"),
            Row("BEIR, MTEB", "recip_rank", "RR", {"drop_self": True}),
        ],
        "rankwise prints a note if a run retrieves its topics. On the command line, the option is "
        "`--drop-self`.",
    ),
]

"""What each metric must obey. A metric of the registry without an entry fails the suite."""

import math
from typing import NamedTuple


class Laws(NamedTuple):
    """`examples`: settings to try. `least`, `greatest`: where every score lies."""

    examples: list[str]
    least: float = 0.0
    greatest: float = 1.0


LAWS = {
    "AP": Laws(["AP", "AP(rel=2)@5", "AP(judged_only=True)", "AP@3"]),
    "Bpref": Laws(["Bpref", "Bpref(rel=2)"]),
    "DCG": Laws(
        ["DCG", "DCG@4", "DCG(dcg=exp-log2,gains=5:2:1,judged_only=True)@6"], greatest=math.inf
    ),
    "Judged": Laws(["Judged", "Judged@3"]),
    "NumRel": Laws(["NumRel", "NumRel(rel=2)"], greatest=math.inf),
    "NumRelRet": Laws(["NumRelRet", "NumRelRet(rel=3)"], greatest=math.inf),
    "NumRet": Laws(["NumRet"], greatest=math.inf),
    "P": Laws(["P@1", "P@5", "P(rel=2)@20", "P(judged_only=True)@3"]),
    "RBP": Laws(
        [
            "RBP",
            "RBP(p=0.5,rel=2)",
            "RBP(p=0.95,gains={1:0.25,2:0.5,3:1})@7",
            "RBP(judged_only=True)",
        ]
    ),
    "RR": Laws(["RR", "RR@3", "RR(rel=2,judged_only=True)@5"]),
    "Recall": Laws(["Recall", "Recall@4", "Recall(rel=2,judged_only=True)@4"]),
    "Rprec": Laws(["Rprec", "Rprec(rel=2)", "Rprec(judged_only=True)"]),
    "Success": Laws(["Success@1", "Success(rel=3)@5", "Success(judged_only=True)@2"]),
    "nDCG": Laws(
        [
            *["nDCG", "nDCG@5", "nDCG(dcg=exp-log2)", "nDCG(gains={1:3,2:1,3:0.5})@4"],
            "nDCG(judged_only=True)@3",
        ]
    ),
}

EXAMPLES = [example for laws in LAWS.values() for example in laws.examples]

"""Words that arguments and command-line options accept, such as the names of tests.

Each list of words is defined only here.
"""

from typing import Literal

# Reading and ranking.
Order = Literal["score", "rank", "file"]
RowKind = Literal["run", "qrels"]
Combination = Literal["majority", "mean", "median", "max", "first", "dawid-skene"]

# Scoring.
Topics = Literal["all", "common"]
Mean = Literal["arithmetic", "geometric"]
Undefined = Literal["skip", "zero"]
Assumption = Literal["retrieved", "open"]
Scale = Literal["normal", "z"]
Engine = Literal["local", "spark"]

# Comparing.
# fmt: off
Test = Literal[
    "t", "permutation", "bootstrap", "tukey", "randomised-tukey", "dunnett", "wilcoxon", "sign",
]
# fmt: on
Correction = Literal["none", "bonferroni", "holm", "bh"]
Family = Literal["all", "metric"]
Interval = Literal["max-t", "t", "bonferroni", "bootstrap"]
MeanInterval = Literal["logit", "t", "bootstrap"]
Zeros = Literal["drop", "pratt", "split"]
CoefficientName = Literal["kendall", "kendall-a", "spearman", "tau-ap", "tau-ap-b", "rbo"]

# Agreement of judges: the available tables.
# fmt: off
AgreementView = Literal[
    "labels", "confusion", "grades", "judges",
    "systems", "ranks", "differences", "favours", "documents",
]
# fmt: on

# Differences between runs: treatment of tied documents in rank-biased measures.
TieTreatment = Literal["name", "w", "a", "b"]

# Collections.
Grouping = Literal["topic", "run", "rank", "zone"]

# Discriminative power: a resampling method, or one of the tests.
# fmt: off
Discriminator = Literal[
    "bootstrap", "log-bootstrap", "area-bootstrap", "swap", "disjoint-swap", "error-rate",
    "t", "wilcoxon", "sign", "permutation", "tukey", "randomised-tukey",
]
# fmt: on
SwapMethod = Literal["swap", "disjoint-swap", "error-rate"]  # methods that do not test pairs

# Fewer judgments.
Cut = Literal["pool-depth", "sample", "shard", "group"]

# What to judge next: weights of the runs that have a document.
Weighing = Literal["equal", "residual", "score"]

# Published scores.
InversionMethod = Literal["sound", "paper"]
Verdict = Literal["A", "B", "undecided"]

# Charts, and tables for papers.
ChartWidth = Literal["column", "page", "screen"]
Marks = Literal["arrows", "letters", "daggers"]

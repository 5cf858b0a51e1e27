"""Numbers of other packages for the tests of agreement: tests/stats/agreement_peers.json.

    pip install scikit-learn krippendorff irrCAC statsmodels   # in an environment of its own
    python benchmarks/agreement_peers.py > tests/stats/agreement_peers.json

These packages ask for old versions of NumPy and SciPy, so the tests have their numbers.
"""

import json
import warnings
from collections.abc import Iterator
from typing import Any

import krippendorff
import numpy as np
import pandas as pd
from irrCAC.raw import CAC
from sklearn.metrics import cohen_kappa_score, precision_recall_fscore_support
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

warnings.simplefilter("ignore")
WEIGHTS = {"unweighted": "identity", "linear": "linear", "quadratic": "quadratic"}


def cases() -> Iterator[Any]:
    rng = np.random.default_rng(34)
    for number in range(24):
        documents, judges = int(rng.integers(8, 60)), int(rng.integers(2, 6))
        grades = int(rng.integers(2, 6))
        latent = rng.random((documents, 1)) * grades
        table = np.clip(np.floor(latent + rng.normal(0, 0.9, (documents, judges))), 0, grades - 1)
        if number % 2:
            table[rng.random(table.shape) < 0.25] = np.nan
        yield table


def estimate(analysis: Any, name: str) -> float:
    return float(getattr(analysis, name)()["est"]["coefficient_value"])


def numbers_of(table: Any) -> dict[str, Any]:
    values = sorted(set(table[~np.isnan(table)].tolist()))
    # irrCAC counts documents without any judge, and others do not: leave them out for all.
    table = table[(~np.isnan(table)).sum(axis=1) > 0]
    several = table[(~np.isnan(table)).sum(axis=1) > 1]
    found: dict[str, Any] = {"table": [[None if np.isnan(g) else g for g in row] for row in table]}
    for level in ("nominal", "ordinal", "interval"):
        found[f"alpha {level}"] = float(
            krippendorff.alpha(several.T, level_of_measurement=level, value_domain=values)
        )
    frame = pd.DataFrame(table)
    for name, weights in WEIGHTS.items():
        analysis = CAC(frame, weights=weights, categories=values, digits=15)  # it rounds
        found[f"fleiss {name}"] = estimate(analysis, "fleiss")
        found[f"gwet {name}"] = estimate(analysis, "gwet")
    if not np.isnan(table).any():
        found["statsmodels fleiss"] = float(fleiss_kappa(aggregate_raters(table.astype(int))[0]))
    both = table[~np.isnan(table[:, :2]).any(axis=1), :2]
    for name in WEIGHTS:
        kind = None if name == "unweighted" else name
        found[f"cohen {name}"] = float(
            cohen_kappa_score(both[:, 0], both[:, 1], labels=values, weights=kind)
        )
    found["binary"] = [
        [
            float(cohen_kappa_score(both[:, 0] >= value, both[:, 1] >= value)),
            *map(
                float,
                precision_recall_fscore_support(
                    both[:, 0] >= value, both[:, 1] >= value, average="binary", zero_division=np.nan
                )[:3],
            ),
        ]
        for value in values[1:]
    ]
    return found


print(json.dumps([numbers_of(table) for table in cases()]).replace("NaN", "null"))

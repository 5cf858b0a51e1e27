"""Numbers of statsmodels, pingouin, SciPy and baycomp for `tests/stats/statistics_peers.json`.

python -m venv /tmp/peers && /tmp/peers/bin/pip install statsmodels pingouin baycomp
/tmp/peers/bin/python benchmarks/statistics_peers.py > tests/stats/statistics_peers.json
"""

import json
import sys

import numpy as np


def main() -> None:
    import baycomp
    import pingouin
    import scipy.stats
    import statsmodels.api as sm
    from statsmodels.stats.weightstats import DescrStatsW, ttost_paired

    rng = np.random.default_rng(7)
    x = rng.beta(2, 3, 30).round(4)
    y = (x + rng.normal(0.01, 0.05, 30)).round(4)
    clusters = rng.integers(0, 9, 30)
    weights = rng.integers(1, 20, 30)
    margin = 0.03
    difference = x - y
    ones = np.ones(30)
    robust = sm.OLS(difference, ones).fit(
        cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True
    )
    weighted = sm.WLS(difference, ones, weights=weights).fit(cov_type="HC0")
    groups = [rng.normal(mean, 1, 12).round(3) for mean in (0, 0.2, 0.9, 1.5)]
    many = scipy.stats.dunnett(*groups[1:], control=groups[0], rng=np.random.default_rng(1))
    found = {
        "x": x.tolist(),
        "y": y.tolist(),
        "clusters": clusters.tolist(),
        "weights": weights.tolist(),
        "margin": margin,
        "statsmodels ttost_paired(x, y, -margin, margin)": [
            float(ttost_paired(x, y, -margin, margin)[0]),
            float(ttost_paired(x, y, -margin, margin)[1][1]),
            float(ttost_paired(x, y, -margin, margin)[2][1]),
        ],
        "pingouin tost(x, y, margin, paired=True)": float(
            pingouin.tost(x, y, bound=margin, paired=True).iloc[0]["pval"]
        ),
        # two_on_single would add the correction for the folds of a cross-validation.
        "baycomp Posterior(mean(y - x), var / n, n - 1, margin).probs()": list(
            map(
                float,
                baycomp.single.Posterior(
                    -difference.mean(), difference.var(ddof=1) / 30, 29, margin, x.mean(), y.mean()
                ).probs(),
            )
        ),
        "statsmodels OLS(x - y, 1), cov_type=cluster, use_t": {
            "error": float(robust.bse[0]),
            "p": float(robust.pvalues[0]),
            "interval": robust.conf_int()[0].tolist(),
        },
        "statsmodels WLS(x - y, 1, weights), cov_type=HC0": {
            "mean": float(weighted.params[0]),
            "error": float(weighted.bse[0]),
        },
        "statsmodels DescrStatsW(x - y, weights).mean": float(
            DescrStatsW(difference, weights).mean
        ),
        "groups": [group.tolist() for group in groups],
        "scipy dunnett(*groups[1:], control=groups[0])": {
            "statistic": many.statistic.tolist(),
            "p": many.pvalue.tolist(),
        },
    }
    json.dump(found, sys.stdout, indent=1)


if __name__ == "__main__":
    main()

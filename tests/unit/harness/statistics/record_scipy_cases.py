#!/usr/bin/env python3
"""Records the results of SciPy and statsmodels with which the tests of harness/statistics compare
ours. The tests read only the recorded file and need neither.

record_scipy_cases.py > scipy_cases.json    needs numpy, scipy, statsmodels
"""
import json
import math
import sys
import warnings

import numpy as np
import scipy
import statsmodels
from scipy import stats
from statsmodels.stats.multitest import multipletests

# Pairs of samples for Mann-Whitney tests, one-sided and two-sided. Infinity is a censored value, which ranks last.
PAIRS = {
    "apart": ([1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0]),
    "mixed": ([0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46], [1.15, 0.88, 0.9, 0.74, 1.21]),
    "ties": ([1.0, 2.0, 2.0, 3.0, 4.0, 4.0], [2.0, 3.0, 4.0, 4.0, 5.0]),
    "ties of unlike sizes": ([1.0, 1.0], [1.0, 2.0, 2.0, 2.0, 2.0, 3.0, 3.0]),
    "one value each": ([1.0], [2.0]),
    "one against many": ([3.5], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]),
    "equal sides": ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]),
    "censored on one side": ([10.0, 11.0, 12.0, 13.0], [11.5, 14.0, math.inf, math.inf]),
    "censored on both": ([10.0, 11.0, math.inf], [12.0, 13.0, math.inf, math.inf]),
    "ten a side": ([0.2102, 0.2107, 0.2099, 0.2111, 0.2104, 0.2120, 0.2101, 0.2098, 0.2105, 0.2109],
                   [0.2205, 0.2112, 0.2190, 0.2211, 0.2208, 0.2199, 0.2216, 0.2103, 0.2222, 0.2207]),
}
SAMPLES = {
    "five": [3.0, 1.0, 2.0, 5.0, 4.0],
    "six": [3.0, 1.0, 2.0, 5.0, 4.0, 6.0],
    "ten": [12.1, 11.8, 12.5, 13.0, 11.2, 12.2, 12.9, 14.0, 12.4, 11.9],
    "seventeen": [float(x) for x in range(17)],
    "forty": [round(float(x), 4) for x in np.random.default_rng(3).lognormal(0, 0.2, 40)],
}


def pair_case(name, base, new):
    values = [x if math.isfinite(x) else 1e9 for x in base + new]
    # SciPy's exact method allows no ties, and its permutation method needs two values on each side.
    method = "exact" if len(set(values)) == len(values) else stats.PermutationMethod(n_resamples=math.inf)
    base_ranked, new_ranked = values[: len(base)], values[len(base):]

    def test(alternative):
        return float(stats.mannwhitneyu(new_ranked, base_ranked, alternative=alternative, method=method).pvalue)

    return {"name": name, "base": [censored(x) for x in base], "next": [censored(x) for x in new],
            "u": float(stats.mannwhitneyu(new_ranked, base_ranked).statistic),
            "p_greater": test("greater"), "p_less": test("less"), "p_two_sided": test("two-sided")}


def censored(value):
    return value if math.isfinite(value) else None


def normal_case():
    """Sides too large for an exact test, with values rounded so that there are ties."""
    drawn = np.random.default_rng(7)
    base = [round(float(x), 2) for x in drawn.lognormal(0, 0.3, 80)]
    new = [round(float(x), 2) for x in drawn.lognormal(0.1, 0.3, 90)]
    p = {f"p_{word.replace('-', '_')}": float(stats.mannwhitneyu(new, base, alternative=word, method="asymptotic").pvalue)
         for word in ("greater", "less", "two-sided")}
    return {"name": "eighty against ninety", "base": base, "next": new,
            "u": float(stats.mannwhitneyu(new, base).statistic), **p}


def interval_case(name, values, confidence):
    n = len(values)
    found = stats.quantile_test(values, p=0.5).confidence_interval(confidence)
    low, high = float(found.low), float(found.high)
    k = sorted(values).index(low) + 1 if math.isfinite(low) else 0
    return {"name": name, "values": values, "confidence": confidence, "low": censored(low), "high": censored(high),
            "coverage": float(1 - 2 * stats.binom.cdf(k - 1, n, 0.5))}


def shift(samples):
    return float(np.median(np.subtract.outer(np.log(samples[1]), np.log(samples[0]))))


def ratio_case(name, base, new):
    def statistic(one, other, axis=-1):
        return shift((one, other))
    found = stats.bootstrap((base, new), statistic, n_resamples=20000, method="percentile", vectorized=False,
                            rng=np.random.default_rng(1)).confidence_interval
    return {"name": name, "base": base, "next": new, "ratio": math.exp(shift((base, new))),
            "low": math.exp(found.low), "high": math.exp(found.high)}


def main():
    warnings.simplefilter("ignore")
    drawn = np.random.default_rng(11)
    spread = ([float(x) for x in drawn.lognormal(0, 0.05, 12)], [float(x) for x in drawn.lognormal(0.1, 0.05, 9)])
    cases = {
        "made_by": {"numpy": np.__version__, "scipy": scipy.__version__, "statsmodels": statsmodels.__version__},
        "mann_whitney": [pair_case(name, *pair) for name, pair in PAIRS.items()],
        "mann_whitney_normal": [normal_case()],
        "median_interval": [interval_case(name, values, confidence)
                            for name, values in SAMPLES.items() for confidence in (0.95, 0.99)],
        "hodges_lehmann": [ratio_case("ten a side", *PAIRS["ten a side"]), ratio_case("spread", *spread)],
        "holm": [{"p": p, "adjusted": [float(x) for x in multipletests(p, method="holm")[1]]}
                 for p in ([0.01, 0.04, 0.03, 0.005], [0.5], [0.9, 0.8, 0.7], [1e-5, 1e-5, 0.002, 0.2, 0.011])],
    }
    json.dump(cases, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()

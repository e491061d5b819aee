#!/usr/bin/env python3
"""Records the results of NumPy and SciPy with which the test of analysis/report/speed_up compares
ours. `exact` draws pairs with the generator of harness/statistics/random.h, so that every digit
must agree. `scipy` is SciPy's own paired percentile bootstrap, with its own draws.

record_speed_up_cases.py > speed_up_cases.json    needs numpy, scipy
"""
import json
import math
import sys
import warnings

import numpy as np
import scipy
from scipy import stats

DRAWS = 2001
MASK = (1 << 64) - 1
DRAWN = np.random.default_rng(5)
NEVER = math.inf
CASES = {
    "six seeds": ([10.2, 9.8, 11.0, 10.4, 9.9, 10.7], [5.3, 5.0, 5.2, 6.1, 4.9, 5.5]),
    "together": ([10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0], [5.1, 5.4, 6.1, 6.4, 7.1, 7.4, 8.1]),
    "twenty seeds": ([round(float(x), 3) for x in DRAWN.lognormal(2, 0.1, 20)],
                     [round(float(x), 3) for x in DRAWN.lognormal(1.8, 0.2, 20)]),
    "a method that misses twice": ([10.0, 10.5, 11.0, 11.5, 12.0, 12.5], [5.0, 5.2, 5.4, 5.6, NEVER, NEVER]),
    "a baseline that misses twice": ([10.0, 10.5, 11.0, 11.5, NEVER, NEVER], [5.0, 5.2, 5.4, 5.6, 5.8, NEVER]),
}


def splitmix64(state):
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        bits = state
        bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & MASK
        yield bits ^ (bits >> 31)


def ratio(base, own):
    return 1.0 if base == own else float(base / own)


def censored_median(values):
    """NumPy's median, except that the middle between two infinite values is infinite."""
    return NEVER if 2 * np.isinf(values).sum() >= len(values) else float(np.median(values))


def ratio_of_medians(base, own):
    return ratio(censored_median(base), censored_median(own))


def exact(base, own):
    generator = splitmix64(1)
    ratios = []
    for _ in range(DRAWS):
        drawn = [((next(generator) >> 32) * len(base)) >> 32 for _ in base]
        ratios.append(ratio_of_medians(base[drawn], own[drawn]))
    # "linear" would give NaN between two infinite values.
    return [float(np.quantile(ratios, q, method="nearest")) for q in (0.025, 0.975)]


def from_scipy(base, own):
    if np.isinf(base).any() or np.isinf(own).any():
        return None
    found = stats.bootstrap((base, own), lambda one, other, axis: np.median(one, axis) / np.median(other, axis),
                            paired=True, vectorized=True, n_resamples=20000, method="percentile",
                            rng=np.random.default_rng(1)).confidence_interval
    return [float(found.low), float(found.high)]


def finite(values):
    return [x if math.isfinite(x) else None for x in values]


def case(name, base, own):
    base, own = np.array(base), np.array(own)
    by_seed = [ratio(one, other) for one, other in zip(base, own) if min(one, other) < NEVER]
    return {"name": name, "baseline": finite(base.tolist()), "own": finite(own.tolist()),
            "value": ratio_of_medians(base, own), "range": finite([min(by_seed), max(by_seed)]),
            "exact": finite(exact(base, own)), "scipy": from_scipy(base, own)}


def main():
    warnings.simplefilter("ignore")
    json.dump({"made_by": {"numpy": np.__version__, "scipy": scipy.__version__},
               "cases": [case(name, *pair) for name, pair in CASES.items()]}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()

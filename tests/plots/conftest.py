"""Puts the package and the example on the import path."""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent
sys.path[:0] = [str(TESTS), str(TESTS.parents[1] / "plots")]

"""Puts the package and the plain training on the import path."""

import sys
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/reference"), str(ROOT / "tests/python")]
# Ranks are forked, and torch's threads would not exist in the child.
torch.set_num_threads(1)

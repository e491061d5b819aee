"""run_tests.py FILE [CLASS]...: runs the tests of a file of tests/, such as tools/run_test.py, or some of its classes.

Ends with 77, after saying why, when none could run.
"""
import sys
import unittest
from pathlib import Path


def main() -> int:
    file = Path(__file__).resolve().parents[1] / sys.argv[1]
    sys.path.insert(0, str(file.parent))
    result = unittest.main(module=file.stem, argv=sys.argv[1:], exit=False).result
    for _, reason in result.skipped:
        print(f"skipped: {reason}", flush=True)
    everything_skipped = len(result.skipped) == result.testsRun
    return 77 if everything_skipped else not result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())

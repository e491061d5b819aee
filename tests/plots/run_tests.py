"""run_tests.py FILE: runs FILE with pytest; 77, after saying why, when no test in it could run."""

import importlib.util
import sys
from pathlib import Path

SKIPPED = 77
NEEDS = ["pytest", "matplotlib", "plotly"]


def main() -> int:
    missing = [name for name in NEEDS if importlib.util.find_spec(name) is None]
    if missing:
        print(f"{sys.executable} lacks {', '.join(missing)}: run tools/setup --tests")
        return SKIPPED
    import pytest

    class Outcomes:
        ran = 0

        def pytest_runtest_logreport(self, report: "pytest.TestReport") -> None:
            self.ran += report.when == "call" and not report.skipped

    outcomes = Outcomes()
    file = Path(__file__).resolve().parent / sys.argv[1]
    # Keeps Python from writing into the source tree.
    sys.dont_write_bytecode = True
    code = pytest.main(["-q", "-rs", "-p", "no:cacheprovider", str(file)], plugins=[outcomes])
    return SKIPPED if code == pytest.ExitCode.OK and not outcomes.ran else int(code)


if __name__ == "__main__":
    sys.exit(main())

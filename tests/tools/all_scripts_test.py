"""Every script of tools/ is run by a test that CTest knows, nightly tests included.

all_scripts_test.py CTEST BUILD
"""
import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parents[1]
FOLDERS = (ROOT / "tools", ROOT / "tools" / "experiments")


def scripts() -> set[str]:
    """The executable files that git tracks or does not ignore. Files in other folders of tools/ are
    parts of scripts."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "tools"],
                            capture_output=True, text=True, check=True).stdout.split()
    files = [ROOT / name for name in listed]
    return {file.name for file in files
            if file.parent in FOLDERS and file.is_file() and file.stat().st_mode & 0o100}


def commands(ctest: str, build: str) -> list[list[str]]:
    told = subprocess.run([ctest, "--test-dir", build, "-C", "nightly", "--show-only=json-v1"],
                          capture_output=True, text=True, check=True).stdout
    return [test.get("command", []) for test in json.loads(told)["tests"]]


def run_by(command: list[str]) -> set[str]:
    """The scripts that a test's command runs directly, that its file is named after, and that its
    file runs."""
    found = {Path(word).name for word in command if Path(word).parent in FOLDERS}
    for word in command:
        if Path(word).parent == TESTS and word.endswith("_test.py"):
            found.add(Path(word).name.removesuffix("_test.py").replace("_", "-"))
            found |= set(re.findall(r'run_(?:script|json_lines)\(\s*"(?:experiments/)?([\w-]+)"', Path(word).read_text()))
    return found


class AllScripts(unittest.TestCase):
    def test_each_is_run_by_a_test(self):
        names = scripts()
        self.assertTrue(names)
        tested = set().union(*map(run_by, commands(*ARGUMENTS)))
        self.assertEqual(names - tested, set(), f"no test runs these; write {TESTS}/NAME_test.py")


if __name__ == "__main__":
    ARGUMENTS = [sys.argv.pop(1), sys.argv.pop(1)]
    unittest.main()

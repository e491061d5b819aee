"""tools/list-skips, on results of a real CTest, fails unless the list and this machine allow each
skip."""
import json
import subprocess
import tempfile
from pathlib import Path

from scripts import ScriptTest

# A test that exits with 77, a skip of GoogleTest's, a test with a skipped part, and one that runs.
PROJECT = r"""
cmake_minimum_required(VERSION 3.25)
project(planted NONE)
enable_testing()
add_test(NAME Planted.ByItsCode COMMAND sh -c "echo starts; echo 'needs a moon: none'; exit 77")
set_tests_properties(Planted.ByItsCode PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME Gpu.Adds COMMAND sh -c "printf '[ RUN      ] Gpu.Adds\na.cc:1: Skipped\nno GPU: none\n\n[  SKIPPED ] Gpu.Adds (0 ms)\n'")
set_tests_properties(Gpu.Adds PROPERTIES SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
add_test(NAME Suite COMMAND sh -c "seq 1000; printf 'a.cc:1: Skipped\nno netem\n\n[  SKIPPED ] Delay.Is (0 ms)\n[  PASSED  ] 1 test.\n[  SKIPPED ] 1 test, listed below:\n[  SKIPPED ] Delay.Is\n'")
add_test(NAME Page COMMAND sh -c "echo 'SKIPPED [2] tests/page_test.py:16: no browser'")
add_test(NAME Runs COMMAND true)
add_test(NAME Breaks COMMAND sh -c "seq 1000; exit 3")
"""


def entry(tests, reason, holds_if="true"):
    return {"because": "it is so", "tests": tests, "reason": reason, "holds_if": holds_if}


ALL = [entry("Planted.*", "needs a moon"), entry("Gpu[.].*", "^no GPU"), entry("Suite/Delay.Is", "netem"),
       entry("Page/page_test.py", "no browser")]


class ListSkips(ScriptTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        root = Path(folder.name)
        (root / "CMakeLists.txt").write_text(PROJECT)
        subprocess.run(["cmake", "-S", root, "-B", root / "build"], check=True, capture_output=True)
        cls.results = root / "results.xml"
        subprocess.run(["ctest", "--test-dir", root / "build", "--output-junit", cls.results,
                        "--test-output-size-passed", "1000000"], check=False, capture_output=True)

    def listed(self, entries, code):
        file = self.folder / "allowed.json"
        file.write_text(json.dumps(entries))
        done = self.run_script("list-skips", self.results, "--allowed", file, codes=(code,))
        return done.stdout + done.stderr

    def test_all_that_are_on_the_list_pass_each_with_its_reason(self):
        printed = self.listed(ALL, 0)
        for part in ("Planted.ByItsCode", "needs a moon: none", "Gpu.Adds", "no GPU: none", "Suite/Delay.Is",
                     "no netem", "Page/page_test.py", "no browser", "4 skipped, 0 of them", "failed: Breaks",
                     "\n  999\n  1000"):
            self.assertIn(part, printed)
        self.assertNotIn("Runs", printed)

    def test_one_that_is_not_on_the_list_fails_and_is_named(self):
        for missing in ALL:
            with self.subTest(missing["tests"]):
                printed = self.listed([each for each in ALL if each is not missing], 1)
                self.assertIn("4 skipped, 1 of them not allowed", printed)
                self.assertIn("NOT ALLOWED: no entry", printed)

    def test_another_reason_a_part_of_a_name_and_a_condition_that_does_not_hold_here_fail(self):
        self.listed([entry("Planted.*", "needs a sun"), *ALL[1:]], 1)
        self.listed([entry("Plant", "needs a moon"), *ALL[1:]], 1)
        printed = self.listed([entry("Planted.*", "needs a moon", "test -e /moon"), *ALL[1:]], 1)
        self.assertIn("test -e /moon", printed)

    def test_one_entry_that_holds_is_enough(self):
        self.listed([entry("Planted.*", "needs a moon", "false"), *ALL], 0)

    def test_an_entry_without_a_condition_is_an_error(self):
        self.assertIn("holds_if", self.listed([{"because": "", "tests": ".*", "reason": ".*"}], 1))

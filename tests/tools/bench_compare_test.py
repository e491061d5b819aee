"""tools/bench-compare builds the right two trees, runs them by turns and gives compare's verdict.

The tests use a repository of their own, whose build makes a `pacbench` that records its arguments.
"""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"
PRESETS = """{ "version": 6, "configurePresets": [ { "name": "release", "generator": "Ninja",
  "binaryDir": "${sourceDir}/build", "cacheVariables": { "CMAKE_BUILD_TYPE": "Release" } } ] }"""
LISTS = """cmake_minimum_required(VERSION 3.25)
project(pacbench LANGUAGES NONE)
foreach(name pacbench-netd pacbench-worker pacbench-probe pacbench_catalog)
  add_custom_target(${name})
endforeach()
add_custom_target(pacbench COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/pacbench
                                   ${CMAKE_BINARY_DIR}/bin/pacbench)
"""
# The environment sets the exit codes of compare and of runs; `side` differs between revisions.
PROGRAM = """#!/bin/bash
side=%s
case $1 in
  run)
    echo "$side" "${@: -1}" >>"$RECORD"
    code=RUN_CODE_$side
    exit "${!code:-0}" ;;
  compare)
    shift
    echo compare "$@" >>"$RECORD"
    exit "${COMPARE_CODE:-0}" ;;
esac
"""


class BenchCompare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve() / "project"
        (self.root / "tools").mkdir(parents=True)
        (self.root / "scenarios").mkdir()
        for name in ("bench-compare", "common.sh"):
            shutil.copy(TOOLS / name, self.root / "tools" / name)
        (self.root / "scenarios/smoke.json").write_text("{}")
        (self.root / "CMakePresets.json").write_text(PRESETS)
        (self.root / "CMakeLists.txt").write_text(LISTS)
        (self.root / ".gitignore").write_text("/build/\n/.venv\n")
        self.write_program("old")
        self.git("init", "--quiet")
        self.git("add", ".")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "base")
        self.write_program("new")  # not committed: the work tree as it is

    def git(self, *arguments):
        subprocess.run(["git", "-C", self.root, *arguments], check=True)

    def write_program(self, side):
        (self.root / "pacbench").write_text(PROGRAM % side)
        (self.root / "pacbench").chmod(0o755)

    def bench_compare(self, *arguments, **variables):
        """The exit code, the standard error, and the recorded arguments of the programs."""
        record = self.root.parent / "record"
        record.unlink(missing_ok=True)
        done = subprocess.run([self.root / "tools/bench-compare", *arguments],
                              env={**os.environ, "RUNS": "2", "RECORD": str(record), **variables},
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stderr, record.read_text().splitlines() if record.exists() else []

    def test_base_and_head_run_by_turns_and_are_then_compared(self):
        code, said, record = self.bench_compare("HEAD", "--threshold", "7")
        self.assertEqual(code, 0, said)
        runs = f"{self.root}/build/bench-compare/runs"
        self.assertEqual(record[:4], [f"old {runs}/base/1", f"new {runs}/head/1",
                                      f"old {runs}/base/2", f"new {runs}/head/2"])
        self.assertEqual(len(record), 7)
        for line in record[4:]:
            self.assertTrue(line.startswith(f"compare {runs}/base {runs}/head --threshold 7"), line)

    def test_the_verdict_is_that_of_compare(self):
        for verdict in (1, 3, 4):
            code, said, _ = self.bench_compare("HEAD", COMPARE_CODE=str(verdict))
            self.assertEqual(code, verdict, said)

    def test_a_second_time_another_base_is_taken_and_old_runs_are_gone(self):
        self.bench_compare("HEAD")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-a", "-m", "b")
        _, said, record = self.bench_compare("HEAD")
        self.assertTrue(record[0].startswith("new "), said)
        _, said, record = self.bench_compare("HEAD^")
        self.assertTrue(record[0].startswith("old "), said)

    def test_suspect_links_are_left_to_compare(self):
        code, said, record = self.bench_compare("HEAD", RUN_CODE_new="3")
        self.assertEqual((code, len(record)), (0, 7), said)

    def test_a_run_of_the_work_tree_that_fails_is_its_fault_and_one_of_base_is_not(self):
        code, said, record = self.bench_compare("HEAD", RUN_CODE_new="1")
        self.assertEqual((code, len(record)), (1, 2))
        self.assertIn("run 1 of head ended with 1", said)
        code, said, _ = self.bench_compare("HEAD", RUN_CODE_old="1")
        self.assertEqual(code, 2)
        self.assertIn("run 1 of base ended with 1", said)

    def test_builds_that_are_not_alike_are_refused(self):
        subprocess.run(["cmake", "-S", self.root, "--preset", "release", "-DCMAKE_BUILD_TYPE=Debug"],
                       check=True, capture_output=True)
        code, said, record = self.bench_compare("HEAD")
        self.assertEqual((code, record), (2, []))
        self.assertIn("CMAKE_BUILD_TYPE=Debug", said)

    def test_mistakes_are_said_before_anything_is_built(self):
        for arguments, runs, words in ((["no-such"], "2", '"no-such"'), ([], "2", "found no revision"),
                                       (["HEAD"], "none", "RUNS=none")):
            code, said, record = self.bench_compare(*arguments, RUNS=runs)
            self.assertEqual((code, record), (2, []))
            self.assertIn(words, said)
        self.assertFalse((self.root / "build").exists())


if __name__ == "__main__":
    unittest.main()

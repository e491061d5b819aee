"""tools/bench-compare builds the right two trees, runs them by turns and gives compare's verdict.

The tests use a repository of their own, whose build makes a `pacbench` that records its arguments.
"""
import shutil
import subprocess

from scripts import ROOT, ScriptTest

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


class BenchCompare(ScriptTest):
    def setUp(self):
        super().setUp()
        self.root = self.folder / "project"
        (self.root / "tools").mkdir(parents=True)
        (self.root / "scenarios").mkdir()
        for name in ("bench-compare", "common.sh"):
            shutil.copy(ROOT / "tools" / name, self.root / "tools" / name)
        (self.root / "scenarios/smoke.json").write_text("{}")
        (self.root / "CMakePresets.json").write_text(PRESETS)
        (self.root / "CMakeLists.txt").write_text(LISTS)
        (self.root / ".gitignore").write_text("/build/\n/.venv\n")
        self.write_program("old")
        self.git("init", "--quiet")
        self.git("add", ".")
        self.commit()
        self.write_program("new")  # not committed: the work tree as it is

    def git(self, *arguments):
        subprocess.run(["git", "-C", self.root, *arguments], check=True)

    def commit(self):
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--all", "-m", "some")

    def write_program(self, side):
        (self.root / "pacbench").write_text(PROGRAM % side)
        (self.root / "pacbench").chmod(0o755)

    def bench_compare(self, *arguments, code=0, **variables):
        """The standard error, and the recorded arguments of the programs."""
        record = self.folder / "record"
        record.unlink(missing_ok=True)
        done = self.run_script("bench-compare", *arguments, codes=(code,), root=self.root,
                               **{"RUNS": 2, "RECORD": record} | variables)
        return done.stderr, record.read_text().splitlines() if record.exists() else []

    def test_base_and_head_run_by_turns_and_are_then_compared(self):
        _, record = self.bench_compare("HEAD", "--threshold", "7")
        runs = f"{self.root}/build/bench-compare/runs"
        self.assertEqual(record[:4], [f"old {runs}/base/1", f"new {runs}/head/1",
                                      f"old {runs}/base/2", f"new {runs}/head/2"])
        self.assertEqual(len(record), 7)
        for line in record[4:]:
            self.assertTrue(line.startswith(f"compare {runs}/base {runs}/head --threshold 7"), line)

    def test_the_verdict_is_that_of_compare_where_links_are_suspect_too(self):
        for verdict in (0, 1, 3, 4):
            _, record = self.bench_compare("HEAD", code=verdict, COMPARE_CODE=verdict, RUN_CODE_new=3)
            self.assertEqual(len(record), 7)

    def test_a_second_time_another_base_is_taken_and_old_runs_are_gone(self):
        self.bench_compare("HEAD")
        self.commit()
        for base, side in (("HEAD", "new "), ("HEAD^", "old ")):
            said, record = self.bench_compare(base)
            self.assertTrue(record[0].startswith(side), said)

    def test_a_run_of_the_work_tree_that_fails_is_its_fault_and_one_of_base_is_not(self):
        said, record = self.bench_compare("HEAD", code=1, RUN_CODE_new=1)
        self.assertEqual(len(record), 2)
        self.assertIn("run 1 of head ended with 1", said)
        said, _ = self.bench_compare("HEAD", code=2, RUN_CODE_old=1)
        self.assertIn("run 1 of base ended with 1", said)

    def test_builds_that_are_not_alike_are_refused(self):
        subprocess.run(["cmake", "-S", self.root, "--preset", "release", "-DCMAKE_BUILD_TYPE=Debug"],
                       check=True, capture_output=True)
        said, record = self.bench_compare("HEAD", code=2)
        self.assertEqual(record, [])
        self.assertIn("CMAKE_BUILD_TYPE=Debug", said)

    def test_mistakes_are_said_before_anything_is_built(self):
        for arguments, runs, words in ((["no-such"], "2", '"no-such"'), ([], "2", "found no revision"),
                                       (["HEAD"], "none", "RUNS=none")):
            said, record = self.bench_compare(*arguments, code=2, RUNS=runs)
            self.assertEqual(record, [])
            self.assertIn(words, said)
        self.assertFalse((self.root / "build").exists())

"""tools/prepare and tools/build install and compile what is asked for, in an order that wastes no time.

The tests use CMake and Ninja in a project of their own, whose targets record that they were made. A
script stands in for tools/setup.
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
option(PACBENCH_TRAINER "" ON)
option(PACBENCH_TESTS "" ON)
file(APPEND ${CMAKE_SOURCE_DIR}/record "configure trainer=${PACBENCH_TRAINER} tests=${PACBENCH_TESTS}\\n")
function(make name)
  add_custom_command(OUTPUT ${name} COMMAND ${CMAKE_COMMAND} -E touch ${name}
                     COMMAND echo make ${name} >> ${CMAKE_SOURCE_DIR}/record)
endfunction()
make(harness)
set(made harness)
if(PACBENCH_TRAINER)
  make(worker)
  list(APPEND made worker)
endif()
add_custom_target(programs DEPENDS ${made})
if(PACBENCH_TESTS)
  make(tests)
  add_custom_target(all_tests ALL DEPENDS tests ${made})
endif()
"""
# The stand-in for tools/setup. With WAIT its Python half lasts until the first build has ended.
SETUP = """#!/bin/bash
set -e
cd "$(dirname "$0")/.."
if [[ $* == *python* && -n $WAIT ]]; then
  for ((i = 0; i < 300; ++i)); do
    ! grep -q "make harness" record || break
    sleep 0.1
  done
fi
echo "setup $*" >>record
[[ $* != *python* ]] || exit "${PYTHON_CODE:-0}"
"""


class Prepare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        (self.root / "tools").mkdir()
        for name in ("prepare", "build", "common.sh"):
            shutil.copy(TOOLS / name, self.root / "tools" / name)
        (self.root / "tools/setup").write_text(SETUP)
        (self.root / "tools/setup").chmod(0o755)
        (self.root / "CMakePresets.json").write_text(PRESETS)
        (self.root / "CMakeLists.txt").write_text(LISTS)
        self.record = self.root / "record"

    def call(self, name, *arguments, **variables):
        """The exit code, the standard error, and the recorded actions."""
        self.record.write_text("")
        done = subprocess.run([self.root / "tools" / name, *arguments], capture_output=True, text=True,
                              env={**os.environ, "WAIT": "", **variables}, check=False)
        return done.returncode, done.stderr, self.record.read_text().splitlines()

    def test_what_needs_no_torch_is_compiled_while_torch_comes(self):
        code, said, record = self.call("prepare", WAIT="1")
        self.assertEqual(code, 0, said)
        self.assertEqual(record, ["setup --only packages", "configure trainer=OFF tests=OFF", "make harness",
                                  "setup --only python", "configure trainer=ON tests=OFF", "make worker"])

    def test_tests_are_installed_and_compiled_when_they_are_asked_for(self):
        code, said, record = self.call("prepare", "--tests", WAIT="1")
        self.assertEqual(code, 0, said)
        self.assertEqual(record[0], "setup --only packages --tests")
        self.assertIn("setup --only python --tests", record)
        self.assertEqual(record[-3], "configure trainer=ON tests=ON")
        self.assertEqual(set(record[-2:]), {"make worker", "make tests"})

    def test_a_second_time_nothing_is_configured_or_made(self):
        self.call("prepare")
        for _ in range(2):
            code, said, record = self.call("prepare")
            self.assertEqual((code, record), (0, ["setup --only packages", "setup --only python"]), said)

    def test_programs_after_tests_configure_nothing_anew_and_make_no_test(self):
        self.call("prepare", "--tests")
        for made in ("harness", "tests"):
            (self.root / "build" / made).unlink()
        code, said, record = self.call("prepare")
        self.assertEqual(code, 0, said)
        self.assertEqual(record[2:], ["make harness"])

    def test_without_torch_it_fails_and_says_so(self):
        code, said, record = self.call("prepare", PYTHON_CODE="1")
        self.assertEqual(code, 1)
        self.assertIn("torch is not installed", said)
        self.assertNotIn("make worker", record)
        code, said, record = self.call("prepare")
        self.assertEqual(code, 0, said)
        self.assertIn("make worker", record)

    def test_a_setting_that_is_as_asked_configures_nothing(self):
        self.call("build", "-D", "PACBENCH_TRAINER=OFF")
        self.assertEqual(self.call("build", "-D", "PACBENCH_TRAINER=OFF")[2], [])
        self.assertEqual(self.call("build", "-D", "PACBENCH_TRAINER=ON")[2],
                         ["configure trainer=ON tests=OFF", "make worker"])

    def test_how_long_each_part_took_is_said(self):
        _, said, _ = self.call("prepare")
        for part in ("Debian's packages", "torch", "building"):
            self.assertRegex(said, rf"prepare: {part}.*: \d+ s \(\d+ \+ \d+ s of CPU\)")

    def test_what_is_not_understood_is_an_error(self):
        code, said, _ = self.call("build", "--test")
        self.assertEqual(code, 1)
        self.assertIn('found "--test"', said)


if __name__ == "__main__":
    unittest.main()

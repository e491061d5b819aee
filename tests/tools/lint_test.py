"""tools/lint passes a correct file and finds the mistake in another."""
import os

from scripts import ROOT, ScriptTest


class Lint(ScriptTest):
    def test_a_file_in_order_passes(self):
        self.run_script("lint", "base/cpu_times.cc")

    def test_a_mistake_is_found(self):
        mistake = self.folder / "mistake.cc"
        mistake.write_text("#include <string>\nbool f(const std::string& s) { return s.size() == 0; }\n")
        said = self.run_script("lint", mistake, codes=range(1, 256)).stdout
        self.assertIn("mistake.cc:2", said)

    def test_shellcheck_reads_the_bash_scripts_of_every_folder(self):
        fake = self.folder / "shellcheck"
        fake.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\nexit 1\n')
        fake.chmod(0o755)
        fake_first = f"{self.folder}:{os.environ['PATH']}"
        read = self.run_script("lint", codes=(1,), PATH=fake_first).stdout.splitlines()
        bash = (b"#!/usr/bin/env bash", b"#!/bin/bash")
        scripts = [path for folder in ("tools", "tests", ".ci") for path in (ROOT / folder).rglob("*")
                   if path.is_file() and path.read_bytes().partition(b"\n")[0] in bash]
        self.assertGreater(len({script.parent for script in scripts}), 3)
        self.assertEqual({str(script.relative_to(ROOT)) for script in scripts} - set(read), set())

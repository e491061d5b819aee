"""tools/setup, which has run in this checkout before, finds what it needs and installs nothing."""
from scripts import ROOT, ScriptTest


class Setup(ScriptTest):
    def test_a_second_time_it_changes_nothing(self):
        stamps = {path: path.stat().st_mtime_ns for path in (ROOT / ".venv").glob(".pacbench-*")}
        self.assertTrue(stamps)
        said = self.run_script("setup").stderr
        self.assertNotIn("installing", said)
        for path, written_ns in stamps.items():
            self.assertEqual(path.stat().st_mtime_ns, written_ns, path)

    def test_what_it_does_not_know_is_refused(self):
        self.assertIn("rocm", self.run_script("setup", "--torch", "rocm", codes=(1,)).stderr)

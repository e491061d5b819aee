"""tools/check-wheel installs the wheel in a bare Debian, runs it and uninstalls it."""
from scripts import ScriptTest


class CheckWheel(ScriptTest):
    def test_the_wheel_works_where_nothing_else_is_installed(self):
        said = self.run_script("check-wheel", TMPDIR=self.folder)
        self.assertIn("the wheel works in a bare Debian", said.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

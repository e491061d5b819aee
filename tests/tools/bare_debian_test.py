"""tools/bare-debian makes a Debian on which nothing is installed, and tools/check-bare-debian clones into one."""
import re
from pathlib import Path

from scripts import ScriptTest


class BareDebian(ScriptTest):
    def test_commands_see_a_debian_12_and_none_of_the_host(self):
        root = self.folder / "root"
        self.run_script("bare-debian", "make", root)
        said = self.run_script("bare-debian", "enter", root, "--in", "/usr", "--set", "GREETING=hello", "bash", "-c",
                               'pwd; echo "$GREETING$FROM_HOST"; . /etc/os-release; echo $VERSION_ID; '
                               "command -v git gcc || echo none", FROM_HOST="seen").stdout
        self.assertEqual(said.split(), ["/usr", "hello", "12", "none"])
        self.run_script("bare-debian", "enter", root, "false", codes=(1,))
        self.assertNotIn(str(root), Path("/proc/self/mounts").read_text())


class CheckBareDebian(ScriptTest):
    def test_commands_run_in_a_clone_of_head_and_their_times_are_said(self):
        said = self.run_script("check-bare-debian", "test -x tools/setup && ! command -v git", TMPDIR=self.folder).stderr
        self.assertTrue(re.search(r"test -x .*: \d+ s", said), said)
        self.assertTrue(re.search(r"received \d+ MB", said), said)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_command_that_fails_is_its_failure(self):
        self.run_script("check-bare-debian", "exit 7", codes=(7,), TMPDIR=self.folder)

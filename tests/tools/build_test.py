"""tools/build leaves nothing that is out of date."""
import subprocess

from scripts import ROOT, ScriptTest


class Build(ScriptTest):
    def test_afterwards_there_is_nothing_to_be_built(self):
        self.run_script("build", "--tests")
        # A real run of ninja, since a dry run stops at the list of sources, which each run remakes.
        left = subprocess.run(["ninja", "-C", ROOT / "build"], capture_output=True, text=True, check=True)
        self.assertNotRegex(left.stdout, "Building|Linking")

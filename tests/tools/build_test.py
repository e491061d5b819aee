"""tools/build leaves nothing that is out of date."""
import subprocess

from scripts import ROOT, ScriptTest, main


class Build(ScriptTest):
    def test_afterwards_there_is_nothing_to_be_built(self):
        self.run_script("build", "--tests")
        # A dry run would stop at the list of sources, which is made anew each time.
        left = subprocess.run(["ninja", "-C", ROOT / "build"], capture_output=True, text=True, check=True)
        self.assertNotRegex(left.stdout, "Building|Linking")


if __name__ == "__main__":
    main()

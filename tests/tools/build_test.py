"""tools/build leaves nothing that is out of date."""
import subprocess

from scripts import ROOT, ScriptTest, main


class Build(ScriptTest):
    def test_afterwards_there_is_nothing_to_be_built(self):
        self.run_script("build", "--tests")
        left = subprocess.run(["ninja", "-C", ROOT / "build", "-n"], capture_output=True, text=True, check=True)
        self.assertIn("no work to do", left.stdout)


if __name__ == "__main__":
    main()

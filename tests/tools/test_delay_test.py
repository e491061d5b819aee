"""tools/test-delay runs tests that need netem, and no others."""
import re

from scripts import ScriptTest, main


class TestDelay(ScriptTest):
    def test_runs_those_of_a_kernel_with_netem(self):
        done = self.run_script("test-delay", "-R", "^(Kernel.Delay|Tools.check_layers)$",
                               root=self.linked_checkout())
        ran = re.findall(r"Test +#\d+: (\S+) ", done.stdout)
        self.assertEqual(ran, ["Kernel.Delay"])


if __name__ == "__main__":
    main()

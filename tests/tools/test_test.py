"""tools/test sets up, builds and runs the tests that it is asked for."""
import re

from scripts import ScriptTest, main


class Test(ScriptTest):
    def run_tests(self, *options):
        """Of one that fails in no way but by its own fault, so that its end is that of tools/test."""
        done = self.run_script("test", *options, root=self.linked_checkout())
        return re.findall(r"Test +#\d+: (\S+) \.* +Passed", done.stdout)

    def test_runs_what_is_named(self):
        self.assertEqual(self.run_tests("-R", "^Tools.check_layers$"), ["Tools.check_layers"])


if __name__ == "__main__":
    main()

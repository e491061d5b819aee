"""tools/test sets up, builds and runs the tests that it is asked for."""
import re

from scripts import ScriptTest, main


class Test(ScriptTest):
    def test_runs_what_is_named(self):
        done = self.run_script("test", "-R", "^Tools.check_layers$", root=self.linked_checkout())
        self.assertEqual(re.findall(r"Test +#\d+: (\S+) \.* +Passed", done.stdout), ["Tools.check_layers"])


if __name__ == "__main__":
    main()

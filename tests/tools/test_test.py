"""tools/test sets up, builds and runs the tests that it is asked for."""
import re

from scripts import ScriptTest


class Test(ScriptTest):
    def test_runs_what_is_named(self):
        done = self.run_script("test", "-R", "^Tools.check_layers$", root=self.linked_checkout())
        self.assertEqual(re.findall(r"Test +#\d+: (\S+) \.* +Passed", done.stdout), ["Tools.check_layers"])

    def test_lists_the_tests_of_a_group(self):
        listed = self.run_script("test", "source", "-N", root=self.linked_checkout()).stdout
        names = set(re.findall(r"Test +#\d+: (\S+)", listed))
        self.assertTrue({"Source.IsFormatted", "Tools.check_layers"} <= names)
        self.assertFalse({name for name in names if name.startswith(("Kernel.", "Gate.", "Fabric."))})

    def test_leaves_out_what_needs_other_machines_unless_asked(self):
        listed = self.run_script("test", "-N", root=self.linked_checkout()).stdout
        self.assertNotRegex(listed, r"Kernel\.Loss|Cluster\.slurm|Plots\.browser")
        self.assertRegex(listed, r"Cluster\.hosts")

    def test_refuses_a_word_that_is_no_group(self):
        self.assertIn("fast, source", self.run_script("test", "quick", codes=(1,)).stderr)

"""tools/experiments/disturbed-links finds links that are other than declared, though the CPUs are taken away."""
from scripts import ScriptTest, needs_links


@needs_links
class DisturbedLinks(ScriptTest):
    def test_each_fault_is_found_and_good_links_are_not_blamed(self):
        done = self.run_script("experiments/disturbed-links", "--times", "1")
        rows = [line.split("|")[1:3] for line in done.stdout.splitlines()[2:]]
        self.assertEqual([(fault.strip(), found.strip()) for fault, found in rows],
                         [("none", "0 of 1"), ("slow", "1 of 1"), ("fast", "1 of 1"), ("queue", "1 of 1")])

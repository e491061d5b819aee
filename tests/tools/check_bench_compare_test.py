"""tools/check-bench-compare finds what is planted, with tools/bench-compare over two real builds."""
from scripts import ScriptTest


class CheckBenchCompare(ScriptTest):
    def test_one_percent_more_bytes_are_found_with_two_runs_of_each(self):
        said = self.run_script("check-bench-compare", "payload", RUNS=2).stderr
        self.assertIn("payload: exit code 1, expected 1", said)

"""tools/experiments/paused-machine stops a second kernel again and again while pacbench runs there."""
import json

from scripts import ROOT, ScriptTest


class PausedMachine(ScriptTest):
    def test_a_run_on_a_machine_that_is_stopped_gives_an_answer(self):
        done = self.run_script("experiments/paused-machine", ROOT / "scenarios/smoke.json", "--set", "/workers=2",
                               "--set", "/workload/max_iterations=60", "--only", "method=all-reduce", "--no-progress",
                               "--out", self.folder / "run", codes=(0, 77))
        if done.returncode == 77:
            self.skipTest(f"no second kernel here: {done.stderr.strip()}")
        self.assertGreater(json.loads(done.stdout.splitlines()[-1])["stops"], 10)
        cell, = json.loads((self.folder / "run/result.json").read_text())["cells"]
        self.assertEqual((cell["status"], cell["link_verdict"]["word"]), ("done", "ok"), cell["link_verdict"])
        self.assertEqual(cell["machine_verdict"]["word"], "disturbed", cell["machine_verdict"])

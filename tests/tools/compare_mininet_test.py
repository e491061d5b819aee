"""tools/experiments/compare-mininet measures Mininet's links and ours by the same probes."""
import json
import subprocess
import unittest

from scripts import ROOT, ScriptTest, main

# Mininet puts its bridge into the network where it runs, and brctl looks for it in /sys.
IN_OWN_NETWORK = ["unshare", "--net", "--mount", "sh", "-c",
                  'mount -t sysfs sysfs /sys && ip link set lo up && exec "$@"', "sh"]


class CompareMininet(ScriptTest):
    def test_one_flow_gets_what_the_rate_carries_over_both(self):
        out = self.folder / "ratios.json"
        command = [*IN_OWN_NETWORK, ROOT / "tools/experiments/compare-mininet", "--rates", "100", "--workers", "3", "--rounds", "1",
                   "--repeat", "1", "--json", out]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        # Code 1 means that pacbench is not nearer on most rows, which one round does not decide.
        self.assertIn(done.returncode, (0, 1), done.stdout + done.stderr)
        flow = next(row for row in json.loads(out.read_text()) if row["quantity"] == "flow")
        for network in ("pacbench", "Mininet"):
            self.assertAlmostEqual(flow[network][0], 1, delta=0.1)
        self.assertIn("| 100 | flow", done.stdout)


if __name__ == "__main__":
    main()

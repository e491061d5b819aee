"""tools/compare-mininet measures Mininet's links and ours by the same probes."""
import json
import subprocess

from scripts import ScriptTest, main


def links():
    return subprocess.run(["ip", "-brief", "link"], capture_output=True, text=True, check=True).stdout


class CompareMininet(ScriptTest):
    def test_both_networks_are_measured_and_nothing_is_left_on_the_host(self):
        before, out = links(), self.folder / "ratios.json"
        said = self.run_script("compare-mininet", "--rates", "100", "--workers", "2", "--rounds", "1", "--repeat", "1",
                               "--json", out, codes=(0, 1))
        rows = json.loads(out.read_text())
        self.assertTrue(rows)
        flow = next(row for row in rows if row["quantity"] == "one flow")
        for network in ("pacbench", "Mininet"):
            self.assertAlmostEqual(flow[network][0], 1, delta=0.1)
        self.assertIn("| 100 | one flow", said.stdout)
        self.assertEqual(links(), before)


if __name__ == "__main__":
    main()

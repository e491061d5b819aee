"""tools/ci-run runs a scenario, checks it against its gates and writes what a CI server shows."""
import json
import xml.etree.ElementTree as xml

from scripts import ROOT, ScriptTest, needs_links

SHORT = ROOT / "scenarios/gates.json"


class Mistakes(ScriptTest):
    def test_in_what_was_asked_for_end_with_2_and_what_was_expected(self):
        for arguments, program, expected in (
                (["scenario.json", "--gate"], "true", "expected --gates, --baseline, --out or"),
                (["scenario.json", "--gates"], "true", "expected a file or folder"),
                ([], "true", "found no scenario, expected"),
                (["scenario.json"], "no-such-program", "found no no-such-program, expected")):
            with self.subTest(arguments):
                done = self.run_script("ci-run", *arguments, codes=(2,), PACBENCH=program)
                self.assertIn(expected, done.stderr)
                self.assertEqual(list(self.folder.iterdir()), [])


@needs_links
class CiRun(ScriptTest):
    def write(self, name: str, document: dict) -> str:
        (self.folder / name).write_text(json.dumps(document))
        return name

    def scenario(self, gates: list[dict]) -> str:
        document = json.loads(SHORT.read_text())
        document.update(seeds=[1], gates=gates)
        document["workload"]["max_iterations"] = 12
        document["methods"] = document["methods"][:2]
        return self.write("short.json", document)

    def test_gates_that_hold_end_with_0_and_leave_a_table_a_page_and_a_test_suite(self):
        bytes_halved = {"method": "fp16", "metric": "bytes", "over": "all-reduce", "min": 0.45, "max": 0.55}
        summary = self.folder / "job.md"
        done = self.run_script("ci-run", self.scenario([bytes_halved]), "--out", "out", GITHUB_STEP_SUMMARY=summary)
        self.assertIn("| fp16", done.stdout)
        self.assertIn("1 hold", done.stdout)
        self.assertEqual(summary.read_text(), (self.folder / "out/summary.md").read_text())
        suite = xml.parse(self.folder / "out/gates.xml").getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("1", "0"))
        self.assertTrue((self.folder / "out/run/result.json").exists())

    def test_a_broken_gate_ends_with_1_and_is_an_annotation(self):
        gates = self.write("gates.json", {"gates": [
            {"method": "fp16", "metric": "bytes", "over": "all-reduce", "max": 0.1}]})
        done = self.run_script("ci-run", self.scenario([]), "--gates", gates, codes=(1,), GITHUB_ACTIONS="true")
        self.assertIn("::error title=pacbench gate::", done.stderr)
        suite = xml.parse(self.folder / "pacbench-ci/gates.xml").getroot()
        self.assertEqual(suite.get("failures"), "1")

    def test_a_mistake_in_a_gate_ends_with_2_and_its_place(self):
        done = self.run_script("ci-run", self.scenario([{"method": "fp17", "metric": "bytes", "max": 1}]), codes=(2,))
        self.assertIn("/gates/0/method", done.stdout + done.stderr)

    def test_a_run_like_the_baseline_passes(self):
        scenario = self.scenario([])
        self.run_script("ci-run", scenario, "--out", "first")
        done = self.run_script("ci-run", scenario, "--out", "second", "--baseline", "first/run")
        self.assertIn("Deterministic gate", done.stdout)

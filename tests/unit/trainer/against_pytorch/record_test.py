"""Records the trainings again with the torch of tools/setup --python-torch, and compares them with
recorded.json. `record_test.py --record` writes that file."""
import json
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
RECORDED = HERE / "recorded.json"
# Last bits depend on the processor: plain instructions in place of AVX-512 move losses by 4e-5.
TOLERANCE = 5e-4


def record() -> str:
    subprocess.run([ROOT / "tools/setup", "--python-torch"], check=True, stdout=sys.stderr)
    return subprocess.run([ROOT / ".venv/bin/python", HERE / "record.py"], check=True, text=True, timeout=1500,
                          stdout=subprocess.PIPE).stdout


def differences(found: dict, expected: dict) -> list[str]:
    """Where two recordings have other trainings, or other results than TOLERANCE allows."""
    if found["torch"] != expected["torch"]:
        return [f"torch is {found['torch']}, recorded.json was made with {expected['torch']}"]
    if [one["name"] for one in found["cases"]] != [one["name"] for one in expected["cases"]]:
        return ["record.py has other trainings than recorded.json"]
    wrong = []
    for own, other in zip(found["cases"], expected["cases"]):
        if any(own[key] != other[key] for key in other if key not in ("losses", "weights")):
            wrong.append(f"{own['name']}: other options than were recorded")
        losses = max(abs(a - b) for mine, theirs in zip(own["losses"], other["losses"], strict=True)
                     for a, b in zip(mine, theirs, strict=True))
        weights = max(abs(a - b) / theirs[1] for name, theirs in other["weights"].items()
                      for a, b in zip(own["weights"][name][1:], theirs[1:], strict=True))
        print(f"{own['name']}: losses within {losses:.1e}, weights within {weights:.1e}")
        if not max(losses, weights) < TOLERANCE:
            wrong.append(f"{own['name']}: losses differ by {losses}, weights by {weights}, allowed {TOLERANCE}")
    return wrong


class Recorded(unittest.TestCase):
    def test_is_what_the_recorder_gives_again(self):
        self.assertEqual(differences(json.loads(record()), json.loads(RECORDED.read_text())), [])

    def test_is_not_what_it_was_when_a_loss_or_a_weight_is_another(self):
        expected = json.loads(RECORDED.read_text())
        for change in (lambda case: case["losses"][-1].__setitem__(0, case["losses"][-1][0] + 2 * TOLERANCE),
                       lambda case: case["weights"]["fc1.weight"].__setitem__(1, 0.0),
                       lambda case: case["method"].__setitem__("name", "another")):
            found = json.loads(RECORDED.read_text())
            change(found["cases"][3])
            self.assertEqual(len(differences(found, expected)), 1)


if __name__ == "__main__":
    if sys.argv[1:] == ["--record"]:
        RECORDED.write_text(record())
    else:
        unittest.main()

"""tools/gpu-evidence refuses to begin without a GPU; its rehearsal takes every step and packs a file."""
import json
import os
import re
import runpy
import socket
import tarfile
import unittest
from pathlib import Path

from scripts import ROOT, ScriptTest, needs_links

NO_GPU = not Path("/proc/driver/nvidia/version").exists()
EVIDENCE = runpy.run_path(str(ROOT / "tools/gpu-evidence"))


class ExitCode(unittest.TestCase):
    def test_is_0_when_all_is_done_that_the_minutes_allow(self):
        steps = [step for step in EVIDENCE["steps_on_gpu"]() if step.name.startswith("curves-")]
        left_out = EVIDENCE["take_all"](steps, 20)
        self.assertEqual([step["status"] for step in left_out], ["needs more minutes"] * 2)
        done, late = {"status": "done"}, {"status": "no time left"}
        self.assertEqual(EVIDENCE["exit_code"]([done, *left_out]), 0)
        self.assertEqual(EVIDENCE["exit_code"]([done, late, *left_out]), 1)
        self.assertEqual(EVIDENCE["exit_code"](left_out), 2)


@needs_links
class GpuEvidence(ScriptTest):
    @unittest.skipUnless(NO_GPU, "there is a GPU")
    def test_without_a_gpu_nothing_is_begun(self):
        said = self.run_script("gpu-evidence", "refused.tar.gz", codes=(2,)).stderr
        self.assertIn("no NVIDIA GPU", said)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_rehearsal_is_packed_without_names_and_reported_as_one(self):
        # So CTest writes its records, and the tool its folder of steps, into the linked checkout.
        self.run_script("gpu-evidence", "--rehearse", "made.tar.gz", root=self.linked_checkout())
        file = self.folder / "made.tar.gz"
        with tarfile.open(file) as archive:
            texts = {member.name: archive.extractfile(member).read() for member in archive if member.isfile()}
            self.assertEqual({member.uname + str(member.uid) for member in archive}, {"0"})
        evidence = json.loads(texts["gpu-evidence/evidence.json"])
        self.assertTrue(evidence["rehearsal"])
        self.assertEqual({step["name"]: step["status"] for step in evidence["steps"]},
                         dict.fromkeys(("tests", "kernels", "ddp", "wan100"), "done"))
        self.assertGreater(evidence["steps"][0]["tests"]["passed"], 0)
        programs = [json.loads(line)["program"] for line in texts["gpu-evidence/ddp.jsonl"].splitlines()]
        self.assertIn("DistributedDataParallel", programs)
        for name, text in texts.items():
            for private in (str(self.folder), str(ROOT), os.environ.get("HOME", "/home") + "/"):
                self.assertNotIn(private.encode(), text, name)
            self.assertIsNone(re.search(rf"\b{re.escape(socket.gethostname())}\b".encode(), text), name)
            archive.extractall(self.folder, filter="data")
        self.assertIn("rehearsal", self.pacbench("report", self.folder / "gpu-evidence/runs/wan100"))

    def test_what_does_not_fit_into_the_minutes_is_named(self):
        self.run_script("gpu-evidence", "--rehearse", "--minutes", "0", "none.tar.gz", codes=(2,),
                        root=self.linked_checkout())
        with tarfile.open(self.folder / "none.tar.gz") as archive:
            evidence = json.load(archive.extractfile("gpu-evidence/evidence.json"))
        self.assertEqual({step["status"] for step in evidence["steps"]}, {"needs more minutes"})

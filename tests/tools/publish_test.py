"""tools/publish packs the lines of a run, and refuses a run that does not verify."""
import gzip
import lzma
import shutil
import subprocess
from pathlib import Path

from scripts import PACBENCH, ROOT, ScriptTest, main

PUBLISHED = ROOT / "results/published/same-mean"


def text_of(path: Path) -> str:
    return (gzip if path.suffix == ".gz" else lzma).open(path, "rt").read()


def report(run: Path) -> str:
    return subprocess.run([PACBENCH, "report", run], capture_output=True, text=True, check=True).stdout


class Publish(ScriptTest):
    def setUp(self):
        super().setUp()
        self.run_folder = self.folder / "fresh"
        shutil.copytree(PUBLISHED, self.run_folder)
        for packed in self.run_folder.rglob("*.xz"):  # a run leaves its lines as .gz
            packed.with_suffix(".gz").write_bytes(gzip.compress(lzma.decompress(packed.read_bytes())))
            packed.unlink()
        self.lines = next(self.run_folder.rglob("iterations.jsonl.gz"))
        self.into = self.folder / "into"
        self.into.mkdir()

    def test_keeps_every_line_in_less_room(self):
        before = text_of(self.lines)
        self.run_script("publish", "--into", self.into, self.run_folder, "kept")
        self.assertEqual([folder.name for folder in self.into.iterdir()], ["kept"])
        packed = (self.into / "kept" / self.lines.relative_to(self.run_folder)).with_suffix(".xz")
        self.assertEqual(text_of(packed), before)
        self.assertLess(packed.stat().st_size, 0.8 * self.lines.stat().st_size)
        self.assertEqual(list(self.into.rglob("*.gz")), [])
        self.assertEqual(report(self.into / "kept"), report(self.run_folder))

    def test_leaves_what_is_there_when_a_run_does_not_verify(self):
        self.run_script("publish", "--into", self.into, self.run_folder)
        text = text_of(self.lines)
        self.lines.write_bytes(gzip.compress(text[:len(text) // 2].encode()))
        refused = self.run_script("publish", "--into", self.into, self.run_folder, codes=(1,))
        self.assertIn("is not published", refused.stderr)
        self.assertEqual(report(self.into / "fresh"), report(PUBLISHED))
        self.assertEqual([folder.name for folder in self.into.iterdir()], ["fresh"])

    def test_leaves_out_the_iterations_of_a_learning_run_alone(self):
        learned = ROOT / "results/published/methods-build-up-2"
        self.run_script("publish", "--into", self.into, "--without-iterations", learned, "curves")
        self.assertEqual(list(self.into.rglob("iterations*")), [])
        self.assertTrue(list(self.into.rglob("curve.jsonl*")))
        refused = self.run_script("publish", "--into", self.into, "--without-iterations", self.run_folder, codes=(2,))
        self.assertIn("expected a run in mode learn", refused.stderr)


if __name__ == "__main__":
    main()

"""tools/publish packs a run with all its lines, and refuses a run that does not verify."""
import gzip
import tarfile
from pathlib import Path

from scripts import ROOT, ScriptTest

PUBLISHED = ROOT / "results/published/same-mean.tar.xz"


def extract(archive: Path, folder: Path) -> None:
    folder.mkdir()
    with tarfile.open(archive) as files:
        files.extractall(folder)


class Publish(ScriptTest):
    def setUp(self):
        super().setUp()
        self.run_folder = self.folder / "fresh"
        extract(PUBLISHED, self.run_folder)
        for lines in self.run_folder.rglob("iterations.jsonl"):  # a run leaves its lines as .gz
            lines.with_suffix(".jsonl.gz").write_bytes(gzip.compress(lines.read_bytes()))
            lines.unlink()
        self.lines = next(self.run_folder.rglob("iterations.jsonl.gz"))
        self.into = self.folder / "into"
        self.into.mkdir()

    def test_keeps_every_line_and_gives_the_same_bytes_again(self):
        self.run_script("publish", "--into", self.into, self.run_folder, "kept")
        self.assertEqual([file.name for file in self.into.iterdir()], ["kept.tar.xz"])
        self.assertEqual((self.into / "kept.tar.xz").read_bytes(), PUBLISHED.read_bytes())
        self.assertEqual(self.pacbench("report", self.into / "kept"), self.pacbench("report", self.run_folder))

    def test_leaves_what_is_there_when_a_run_does_not_verify(self):
        self.run_script("publish", "--into", self.into, self.run_folder)
        text = gzip.decompress(self.lines.read_bytes())
        self.lines.write_bytes(gzip.compress(text[:len(text) // 2]))
        refused = self.run_script("publish", "--into", self.into, self.run_folder, codes=(1,))
        self.assertIn("is not published", refused.stderr)
        self.assertEqual((self.into / "fresh.tar.xz").read_bytes(), PUBLISHED.read_bytes())

    def test_leaves_out_the_iterations_of_a_learning_run_alone(self):
        learned = self.folder / "learned"
        extract(ROOT / "results/published/methods-build-up-2.tar.xz", learned)
        self.run_script("publish", "--into", self.into, "--without-iterations", learned, "curves")
        with tarfile.open(self.into / "curves.tar.xz") as files:
            names = files.getnames()
        self.assertFalse([name for name in names if "iterations" in name])
        self.assertTrue([name for name in names if name.endswith("curve.jsonl")])
        refused = self.run_script("publish", "--into", self.into, "--without-iterations", self.run_folder, codes=(2,))
        self.assertIn("expected a run in mode learn", refused.stderr)

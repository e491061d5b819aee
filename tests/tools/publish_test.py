"""tools/publish packs a run with all its lines, and refuses a run that does not verify."""
import gzip
import subprocess
import tarfile
from pathlib import Path

from scripts import PACBENCH, ROOT, ScriptTest, main

PUBLISHED = ROOT / "results/published/same-mean.tar.xz"


def lines_of(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as files:
        return {file.name: files.extractfile(file).read() for file in files}


def report(run: Path) -> str:
    return subprocess.run([PACBENCH, "report", run], capture_output=True, text=True, check=True).stdout


class Publish(ScriptTest):
    def setUp(self):
        super().setUp()
        self.run_folder = self.folder / "fresh"
        self.run_folder.mkdir()
        with tarfile.open(PUBLISHED) as files:
            files.extractall(self.run_folder)
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
        self.assertEqual(report(self.into / "kept"), report(self.run_folder))

    def test_leaves_what_is_there_when_a_run_does_not_verify(self):
        self.run_script("publish", "--into", self.into, self.run_folder)
        text = gzip.decompress(self.lines.read_bytes())
        self.lines.write_bytes(gzip.compress(text[:len(text) // 2]))
        refused = self.run_script("publish", "--into", self.into, self.run_folder, codes=(1,))
        self.assertIn("is not published", refused.stderr)
        self.assertEqual((self.into / "fresh.tar.xz").read_bytes(), PUBLISHED.read_bytes())

    def test_leaves_out_the_iterations_of_a_learning_run_alone(self):
        learned = self.folder / "learned"
        learned.mkdir()
        with tarfile.open(ROOT / "results/published/methods-build-up-2.tar.xz") as files:
            files.extractall(learned)
        self.run_script("publish", "--into", self.into, "--without-iterations", learned, "curves")
        names = lines_of(self.into / "curves.tar.xz").keys()
        self.assertFalse([name for name in names if "iterations" in name])
        self.assertTrue([name for name in names if name.endswith("curve.jsonl")])
        refused = self.run_script("publish", "--into", self.into, "--without-iterations", self.run_folder, codes=(2,))
        self.assertIn("expected a run in mode learn", refused.stderr)


if __name__ == "__main__":
    main()

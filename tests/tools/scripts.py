"""Runs scripts of tools/ as a person does, for the tests beside this file."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACBENCH = ROOT / "build/bin/pacbench"
BASELINE = ROOT / "results/baseline"


class ScriptTest(unittest.TestCase):
    """Runs scripts of this checkout or another one in a temporary folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

    def run_script(self, name: str, *arguments: object, codes=(0,), root=ROOT,
                   **variables: object) -> subprocess.CompletedProcess:
        """Runs a script. Fails, with the script's output, when its exit code is not in `codes`."""
        environment = os.environ | {key: str(value) for key, value in variables.items()}
        done = subprocess.run([root / "tools" / name, *map(str, arguments)], env=environment,
                              cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertIn(done.returncode, codes, f"{name}: {done.stdout}\n{done.stderr}")
        return done

    def pacbench(self, *words: object) -> str:
        """What pacbench prints."""
        return subprocess.run([PACBENCH, *map(str, words)], check=True, capture_output=True, text=True).stdout

    def check_files(self, name: str, files: dict[str, str], code: int) -> str:
        """What a script says of a folder with these files (path: text)."""
        root = Path(tempfile.mkdtemp(dir=self.folder))
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text + "\n")
        done = self.run_script(name, root, codes=(code,))
        return done.stdout + done.stderr

    def run_json_lines(self, name: str, *arguments: object) -> list[dict]:
        return [json.loads(line) for line in self.run_script(name, *arguments).stdout.splitlines()
                if line.startswith("{")]

    def linked_checkout(self) -> Path:
        """A folder with links to this checkout and its build, for scripts that run CTest. So they
        do not overwrite CTest's records of the tests that are running now."""
        checkout = self.folder / "checkout"
        for origin, copy in ((ROOT, checkout), (ROOT / "build", checkout / "build")):
            copy.mkdir()
            for entry in origin.iterdir():
                if entry.name not in ("build", "Testing"):
                    (copy / entry.name).symlink_to(entry)
        return checkout


def no_links_reason() -> str:
    """Why no network namespace can be made here; empty where one can."""
    if subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False).returncode == 0:
        return ""
    rootless = subprocess.run(["unshare", "--user", "--map-root-user", "--net", "true"], capture_output=True,
                              text=True, check=False)
    return rootless.returncode and f"neither root nor user namespaces here: {rootless.stderr.strip()}" or ""


needs_links = unittest.skipIf(no_links_reason(), no_links_reason())
needs_simgrid = unittest.skipUnless((PACBENCH.parent / "pacbench-simulate").exists(), "built without SimGrid")

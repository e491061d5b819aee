"""tools/build-wheel packs the programs, what they read, and the libraries that a bare Debian lacks, but not torch."""
import zipfile

from scripts import ScriptTest


class BuildWheel(ScriptTest):
    def test_it_has_the_programs_and_their_libraries_and_not_torch(self):
        self.run_script("build-wheel", self.folder / "dist")
        (wheel,) = (self.folder / "dist").iterdir()
        self.assertRegex(wheel.name, r"^pacbench-[\d.]+-py3-none-[\w.]*manylinux_2_\d+_x86_64\.whl$")
        names = zipfile.ZipFile(wheel).namelist()
        for program in ("pacbench", "pacbench-netd", "pacbench-worker", "pacbench-probe"):
            self.assertIn(f"pacbench/bin/{program}", names)
        for file in ("pacbench/__init__.py", "pacbench/hooks/__init__.py", "pacbench/share/pacbench/scenarios/smoke.json"):
            self.assertIn(file, names)
        libraries = [name for name in names if ".so" in name]
        self.assertTrue(any("libfmt" in name for name in libraries), libraries)
        self.assertFalse([name for name in libraries if "torch" in name or "cud" in name], libraries)

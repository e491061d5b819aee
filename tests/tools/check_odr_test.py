"""tools/check-odr finds two types of one name, and the project has none."""
import shutil

from scripts import ROOT, ScriptTest

PLANTED = {
    "others": "struct Twice { virtual ~Twice(); int value; }; Twice::~Twice() = default;",
    "meter": "struct Twice { virtual ~Twice(); double value; }; double value_of(const Twice& one) { return one.value; }",
}


class CheckOdr(ScriptTest):
    def test_the_project_has_none(self):
        self.run_script("check-odr")

    def test_two_types_of_one_name_are_found(self):
        copy = self.folder / "copy"
        shutil.copytree(ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns("build", ".git", "results", ".venv"))
        (copy / ".venv").symlink_to(ROOT / ".venv")
        for name, text in PLANTED.items():
            with open(copy / f"probe/{name}.cc", "a") as source:
                source.write(f"namespace pacbench::probe {{ {text} }}\n")
        said = self.run_script("check-odr", "pacbench-probe", root=copy, codes=(1,))
        self.assertIn("One Definition Rule", said.stderr + said.stdout)

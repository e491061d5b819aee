"""GitHub workflows, which run with a token: actions are pinned by commit, rights are few, and steps
are the project's own."""
import fnmatch
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHECKER = ROOT / ".venv/bin/check-jsonschema"  # has GitHub's schemas with it: tools/setup --tests installs it
WORKFLOWS = {file.name: file.read_text() for file in Path(ROOT, ".github/workflows").glob("*.yml")}


def top_level(text, key):
    """The lines below a key of the first column."""
    match = re.search(rf"^{key}:(.*(?:\n(?: .*)?)*)", text, re.MULTILINE)
    return match[1] if match else ""


def job_permissions(text):
    """The permissions that jobs ask for beyond those of their workflow."""
    blocks = re.findall(r"^    permissions:\n((?:      .*\n)+)", text, re.MULTILINE)
    return [right.strip() for block in blocks for right in block.splitlines()]


class Schemas(unittest.TestCase):
    def checked(self, schema, *files):
        command = [CHECKER, "--builtin-schema", f"vendor.github-{schema}", *files]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_workflows_and_the_action_are_what_github_takes(self):
        for schema, files in (("workflows", list(Path(ROOT, ".github/workflows").glob("*.yml"))),
                              ("actions", [ROOT / "action.yml"])):
            done = self.checked(schema, *files)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_key_that_github_does_not_take_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            for schema, text, right, wrong in (("workflows", WORKFLOWS["tests.yml"], "runs-on:", "run-on:"),
                                               ("actions", (ROOT / "action.yml").read_text(), "using:", "use:")):
                mistyped = Path(folder, f"{schema}.yml")
                mistyped.write_text(text.replace(right, wrong))
                done = self.checked(schema, mistyped)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn("Schema validation errors", done.stdout)


class KnownAttacks(unittest.TestCase):
    def findings(self, *files):
        command = [ROOT / ".venv/bin/zizmor", "--offline", "--no-progress", *files]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_none_is_open(self):
        done = self.findings(ROOT / ".github/workflows", ROOT / "action.yml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_title_that_becomes_part_of_a_script_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            open_to_titles = Path(folder, "tests.yml")
            open_to_titles.write_text(WORKFLOWS["tests.yml"].replace(
                "tools/test $TEST_GROUPS", "echo ${{ github.event.pull_request.title }}"))
            done = self.findings(open_to_titles)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("template-injection", done.stdout)


class Workflows(unittest.TestCase):
    def for_each(self, check):
        self.assertTrue(WORKFLOWS)
        for name, text in WORKFLOWS.items():
            with self.subTest(name):
                check(name, text)

    def test_actions_are_pinned_by_commit_and_say_their_version(self):
        def check(_, text):
            used = re.findall(r"uses: (.*)", text)
            self.assertTrue(used)
            for action in used:
                self.assertRegex(action, r"^[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")
        self.for_each(check)

    def test_by_default_a_workflow_may_only_read(self):
        self.for_each(lambda _, text: self.assertEqual(top_level(text, "permissions").split(),
                                                       ["contents:", "read"]))

    def test_only_the_comment_may_write_and_only_a_comment(self):
        rights = {name: job_permissions(text) for name, text in WORKFLOWS.items()}
        self.assertEqual({name: given for name, given in rights.items() if given},
                         {"benchmark.yml": ["pull-requests: write"]})

    def test_a_change_from_outside_never_runs_with_the_projects_rights(self):
        self.for_each(lambda _, text: self.assertNotRegex(text, "pull_request_target|workflow_run"))

    def test_no_checkout_leaves_its_token_behind(self):
        def check(_, text):
            self.assertEqual(text.count("actions/checkout@"),
                             text.count("persist-credentials: false"))
        self.for_each(check)

    def test_what_others_wrote_never_becomes_part_of_a_script(self):
        def check(_, text):
            scripts = re.findall(r"^ +-? ?run: (.*(?:\n {10,}.*)*)", text, re.MULTILINE)
            self.assertTrue(scripts)
            for script in scripts:
                self.assertNotRegex(script, r"\$\{\{ *(github|steps|needs|inputs)\b")
        self.for_each(check)

    def test_the_action_takes_what_its_user_says_from_the_environment_alone(self):
        action = (ROOT / "action.yml").read_text()
        scripts = re.findall(r"^ +run: \|\n((?: {8,}.*\n)+)", action, re.MULTILINE)
        self.assertEqual(len(scripts), 2)
        for script in scripts:
            self.assertNotIn("${{", script)
            checked = subprocess.run(["bash", "-n"], input=script, text=True, check=False)
            self.assertEqual(checked.returncode, 0, script)
        for used in re.findall(r"uses: (.*)", action):
            self.assertRegex(used, r"^[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")

    def test_a_change_of_code_for_gpus_is_compiled(self):
        paths = re.findall(r"^      - '?([^'\n]*)'?$", top_level(WORKFLOWS["image.yml"], "on"), re.MULTILINE)
        files = [str(file.relative_to(ROOT)) for folder in ("trainer/nccl", "trainer/kernels/cuda")
                 for file in Path(ROOT, folder).iterdir()]
        self.assertTrue(files)
        for file in files:
            self.assertTrue(any(fnmatch.fnmatch(file, path) for path in paths), file)

    def test_every_job_ends_some_day(self):
        self.for_each(lambda _, text: self.assertEqual(text.count("runs-on:"),
                                                       text.count("timeout-minutes:")))

    def test_the_scripts_that_they_call_exist(self):
        def check(_, text):
            for script in re.findall(r"(?<![\w/])(?:tools|\.ci)/[\w.-]*\w", text):
                self.assertTrue(Path(ROOT, script).is_file(), script)
        self.for_each(check)


if __name__ == "__main__":
    unittest.main()

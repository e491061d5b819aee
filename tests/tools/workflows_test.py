"""GitHub workflows, which run with a token: actions are pinned by commit, rights are few, and steps
are the project's own."""
import fnmatch
import re
import subprocess
import unittest
from pathlib import Path

from scripts import ROOT, ScriptTest

WORKFLOWS = {file.name: file.read_text() for file in Path(ROOT, ".github/workflows").glob("*.yml")}


def top_level(text, key):
    """The lines below a key of the first column."""
    match = re.search(rf"^{key}:(.*(?:\n(?: .*)?)*)", text, re.MULTILINE)
    return match[1] if match else ""


def job_permissions(text):
    """The permissions that jobs ask for beyond those of their workflow."""
    blocks = re.findall(r"^    permissions:\n((?:      .*\n)+)", text, re.MULTILINE)
    return [right.strip() for block in blocks for right in block.splitlines()]


def run(command, *words):
    """A program of .venv, which tools/setup --tests installs."""
    return subprocess.run([ROOT / ".venv/bin" / command, *words], capture_output=True, text=True, check=False)


class Schemas(ScriptTest):
    def test_workflows_and_the_action_are_what_github_takes_and_a_mistyped_key_is_found(self):
        mistyped = self.folder / "mistyped.yml"
        for schema, files, right, wrong in (
                ("workflows", sorted(Path(ROOT, ".github/workflows").glob("*.yml")), "runs-on:", "run-on:"),
                ("actions", [ROOT / "action.yml"], "using:", "use:")):
            check = ("check-jsonschema", "--builtin-schema", f"vendor.github-{schema}")
            done = run(*check, *files)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            mistyped.write_text(files[-1].read_text().replace(right, wrong))
            self.assertIn("Schema validation errors", run(*check, mistyped).stdout)


class KnownAttacks(ScriptTest):
    def test_none_is_open_and_a_title_that_becomes_part_of_a_script_is_found(self):
        check = ("zizmor", "--offline", "--no-progress")
        done = run(*check, ROOT / ".github/workflows", ROOT / "action.yml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        open_to_titles = self.folder / "tests.yml"
        open_to_titles.write_text(WORKFLOWS["tests.yml"].replace(
            "tools/test $TEST_GROUPS", "echo ${{ github.event.pull_request.title }}"))
        self.assertIn("template-injection", run(*check, open_to_titles).stdout)


class Workflows(unittest.TestCase):
    def for_each(self, check):
        self.assertTrue(WORKFLOWS)
        for name, text in WORKFLOWS.items():
            with self.subTest(name):
                check(name, text)

    def assert_pinned(self, actions):
        self.assertTrue(actions)
        for action in actions:
            self.assertRegex(action, r"^[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")

    def test_actions_are_pinned_by_commit_and_say_their_version(self):
        self.for_each(lambda _, text: self.assert_pinned(re.findall(r"uses: (.*)", text)))

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
        self.for_each(lambda _, text: self.assertEqual(text.count("actions/checkout@"),
                                                       text.count("persist-credentials: false")))

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
        self.assert_pinned(re.findall(r"uses: (.*)", action))

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

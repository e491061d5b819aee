"""What pacbench answers to command lines with mistyped or missing words, and to --help.

command_line_test.py PACBENCH SCENARIOS    SCENARIOS is the source tree's folder
"""
import contextlib
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PACBENCH, SCENARIOS = (Path(each).resolve() for each in sys.argv[1:3])
USAGE = 2


def pacbench(*words):
    return subprocess.run([PACBENCH, *words], capture_output=True, text=True, check=False)


def commands(*words):
    """Subcommands that the help names: a line each below their heading."""
    text = pacbench(*words, "--help").stdout
    below = text.partition("Subcommands:\n")[2]
    return re.findall(r"^  (\S+)", below, re.MULTILINE)


class Completion(unittest.TestCase):
    def words(self, *typed):
        return pacbench("__complete", *typed).stdout.split("\n")[:-1]

    def test_commands_options_and_scenarios_are_offered_where_they_may_stand(self):
        self.assertLessEqual(set(commands()), set(self.words()))
        self.assertIn("--resume", self.words("run"))
        self.assertIn("wan100", self.words("run"))
        self.assertIn("import", self.words("data"))
        self.assertNotIn("wan100", self.words("report"))

    def test_bash_completes_by_the_script(self):
        script = (f'PATH={PACBENCH.parent}:$PATH; source <(pacbench completion bash); COMP_WORDS=(pacbench run --res); '
                  'COMP_CWORD=2; _pacbench; echo "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout.split(), ["--resume"], done.stderr)

    def completed_by_zsh(self, line, script='source <(pacbench completion zsh)', fpath=""):
        """The command line after TAB, typed in a terminal, because zsh completes nowhere else."""
        with tempfile.TemporaryDirectory() as folder:
            typed = Path(folder, "typed")
            Path(folder, ".zshrc").write_text(
                f"PATH={PACBENCH.parent}:$PATH; cd {folder}; {fpath}\nautoload -Uz compinit && compinit -u -D\n{script}\n"
                f"tell-typed() {{ print -rn -- $BUFFER >{typed}; exit }}\nzle -N tell-typed; bindkey '^T' tell-typed\n")
            child, terminal = pty.fork()
            if child == 0:
                os.execvpe("zsh", ["zsh", "-d", "-i"], os.environ | {"ZDOTDIR": folder, "TERM": "dumb"})
            os.write(terminal, f"{line}\t\x14".encode())
            shown = b""
            with contextlib.suppress(OSError):  # raised when the terminal has ended
                while part := os.read(terminal, 4096):
                    shown += part
            os.close(terminal)
            os.waitpid(child, 0)
            self.assertTrue(typed.exists(), shown)
            return typed.read_text()

    def test_zsh_completes_commands_options_and_scenarios(self):
        for line, whole in (("pacbench vali", "pacbench validate "), ("pacbench run --res", "pacbench run --resume "),
                            ("pacbench run smok", "pacbench run smoke "), ("pacbench data imp", "pacbench data import ")):
            self.assertEqual(self.completed_by_zsh(line), whole)

    def test_zsh_completes_by_a_file_of_its_fpath_from_the_first_time_on(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "_pacbench").write_text(pacbench("completion", "zsh").stdout)
            self.assertEqual(self.completed_by_zsh("pacbench vali", script="", fpath=f"fpath+=({folder})"),
                             "pacbench validate ")

    def test_fish_completes_commands_options_and_scenarios(self):
        for line, words in (("pacbench re", {"recount", "report"}), ("pacbench run --res", {"--resume"}),
                            ("pacbench run smok", {"smoke"}), ("pacbench data imp", {"import"})):
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(
                    ["fish", "--no-config", "-c", f"pacbench completion fish | source; complete -C '{line}'"],
                    env=os.environ | {"PATH": f"{PACBENCH.parent}:{os.environ['PATH']}", "HOME": folder}, cwd=folder,
                    capture_output=True, text=True, check=False)
            self.assertLessEqual(words, set(done.stdout.split()), done.stderr)


class Mistyped(unittest.TestCase):
    def refused(self, *words, says=(), not_says=()):
        done = pacbench(*words)
        self.assertEqual(done.returncode, USAGE, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        for text in says:
            self.assertIn(text, done.stderr)
        for text in not_says:
            self.assertNotIn(text, done.stderr)

    def test_a_command_is_answered_with_the_nearest_one(self):
        self.refused("runn", says=['no command "runn"', 'did you mean "run"?', "pacbench --help"])
        self.refused("valdate", "wan100", says=['did you mean "validate"?'])
        self.refused("data", "imprt", says=["pacbench data:", 'did you mean "import"?', "pacbench data --help"])
        self.refused("xylophone", says=['no command "xylophone"', "pacbench --help"], not_says=["did you mean"])

    def test_an_option_is_answered_with_the_nearest_one_of_its_command(self):
        self.refused("run", "wan100", "--dryrun", says=["pacbench run:", 'did you mean "--dry-run"?'])
        self.refused("run", "--outt=x", "wan100", says=['no option "--outt"', 'did you mean "--out"?'])
        self.refused("--verison", says=['did you mean "--version"?'])

    def test_an_option_of_another_command_names_that_one(self):
        self.refused("-n", "4", "train.py", says=['no option "-n"; `pacbench exec` has it'])
        self.refused("run", "-n", "4", "train.py", says=['no option "-n"; `pacbench exec` has it'])

    def test_options_of_a_program_come_after_two_dashes(self):
        self.refused("exec", "-n", "2", "python3", "train.py", "--lr", "1",
                     says=['no option "--lr" (the program and its options come after --)'])
        self.refused("exec", "--rat", "100mbit", "--", "true", says=['did you mean "--rate"?'])

    def test_a_word_that_must_be_one_of_some_is_answered_with_the_nearest(self):
        self.refused("list", "metods", says=['found "metods"', 'did you mean "methods"?'])
        self.refused("report", "x", "--format", "jsn", says=["expected one of text, md", 'did you mean "json"?'])

    def test_one_word_too_many_or_too_few(self):
        self.refused("run", "wan100", "smoke", says=['"smoke"', "no more arguments"])
        self.refused("run", says=["pacbench run:", "SCENARIO", "pacbench run --help"])

    def test_a_scenario_is_answered_with_the_nearest_one_and_where_they_were_looked_for(self):
        self.refused("run", "wan10", says=['did you mean "wan100"?', str(SCENARIOS)])


class Help(unittest.TestCase):
    def test_a_command_that_needs_another_one_prints_its_help_when_it_stands_alone(self):
        for words in ([], ["data"], ["link"]):
            alone, asked = pacbench(*words), pacbench(*words, "--help")
            self.assertEqual((alone.returncode, asked.returncode), (0, 0))
            self.assertEqual(alone.stdout, asked.stdout)
            self.assertEqual(alone.stderr, "")
        self.assertIn("run", commands())
        self.assertEqual(commands("data"), ["import", "list"])

    def test_every_command_and_every_option_says_what_it_does_in_a_sentence(self):
        nested = [[group, each] for group in ("data", "link") for each in commands(group)]
        for words in [[each] for each in commands()] + nested:
            done = pacbench(*words, "--help")
            self.assertEqual(done.returncode, 0, words)
            entries = re.findall(r"^  (\S.*?)(?: {2,}|\n {4,})(\S.*)$", done.stdout, re.MULTILINE)
            count = len(re.findall(r"^  \S", done.stdout, re.MULTILINE))
            with self.subTest(command=words):
                self.assertEqual(len(entries), count, done.stdout)
                for name, said in entries:
                    self.assertRegex(said, "^[A-Z0-9]", name)


class Scenarios(unittest.TestCase):
    def test_list_has_every_file_of_the_source_tree_by_the_name_that_run_takes(self):
        listed = json.loads(pacbench("list", "scenarios", "--format", "json").stdout)
        files = {str(each.relative_to(SCENARIOS).with_suffix("")): str(each)
                 for each in SCENARIOS.rglob("*.json") if not each.stem.endswith(".profile")}
        self.assertEqual({each["name"]: each["path"] for each in listed}, files)
        text = pacbench("list", "scenarios").stdout
        self.assertRegex(text, r"(?m)^wan100 .*emulate.* auto .*8.*mlp.*digits.*100Mbps.*8 .*3$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

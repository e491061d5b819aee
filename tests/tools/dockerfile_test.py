"""tools/dockerfile.py reads what our Dockerfile says and refuses what it would get wrong."""
import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from dockerfile import Copy, DockerfileError, Run, Workdir, parse  # noqa: E402


class Dockerfile(unittest.TestCase):
    def refused(self, text, *parts, given=None):
        with self.assertRaises(DockerfileError) as caught:
            parse(text, given or {})
        for part in parts:
            self.assertIn(part, str(caught.exception))

    def test_ours_is_understood_in_both_variants(self):
        text = Path(ROOT, "Dockerfile").read_text()
        for torch in ("cpu", "cuda"):
            build, image = parse(text, {"TORCH": torch})
            self.assertEqual(build.arguments, {"TORCH": torch})
            self.assertEqual(image.entrypoint, ["pacbench"])
        self.assertEqual(parse(text, {})[0].arguments, {"TORCH": "cpu"})

    def test_ours_for_gpus_insists_on_what_is_for_them(self):
        build, _ = parse(Path(ROOT, "Dockerfile").read_text(), {})
        configure = next(step.command for step in build.steps
                         if isinstance(step, Run) and "cmake --preset" in step.command).split("&& tools/build")[0]
        for torch, expected in (("cuda", "ON"), ("cpu", "OFF")):
            output = subprocess.run(["sh", "-c", f'cmake() {{ echo "$@"; }}; {configure}'], text=True, check=True,
                                    env={"TORCH": torch, "PATH": os.environ["PATH"]}, capture_output=True)
            self.assertIn(f"PACBENCH_CUDA={expected} -D PACBENCH_NCCL={expected}", output.stdout)

    def test_continued_lines_are_one_command_and_comments_none(self):
        stages = parse("FROM a\nRUN one \\\n # why\n && two\n# three\nRUN four", {})
        self.assertEqual(stages[0].steps, [Run("one && two"), Run("four")])

    def test_steps_keep_their_order_and_stages_their_names(self):
        stages = parse("FROM a AS build\nWORKDIR /x\nCOPY b c/ d/\nFROM a\nCOPY --from=build /y /z", {})
        self.assertEqual(stages[0].steps, [Workdir("/x"), Copy(["b", "c/"], "d/")])
        self.assertEqual(stages[1].steps, [Copy(["/y"], "/z", "build")])

    def test_caches_of_a_command_are_known(self):
        stages = parse("FROM a\nRUN --mount=type=cache,target=/root/.cache make", {})
        self.assertEqual(stages[0].steps, [Run("make", ["/root/.cache"])])

    def test_an_argument_reaches_only_the_stages_that_ask_for_it(self):
        stages = parse("ARG A=1\nFROM a AS b\nARG A\nFROM a", {})
        self.assertEqual([stage.arguments for stage in stages], [{"A": "1"}, {}])

    def test_what_is_not_understood_is_refused_with_its_line(self):
        self.refused("FROM a\nVOLUME /x", "line 2", "VOLUME")
        self.refused("FROM a\n\nRUN --mount=type=secret,target=/x y", "line 3", "type=secret")
        self.refused("FROM a\nRUN --network=none y", "line 2", "--network=none")
        self.refused("FROM a\nCOPY --chown=b x y", "line 2", "--chown=b")
        self.refused("FROM a\nARG B=2", "line 2", "B=2")
        self.refused("FROM a\nRUN one \\", "line 2", "ends inside")
        self.refused("RUN one", "line 1", "FROM first")
        self.refused("# nothing", "no FROM")

    def test_a_value_for_an_unknown_argument_is_refused(self):
        self.refused("ARG TORCH=cpu\nFROM a", "TROCH", "TORCH", given={"TROCH": "cuda"})


if __name__ == "__main__":
    unittest.main()

"""tools/check-dockerfile runs the steps of a Dockerfile without an engine, and its entry point."""
from scripts import ScriptTest, main

DOCKERFILE = """ARG WORD=none
FROM debian:12-slim AS build
ARG WORD
WORKDIR /made
COPY tools/setup tools/common.sh tools/
RUN --mount=type=cache,target=/root/.cache echo "$WORD" >word && touch /root/.cache/kept
FROM debian:12-slim
COPY --from=build /made/ /taken/
ENTRYPOINT ["grep", "-x"]
"""


class CheckDockerfile(ScriptTest):
    def check(self, *commands, codes=(0,), text=DOCKERFILE):
        path = self.folder / "Dockerfile"
        path.write_text(text)
        return self.run_script("check-dockerfile", "--file", path, "--arg", "WORD=given", "--cache",
                               self.folder / "cache", *commands, codes=codes, TMPDIR=self.folder)

    def test_what_one_stage_makes_the_entry_point_of_the_last_one_finds(self):
        self.assertIn("given", self.check("given /taken/word").stdout)
        self.assertTrue((self.folder / "cache/root-.cache/kept").exists())

    def test_an_entry_point_that_fails_is_told(self):
        self.check("another /taken/word", codes=(1,))

    def test_a_command_that_takes_longer_than_the_limit_is_told_with_its_seconds(self):
        sleeps = DOCKERFILE.replace('["grep", "-x"]', '["sleep"]')
        said = self.check("--limit-s", "4", "0", "5", codes=(1,), text=sleeps).stderr
        self.assertRegex(said, r"sleep 0: took \d\.\d s\n")
        self.assertRegex(said, r"sleep 5: took \d+\.\d s, expected at most 4 s")


if __name__ == "__main__":
    main()

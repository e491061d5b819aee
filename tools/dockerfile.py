"""Reads a Dockerfile with the kinds of instruction that this project's has. Any other one is an error."""
import json
import re
import shlex
from dataclasses import dataclass, field


class DockerfileError(Exception):
    """Says what is wrong, and in which line where a single one is."""


@dataclass
class Run:
    command: str
    caches: list[str] = field(default_factory=list)  # folders kept from one build to the next


@dataclass
class Copy:
    sources: list[str]
    target: str  # files keep their names in it when it ends with /
    stage: str | None = None  # None: the build context


@dataclass
class Workdir:
    path: str


@dataclass
class Stage:
    base: str
    name: str
    arguments: dict[str, str] = field(default_factory=dict)  # those that its RUN commands see
    steps: list[Run | Copy | Workdir] = field(default_factory=list)
    entrypoint: list[str] = field(default_factory=list)


def instructions(text: str):
    """Yields (line number, keyword, rest), continued lines joined and comments left out."""
    pending, first = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#") or not line.strip():
            continue
        first = first if pending else number
        pending += line.strip()
        if pending.endswith("\\"):
            pending = pending[:-1].rstrip() + " "
            continue
        keyword, _, rest = pending.partition(" ")
        yield first, keyword.upper(), rest.strip()
        pending = ""
    if pending:
        raise DockerfileError(f"line {first}: the file ends inside an instruction")


def options_of(rest: str) -> tuple[dict[str, str], str]:
    """Splits `--name=value`... off the front."""
    options = {}
    while match := re.match(r"--([a-z]+)=(\S+)\s+", rest):
        options[match[1]] = match[2]
        rest = rest[match.end():]
    return options, rest


def parse_run(rest: str) -> Run:
    options, command = options_of(rest)
    caches = []
    mount = options.pop("mount", None)
    if mount is not None:
        parts = dict(part.partition("=")[::2] for part in mount.split(","))
        if set(parts) != {"type", "target"} or parts["type"] != "cache":
            raise DockerfileError(f"found --mount={mount}, expected type=cache,target=FOLDER")
        caches.append(parts["target"])
    if options or command.startswith(("[", "<<")):
        raise DockerfileError(f"found RUN {rest}, expected a shell command and at most one --mount")
    return Run(command, caches)


def parse_copy(rest: str) -> Copy:
    options, names = options_of(rest)
    stage = options.pop("from", None)
    words = shlex.split(names)
    if options or len(words) < 2:
        raise DockerfileError(f"found COPY {rest}, expected [--from=STAGE] SOURCE... TARGET")
    return Copy(words[:-1], words[-1], stage)


def parse(text: str, given: dict[str, str]) -> list[Stage]:
    """The stages of a Dockerfile; `given` are values of its ARGs (--build-arg)."""
    known: dict[str, str] = {}
    stages: list[Stage] = []
    for line, keyword, rest in instructions(text):
        try:
            if keyword == "ARG":
                name, equals, value = rest.partition("=")
                if not stages:
                    known[name] = given.get(name, value)
                elif equals or name not in known:
                    raise DockerfileError(f"found ARG {rest}, expected a name declared before FROM")
                else:
                    stages[-1].arguments[name] = known[name]
            elif keyword == "FROM":
                match = re.fullmatch(r"(\S+)(?: AS (\S+))?", rest, re.IGNORECASE)
                if not match:
                    raise DockerfileError(f"found FROM {rest}, expected FROM IMAGE [AS NAME]")
                stages.append(Stage(match[1], match[2] or str(len(stages))))
            elif not stages:
                raise DockerfileError(f"found {keyword}, expected ARG or FROM first")
            elif keyword == "RUN":
                stages[-1].steps.append(parse_run(rest))
            elif keyword == "COPY":
                stages[-1].steps.append(parse_copy(rest))
            elif keyword == "WORKDIR":
                stages[-1].steps.append(Workdir(rest))
            elif keyword == "ENTRYPOINT":
                stages[-1].entrypoint = json.loads(rest)
            else:
                raise DockerfileError(f"found {keyword}, expected one of ARG, FROM, RUN, COPY, "
                                      "WORKDIR, ENTRYPOINT: teach tools/dockerfile.py the new one")
        except (DockerfileError, json.JSONDecodeError) as error:
            raise DockerfileError(f"line {line}: {error}") from None
    unknown = set(given) - set(known)
    if unknown:
        raise DockerfileError(f"found values of {sorted(unknown)}, expected ARGs among {sorted(known)}")
    if not stages:
        raise DockerfileError("found no FROM")
    return stages

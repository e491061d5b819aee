"""Checks that docs/SCENARIOS.md names every key of a scenario's schema.

documented_keys.py PACBENCH SCENARIOS.md
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

# Methods, models and data sets have their own pages and `pacbench list`.
LISTED_ELSEWHERE = {"methods", "model", "dataset"}


def keys_of(schema: dict) -> Iterator[str]:
    """The keys of an object, of its parts and of all of its kinds."""
    for key, value in schema.get("properties", {}).items():
        yield key
        if key not in LISTED_ELSEWHERE:
            yield from keys_of(value)
    if "items" in schema:
        yield from keys_of(schema["items"])
    for kind in schema.get("oneOf", []) + schema.get("anyOf", []):
        yield from keys_of(kind)


def main() -> None:
    pacbench, page = sys.argv[1:]
    printed = subprocess.run(
        [pacbench, "schema", "scenario"], check=True, capture_output=True, text=True
    ).stdout
    code = re.findall(r"```.*?```|`[^`]+`", Path(page).read_text(encoding="utf-8"), re.DOTALL)
    words = {word for span in code for word in re.findall(r"\w+", span)}
    keys = set(keys_of(json.loads(printed)))
    assert len(keys) > 50, f"the schema has {len(keys)} keys: is it read at all?"
    missing = sorted(keys - words)
    if missing:
        sys.exit(f"{page}: found nothing of {', '.join(missing)}, expected each key of a scenario")


if __name__ == "__main__":
    main()

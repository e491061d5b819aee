"""Prints catalogue entries for users' classes: `python -m pacbench.describe FOLDER FILE.py:CLASS…`. It runs their files.

Exits with 1 and words on standard error where a class cannot be described.
"""

import contextlib
import json
import sys

import torch

from pacbench.users_code import described, files_of, words_of


def main() -> int:
    folder, names = sys.argv[1], sys.argv[2:]
    catalogue = {"version": 1, "torch_version": torch.__version__, "methods": [], "models": [], "datasets": [], "files": {}}
    for name in names:
        try:
            with contextlib.redirect_stdout(sys.stderr):  # what the file prints is no part of the document
                entries = described(folder, name)
            catalogue["files"] |= files_of(folder, name)
        except Exception as error:
            print(words_of(error), file=sys.stderr)
            return 1
        for kind, more in entries.items():
            catalogue[kind] += more
    print(json.dumps(catalogue))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Prints catalogue entries for users' classes: `python -m pacbench.describe FOLDER FILE.py:CLASS…`. It runs their files.

Exits with 1 and words on standard error where a class cannot be described.
"""

import contextlib
import json
import sys

try:
    import torch

    from pacbench.users_code import described, files_of, place_of, words_of
except ModuleNotFoundError as missing:
    sys.exit(f"a class in Python needs torch with all that it imports, and there is {str(missing)[0].lower()}{str(missing)[1:]}; "
             "`tools/setup --python-torch` installs it")


def main() -> int:
    folder, names = sys.argv[1], sys.argv[2:]
    catalogue = {"version": 1, "torch_version": torch.__version__, "methods": [], "models": [], "datasets": [], "files": {}}
    for name in names:
        try:
            with contextlib.redirect_stdout(sys.stderr):  # what the file prints is no part of the document
                entries = described(folder, name)
            catalogue["files"] |= files_of(folder, name)
        except Exception as error:
            # A traceback shows the way through the user's file, where there is one.
            print(words_of(error) if place_of(error) else f"{type(error).__name__}: {error}", file=sys.stderr)
            return 1
        for kind, more in entries.items():
            catalogue[kind] += more
    print(json.dumps(catalogue))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""`python -m pacbench.check FILE.py:CLASS [OPTIONS]`: checks a task or an averager of one's own, without links.

OPTIONS is a JSON object of the class's options. Exits with 1 and words on standard error where a check fails.
"""

import json
import sys

from pacbench.averager import Averager
from pacbench.method import Method
from pacbench.testing import RANKS, check_averager, check_method, check_task
from pacbench.users_code import class_named, words_of


def main() -> int:
    name, options = sys.argv[1], json.loads(sys.argv[2] if len(sys.argv) > 2 else "{}")
    try:
        found = class_named(".", name)
        if issubclass(found, Averager):
            (check_method if issubclass(found, Method) else check_averager)(name, **options)
            print(f"{name}: ok, among {', '.join(map(str, RANKS))} ranks")
        else:
            numbers = check_task(name, **options)
            print(f"{name}: ok, " + ", ".join(f"{key} {value:.6g}" for key, value in numbers.items()))
    except AssertionError as error:
        print(error, file=sys.stderr)
        return 1
    except Exception as error:
        print(words_of(error), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""python -m pacbench_plots figures -o DIR [--paper] | html

Each takes its document from standard input.
"""

import argparse
import importlib.util
import os
import sys

NEEDS = {
    "figures": ["matplotlib"],
    "html": ["matplotlib", "plotly"],
}


def missing_packages(command: str) -> list[str]:
    return [name for name in NEEDS[command] if importlib.util.find_spec(name) is None]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m pacbench_plots")
    commands = parser.add_subparsers(dest="command", required=True)
    figures = commands.add_parser("figures", help="write figures as SVG and PNG")
    figures.add_argument("-o", "--output", required=True, help="folder to write into")
    figures.add_argument("--paper", action="store_true", help="PDF in place, as wide as a paper's column")
    commands.add_parser("html", help="print the report as one HTML file")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    if missing := missing_packages(options.command):
        print(f"{sys.executable} lacks {' and '.join(missing)}", file=sys.stderr)
        return os.EX_UNAVAILABLE
    # Imported only here: the packages that these modules need may be missing.
    from pacbench_plots import document

    text = sys.stdin.buffer.read()
    loaded = document.load(text)
    if options.command == "figures":
        from pacbench_plots import figures

        try:
            return figures.write_all(loaded, options.output, options.paper)
        except OSError as error:
            print(f"cannot write {error.filename}: {error.strerror}", file=sys.stderr)
            return os.EX_CANTCREAT
    from pacbench_plots import page

    sys.stdout.buffer.write(page.render(loaded).encode())
    return os.EX_OK


if __name__ == "__main__":
    sys.exit(main())

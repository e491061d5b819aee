"""Every relative link in a page leads to a file, and where it names a heading, to that heading."""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)")


def anchor(heading: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()).replace(" ", "-")


def anchors(page: Path) -> set[str]:
    return {anchor(line.lstrip("#").strip()) for line in page.read_text().splitlines() if line.startswith("#")}


def main() -> int:
    pages = subprocess.run(["git", "-C", ROOT, "ls-files", "*.md"], capture_output=True, text=True, check=True).stdout.split()
    wrong = []
    for name in pages:
        page = ROOT / name
        for target, heading in LINK.findall(re.sub(r"```.*?```", "", page.read_text(), flags=re.S)):
            file = page.parent / target if target else page
            if not file.exists():
                wrong.append(f"{name}: {target} does not exist")
            elif heading and file.suffix == ".md" and heading not in anchors(file):
                wrong.append(f"{name}: {target} has no heading #{heading}")
    print("\n".join(wrong))
    return 1 if wrong or not pages else 0


if __name__ == "__main__":
    sys.exit(main())

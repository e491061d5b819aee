#!/bin/sh
# document_is_current.sh PACBENCH   checks that `pacbench reproduce` over the recorded runs still
# gives docs/REPRODUCTION.md, all evidence beside it, and the pages of other papers' claims
set -e
pacbench=$1
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT

# same FILE COMMAND...   fails, and names COMMAND, when FILE of docs/ is not what was written now
same() {
  diff "docs/$1" "$found/$1" | head -n 20 >"$found/difference"
  [ -s "$found/difference" ] || return 0
  cat "$found/difference"
  shift
  echo "if it is meant: $*" >&2
  exit 1
}

runs='results/paper/*.tar.xz results/published/wan100*.tar.xz results/published/resnet20-wan100.tar.xz'
# shellcheck disable=SC2086  # patterns, to be expanded
"$pacbench" reproduce $runs -o "$found/REPRODUCTION.md" --evidence "$found/reproduction"
for file in REPRODUCTION.md reproduction/evidence.json reproduction/evidence.html; do
  same $file "pacbench reproduce $runs -o docs/REPRODUCTION.md --evidence docs/reproduction"
done

# others NAME RUNS   checks the page of claims/NAME.json
others() {
  # shellcheck disable=SC2086
  "$pacbench" reproduce $2 --claims "claims/$1.json" -o "$found/reproduction/$1.md"
  same "reproduction/$1.md" "pacbench reproduce $2 --claims claims/$1.json -o docs/reproduction/$1.md"
}
others exdyna 'results/published/methods-build-up-*.tar.xz'
others prunex results/published/methods-sites
others table1 results/published/methods

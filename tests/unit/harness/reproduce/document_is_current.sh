#!/bin/sh
# document_is_current.sh PACBENCH   docs/REPRODUCTION.md and all evidence beside it are what the runs
# that are kept give
set -e
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
"$1" reproduce results/paper/*/ results/published/wan100*/ results/published/resnet20-wan100/ -o "$found/REPRODUCTION.md" --evidence "$found/reproduction"
for file in REPRODUCTION.md reproduction/evidence.json reproduction/evidence.html; do
  diff "docs/$file" "$found/$file" | head -n 20 >"$found/difference"
  [ -s "$found/difference" ] || continue
  cat "$found/difference"
  echo "if it is meant: pacbench reproduce results/paper/*/ results/published/wan100*/ results/published/resnet20-wan100/ -o docs/REPRODUCTION.md --evidence docs/reproduction" >&2
  exit 1
done

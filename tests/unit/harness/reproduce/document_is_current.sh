#!/bin/sh
# document_is_current.sh PACBENCH   docs/REPRODUCTION.md is what the runs in results/paper/ give
"$1" reproduce results/paper/*/ | diff docs/REPRODUCTION.md - && exit
echo "if it is meant: pacbench reproduce results/paper/*/ -o docs/REPRODUCTION.md" >&2
exit 1

# shellcheck shell=bash
# Sourced by the other scripts: strict mode, the project's folder, messages.
set -euo pipefail
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$project"

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() {
  say "$*"
  exit 1
}

# Runs a command and prints how long it took, and how much CPU time it used.
timed() {
  local what=$1 TIMEFORMAT
  shift
  TIMEFORMAT="${0##*/}: $what: %0R s (%0U + %0S s of CPU)"
  time "$@"
}

# Removes a folder in which programs ran whose mounts were in a namespace that has ended. Does not
# enter a mount that is still there, since its files are not ours. Tries up to 5 times, a second
# apart: after a signal, processes may still be writing.
remove_folder() {
  local attempt
  for ((attempt = 0; attempt < 5; ++attempt)); do
    rm -rf --one-file-system "$1" 2>/dev/null && return
    sleep 1
  done
  say "could not remove $1"
}

# The number of compilers to run at once: one for each core, or as many as fit into memory if those
# are fewer. One that reads torch's headers takes up to 2.5 GB.
compile_jobs() {
  local available_kb limit cores by_memory
  available_kb=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
  # A container may be allowed less than the machine has; "max" means no limit.
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || echo max)
  if [[ $limit =~ ^[0-9]+$ ]] && ((limit / 1024 < available_kb)); then
    available_kb=$((limit / 1024))
  fi
  cores=$(nproc)
  by_memory=$((available_kb / 2500000))
  ((by_memory >= 1)) || by_memory=1
  echo $((cores < by_memory ? cores : by_memory))
}

# Runs a program of tests/, in place of this shell, as the first process of namespaces of its own
# (user, mounts, network, processes), with empty /run, /tmp and /dev/shm. So the program finds all
# that is left there, and touches nothing of this machine. Exits with 77 where no such namespaces
# can be made.
#   run_in_sandbox BUILD_FOLDER PROGRAM ARGUMENT...
run_in_sandbox() {
  local programs reason sandbox
  programs=$(realpath "$1")/bin
  shift
  [[ -x $programs/$1 ]] || die "no $programs/$1: run tools/build --tests"
  sandbox=(unshare --user --map-root-user --mount --net --pid --fork --kill-child --mount-proc)
  if ! reason=$("${sandbox[@]}" true 2>&1); then
    say "no sandbox can be made here: $reason"
    exit 77
  fi
  # The programs may be in a folder that the sandbox covers with an empty one, such as /tmp.
  # shellcheck disable=SC2016
  exec "${sandbox[@]}" bash -ec '
    mount --bind "$1" /mnt
    for folder in /run /tmp /dev/shm; do mount -t tmpfs tmpfs "$folder"; done
    rm -rf /run/mount # left by the command
    ip link set lo up
    cd /
    shift
    exec "/mnt/$@"
  ' sandbox "$programs" "$@"
}

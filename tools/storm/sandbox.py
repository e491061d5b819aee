"""Namespaces of the storm's own, which no other program uses."""
import os
import subprocess
import sys
from pathlib import Path

SANDBOX = ["unshare", "--user", "--map-root-user", "--mount", "--net", "--pid", "--fork", "--kill-child",
           "--mount-proc"]
# The file system for results is small, so that a fault can fill it.
COVERED = ("/run", "/tmp", "/dev/shm", "/mnt")
SET_UP = """
for folder in /run /tmp /dev/shm; do mount -t tmpfs tmpfs "$folder"; done
mount -t tmpfs -o size=64m tmpfs /mnt
rm -rf /run/mount # left by mount
ip link set lo up
exec "$@"
"""
NOT_POSSIBLE = 77


def run_again(build: Path) -> int:
    """Runs this program again, with its arguments, inside the namespaces. Returns its exit code, or
    NOT_POSSIBLE where no namespaces can be made, or where they would hide this checkout. Exits
    where `build` has no worker."""
    if not (build / "bin/pacbench-worker").exists():
        sys.exit(f"fault-storm: no {build}/bin/pacbench-worker: run tools/build")
    program = Path(sys.argv[0]).resolve()
    covered = [folder for folder in COVERED if any(path.is_relative_to(folder) for path in (program, build.resolve()))]
    if covered:
        print(f"fault-storm: the sandbox hides {covered[0]}, where this checkout or its build folder is, behind an empty "
              "folder; run fault-storm in a clone elsewhere", file=sys.stderr)
        return NOT_POSSIBLE
    tried = subprocess.run([*SANDBOX, "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        print(f"fault-storm: no sandbox can be made here: {tried.stderr.strip()}", file=sys.stderr)
        return NOT_POSSIBLE
    command = [sys.executable, str(program), *sys.argv[1:], "--inside"]
    environment = os.environ | {"HOME": "/mnt/home", "PACBENCH_CACHE": "/mnt/cache", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([*SANDBOX, "sh", "-ec", SET_UP, "sandbox", *command], env=environment,
                          check=False).returncode

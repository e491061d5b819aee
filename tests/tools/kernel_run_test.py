"""tools/kernel-run does what it promises in each of its ways, and says truly why a way fails.

kernel_run_test.py uml|kvm|tcg|choice    choice tests the choice between the ways; ends with 77,
                                         after the tool's reason, where the way does not start
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools/kernel-run"
sys.path.insert(0, str(ROOT / "tools"))
from kernel.process import NotStarted, child, wait_for_end  # noqa: E402

SKIPPED = 77
WAY = ""

# This runs under the second kernel: it looks around and prints what it found.
LOOK = r"""
import json, os, socket, subprocess, sys, time
def writes(path):
    try:
        with open(path, "w") as file:
            file.write("written under " + os.uname().release)
        return True
    except OSError:
        return False
def round_trip_ms():
    answering, asking = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
    answering.bind(("127.0.0.1", 0))
    times = []
    for _ in range(5):
        start = time.monotonic()
        asking.sendto(b"x", answering.getsockname())
        answering.sendto(b"x", answering.recvfrom(1)[1])
        asking.recv(1)
        times.append(1000 * (time.monotonic() - start))
    return min(times)
here, writable, word = sys.argv[1:]
bare_ms = round_trip_ms()
subprocess.run(["tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "30ms"], check=True)
print(json.dumps({
    "release": os.uname().release, "user": os.geteuid(), "folder": os.getcwd(), "word": word,
    "stdin": sys.stdin.read(), "devices": os.listdir("/sys/class/net"), "cores": os.cpu_count(),
    "here": writes(here + "/new"), "writable": writes(writable + "/new"),
    "private": [writes(folder + "/pacbench-new") for folder in (os.environ["TMPDIR"], "/run", "/dev/shm")],
    "bare_ms": bare_ms, "delayed_ms": round_trip_ms()}))
print("told", file=sys.stderr)
print("x" * 100_000)
sys.exit(5)
"""


def processes_with(text):
    """The PIDs of the processes whose command line holds the text."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if text.encode() in file.read_bytes():
                found.append(file.parent.name)
        except OSError:
            pass
    return found


def eventually(condition, limit_s=30):
    end_s = time.monotonic() + limit_s
    while not condition() and time.monotonic() < end_s:
        time.sleep(0.05)
    return condition()


class KernelRunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()

    def start(self, *words, path="", way=None):
        way = WAY if way is None else way
        return subprocess.Popen([TOOL, *(["--by", way] if way else []), *words], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder,
                                env={**os.environ, "TMPDIR": str(self.temporary), "PATH": path + os.environ["PATH"]})

    def run_tool(self, *words, **options):
        process = self.start(*words, **options)
        out, err = process.communicate("not for it")
        return process.returncode, out, err

    def start_sleeping(self):
        """The tool, once its program runs."""
        process = self.start("sh", "-c", "echo runs; exec sleep 600")
        self.assertEqual(process.stdout.readline(), "runs\n")
        return process

    def assert_nothing_left(self):
        self.assertTrue(eventually(lambda: not processes_with(str(self.temporary))))
        self.assertEqual(list(self.temporary.iterdir()), [])


class Contract(KernelRunTest):
    def test_the_program_is_root_under_another_kernel_which_delays_packets_and_changes_nothing_here(self):
        writable, word = self.folder / "may be written", 'a "b" \'c\' $d\n%e'
        writable.mkdir()
        locks = set(Path("/run").glob("virtiofsd/*"))
        code, out, err = self.run_tool("--memory", "512M", "--writable", writable, sys.executable, "-c", LOOK,
                                       self.folder, writable, word)
        self.assertEqual(code, 5, err)
        self.assertEqual(err, "told\n")
        found, more = out.splitlines()
        found = json.loads(found)
        self.assertEqual(more, "x" * 100_000)
        self.assertNotEqual(found["release"], os.uname().release)
        self.assertEqual((found["user"], found["folder"], found["word"]), (0, str(self.folder), word))
        self.assertEqual((found["stdin"], found["devices"], found["cores"]), ("", ["lo"], 1))
        self.assertGreaterEqual(found["delayed_ms"], 60)
        self.assertLess(found["delayed_ms"] - found["bare_ms"], 70)
        self.assertEqual((found["here"], found["writable"], found["private"]), (False, True, [True] * 3))
        self.assertEqual((writable / "new").read_text(), "written under " + found["release"])
        for folder in (self.folder, self.temporary, Path("/run"), Path("/dev/shm")):
            self.assertEqual([*folder.glob("new"), *folder.glob("pacbench-new")], [])
        self.assertEqual(set(Path("/run").glob("virtiofsd/*")), locks)
        self.assert_nothing_left()

    def test_a_signal_ends_it_and_leaves_nothing(self):
        process = self.start_sleeping()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.assert_nothing_left()

    def test_no_process_outlives_it_when_it_is_killed(self):
        process = self.start_sleeping()
        self.assertTrue(processes_with(str(self.temporary)))
        process.kill()
        process.communicate(timeout=60)
        self.assertTrue(eventually(lambda: not processes_with(str(self.temporary))))

    def test_a_kernel_that_ends_before_its_program_is_a_failure_and_no_skip(self):
        code, _, err = self.run_tool("sh", "-c", "echo o >/proc/sysrq-trigger; sleep 600")
        self.assertEqual(code, 1, err)
        self.assertIn("before the program", err)


class Choice(KernelRunTest):
    """The choice between the ways. user-mode-linux is a script that fails as the real one does on
    some machines."""

    def failing_uml(self, message):
        programs = self.folder / "programs"
        programs.mkdir(exist_ok=True)
        (programs / "linux.uml").write_text(f"#!/bin/sh\necho '{message}' >&2\nkill -ABRT $$\n")
        (programs / "linux.uml").chmod(0o755)
        return f"{programs}:"

    def test_ptrace_is_blamed_where_it_is_to_blame_and_registers_and_other_ends_are_named(self):
        for message, reason in (("copy_context_skas0 : put_fp_registers failed, pid = 12, err = -22", "AMX"),
                                ("check_ptrace : expected SIGSTOP, got status = 256", "SYS_PTRACE"),
                                ("no room on this moon", "no room on this moon")):
            code, _, err = self.run_tool("true", way="uml", path=self.failing_uml(message))
            self.assertEqual(code, SKIPPED)
            self.assertIn("uml: ", err)
            self.assertIn(reason, err)
            self.assertEqual("ptrace" in err.lower(), reason == "SYS_PTRACE", err)

    def test_where_one_does_not_start_the_next_does(self):
        path = self.failing_uml("put_fp_registers returned -22")
        code, out, err = self.run_tool("uname", "-r", way="", path=path)
        self.assertEqual(code, 0, err)
        self.assertNotIn(out.strip(), ("", os.uname().release))
        self.assert_nothing_left()

    def test_one_that_hangs_is_given_up_within_its_limit(self):
        start_s = time.monotonic()
        with child(["sleep", "600"]) as process, self.assertRaises(NotStarted) as caught:
            wait_for_end(process, self.folder, 0.2)
        self.assertIn("within 0.2 s", str(caught.exception))
        self.assertLess(time.monotonic() - start_s, 5)
        self.assertIsNotNone(process.returncode)

    def test_an_unknown_way_is_refused(self):
        done = subprocess.run([TOOL, "true"], env={**os.environ, "PACBENCH_KERNEL": "xen"}, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("xen", done.stderr)


def main():
    global WAY
    WAY = sys.argv.pop(1)
    if WAY != "choice":
        tried = subprocess.run([TOOL, "--by", WAY, "true"], check=False)
        if tried.returncode == SKIPPED:
            return SKIPPED
    unittest.main(defaultTest="Choice" if WAY == "choice" else "Contract")


if __name__ == "__main__":
    sys.exit(main())

"""A run that may use less than the machine's CPUs says so, and is judged by those that it may use."""

import json
import os
import time
import unittest
from pathlib import Path

from program_run import ProgramTest
from scripts import needs_links

COMPUTES = """
pacbench.begin()
for _ in range(15):
    used = time.process_time()
    while time.process_time() - used < 0.1:
        pass
    pacbench.step()
"""
MACHINE_CPUS = os.sysconf("SC_NPROCESSORS_ONLN")
# Where a group with a quota may be made, and how a quota of half a CPU is written there.
PLACES = (
    (Path("/sys/fs/cgroup/cpu"), "cpu.cfs_quota_us", "50000"),
    (Path("/sys/fs/cgroup/cpu,cpuacct"), "cpu.cfs_quota_us", "50000"),
    (Path("/sys/fs/cgroup"), "cpu.max", "50000 100000"),
)


class Limited(ProgramTest):
    """Runs a program whose two ranks compute all the time."""

    def run_limited(self, before: list[str]) -> tuple[dict, dict, str]:
        """The cell and the manifest's environment of a run, and what it said before its cell."""
        done = self.pacbench("run", self.write(COMPUTES, timeout_s=30), "--out", self.run_folder, "--accept-suspect",
                             before=before)
        (cell,) = json.loads((self.run_folder / "result.json").read_text())["cells"]
        manifest = json.loads((self.run_folder / "manifest.json").read_text())
        self.pacbench("verify", self.run_folder)
        return cell, manifest["environment"], done.stderr.partition("cells to run")[0]

    def assert_cpu_bound(self, cell: dict) -> None:
        self.assertLess(cell["cpu_idle"], 0.05)
        # Where others took much of the machine, they and not the run may have left no CPU idle.
        if cell["taken_share"] is None or cell["taken_share"] < 0.2:
            self.assertEqual(cell["host_verdict"]["word"], "cpu-bound")


@needs_links
class Pinned(Limited):
    @unittest.skipIf(MACHINE_CPUS == 1, "this machine has one CPU, so no run can have fewer")
    def test_a_run_that_fills_its_only_cpu_is_cpu_bound_and_says_that_it_may_use_one(self):
        cpu = min(os.sched_getaffinity(0))
        cell, environment, said = self.run_limited(["taskset", "--cpu-list", str(cpu)])
        self.assertIn(f"this run may use 1 of {MACHINE_CPUS} CPUs (taskset or cpuset)", said)
        self.assertEqual((environment["cores"], environment["machine_cpus"]), (1, MACHINE_CPUS))
        self.assertEqual(environment["allowed_cpus"], str(cpu))
        self.assert_cpu_bound(cell)


@needs_links
class Quota(Limited):
    def setUp(self) -> None:
        super().setUp()
        self.group = self.group_with_half_a_cpu()
        if self.group is None:
            self.skipTest("no cgroup with a CPU quota can be made")

    def group_with_half_a_cpu(self) -> Path | None:
        for root, file, text in PLACES:
            group = root / f"pacbench-test-{os.getpid()}"
            try:
                group.mkdir()
            except OSError:
                continue
            self.addCleanup(self.remove, group)
            # The kernel makes the file. Without it this is no group whose CPU time can be limited.
            if (group / file).exists():
                (group / file).write_text(text)
                return group
        return None

    @staticmethod
    def remove(group: Path) -> None:
        for _ in range(50):  # processes that end stay for a moment
            try:
                group.rmdir()
                return
            except OSError:
                time.sleep(0.1)

    def test_a_run_that_uses_up_its_quota_is_cpu_bound_and_says_what_it_may_use(self):
        join = ["sh", "-c", f'echo $$ >{self.group}/cgroup.procs && exec "$0" "$@"']
        cell, environment, said = self.run_limited(join)
        self.assertIn(f"this run may use 0.5 CPUs of {MACHINE_CPUS} (cgroup quota", said)
        self.assertEqual(environment["cpu_quota"], 0.5)
        self.assert_cpu_bound(cell)
        findings = json.loads(self.pacbench("doctor", "--format", "json", before=join, code=None).stdout)["findings"]
        (found,) = [each for each in findings if each["what"] == "all CPUs of this machine"]
        self.assertFalse(found["ok"])
        self.assertIn("0.5 CPUs of", found["found"])

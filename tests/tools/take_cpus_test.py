"""tools/take-cpus takes the share of each CPU's time that it is asked for, and ends when it must."""
import json
import os
import signal
import subprocess
import sys
import time
import unittest

from scripts import ROOT, ScriptTest

TOOL = ROOT / "tools/take-cpus"
# A share further from the asked one comes once in 1.7 million CPUs (normal distribution, two-sided).
STANDARD_ERRORS = 5
# A hypervisor may take a CPU from a burst, which then gets less of it; the times themselves stay.
OF_A_BURST = 0.25


def fifo_is_allowed() -> bool:
    return subprocess.run(["chrt", "--fifo", "90", "true"], capture_output=True, check=False).returncode == 0


@unittest.skipUnless(fifo_is_allowed(), "SCHED_FIFO at priority 90 is not allowed here")
class TakeCpus(ScriptTest):
    def taken(self, *options):
        return json.loads(self.run_script("take-cpus", *options).stdout)

    def assert_shares(self, report):
        for cpu in report["cpus"]:
            self.assertAlmostEqual(cpu["planned_share"], report["asked_share"],
                                   delta=STANDARD_ERRORS * report["standard_error"])
            self.assertGreater(cpu["share"], (1 - OF_A_BURST) * cpu["planned_share"], cpu)
            self.assertLess(cpu["share"], cpu["planned_share"] + 0.02, cpu)

    def test_takes_the_asked_share_of_every_cpu_at_the_same_times(self):
        report = self.taken("--share", 0.15, "--burst-ms", 4, "--seconds", 3, "--seed", time.time_ns())
        self.assertEqual([cpu["cpu"] for cpu in report["cpus"]], sorted(os.sched_getaffinity(0)))
        self.assert_shares(report)
        self.assertEqual(len({cpu["bursts"] for cpu in report["cpus"]}), 1)
        self.assertAlmostEqual(report["seconds"], 3, places=2)

    def test_takes_each_cpu_at_times_of_its_own(self):
        report = self.taken("--share", 0.3, "--burst-ms", 2, "--seconds", 2, "--seed", 7, "--apart")
        self.assert_shares(report)
        self.assertEqual(len({cpu["planned_share"] for cpu in report["cpus"]}), len(report["cpus"]))

    def test_a_process_beside_it_loses_bursts_of_the_given_length(self):
        spin = ("import time\nlast = start = time.monotonic()\nlost = 0\n"
                "while last < start + 2:\n"
                "    now = time.monotonic()\n    lost += now - last > 0.025\n    last = now\nprint(lost)")
        done = self.run_script("take-cpus", "--share", 0.2, "--burst-ms", 30, "--", sys.executable, "-c", spin)
        bursts = json.loads(done.stderr)["cpus"][0]["bursts"]
        # The first and the last may lie before and behind the process's time.
        self.assertGreaterEqual(int(done.stdout), bursts - 2)
        self.assertGreater(bursts, 2)

    def test_ends_with_its_command_and_has_its_exit_code(self):
        for command, code in ((["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -9 $$"], 137), (["/no/such"], 127)):
            self.run_script("take-cpus", "--share", 0.1, "--burst-ms", 1, "--", *command, codes=(code,))

    def test_ends_at_a_signal_with_its_report(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            running = subprocess.Popen([TOOL, "--share", "0.1", "--burst-ms", "1"], stdout=subprocess.PIPE, text=True)
            time.sleep(1)
            running.send_signal(number)
            out, _ = running.communicate(timeout=10)
            self.assertEqual(running.returncode, 0)
            self.assertGreater(json.loads(out)["cpus"][0]["bursts"], 0)

    def test_ends_when_the_process_that_started_it_ends(self):
        started = subprocess.check_output(
            ["sh", "-c", f"{TOOL} --share 0.1 --burst-ms 1 >/dev/null & echo $!; sleep 1"])
        pid, deadline = int(started), time.monotonic() + 10
        while os.path.exists(f"/proc/{pid}") and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertFalse(os.path.exists(f"/proc/{pid}"), "still runs")

    def test_says_that_the_kernel_limits_real_time_tasks(self):
        with open("/proc/sys/kernel/sched_rt_runtime_us", encoding="utf-8") as limit:
            if int(limit.read()) < 0:
                return
        done = self.run_script("take-cpus", "--share", 0.99, "--burst-ms", 1, "--seconds", 0.1)
        self.assertIn("kernel.sched_rt_runtime_us", done.stderr)

    def test_says_so_without_the_privilege(self):
        done = subprocess.run(["setpriv", "--bounding-set=-all", TOOL, "--share", "0.1", "--burst-ms", "1"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("needs root, CAP_SYS_NICE", done.stderr)

    def test_refuses_what_it_cannot_take(self):
        for options in (["--share", 1], ["--share", 0], ["--share", 0.1, "--burst-ms", 0]):
            done = self.run_script("take-cpus", "--burst-ms", 1, *options, codes=(2,))
            self.assertIn("found", done.stderr)

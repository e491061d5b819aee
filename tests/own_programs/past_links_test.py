"""Ranks reach each other over their links alone, and no cell is green whose links carried next to nothing."""

import json
import sys
import unittest

from examples_test import TORCH_PYTHON, no_torch_reason
from program_run import ProgramTest, processes_in
from scripts import needs_links

# Rank 1 reads 1 MB a step out of rank 0's memory, as libraries do between processes of one machine.
READS_MEMORY = """
import ctypes
SIZE = 1_000_000
link = connect("10.77")
if rank == 0:
    ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(2**64 - 1), 0, 0, 0)  # PR_SET_PTRACER_ANY
    data = ctypes.create_string_buffer(SIZE)
    link.sendall(f"{os.getpid()} {ctypes.addressof(data)}".encode())
    time.sleep(60)
pid, address = map(int, link.recv(64).split())
class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
own = ctypes.create_string_buffer(SIZE)
here, there = Vector(ctypes.addressof(own), SIZE), Vector(address, SIZE)
read = ctypes.CDLL(None, use_errno=True).process_vm_readv
if read(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) != SIZE:
    sys.exit(os.strerror(ctypes.get_errno()))
"""

# Only a few numbers cross the link; the data is in a file.
THROUGH_A_FILE = """
link = connect("10.77")
pacbench.begin()
for _ in range(50):
    if rank == 0:
        open("data", "wb").write(bytes(1_000_000))
        send(link, 64)
        receive(link, 64)
    else:
        receive(link, 64)
        open("data", "rb").read()
        send(link, 64)
    pacbench.step()
"""

# Two processes in each rank, as torchrun starts them.
OVER_LOOPBACK = """
server = socket.create_server(("127.0.0.1", 0))
port = server.getsockname()[1]
child = subprocess.Popen([sys.executable, "-c",
    f"import socket; socket.create_connection(('127.0.0.1', {port})).sendall(bytes(5_000_000))"])
receive(server.accept()[0], 5_000_000)
child.wait()
"""

RPC = """
import torch, torch.distributed.rpc as rpc
WEIGHTS = torch.zeros(250_000)  # 1 MB
def push(gradient):
    return WEIGHTS.sub_(gradient, alpha=0.1)
if __name__ == "__main__":
    meeting = "tcp://{}:{}".format(os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"])
    rpc.init_rpc(f"rank{rank}", rank=rank, world_size=ranks,
                 rpc_backend_options=rpc.TensorPipeRpcBackendOptions(init_method=meeting, rpc_timeout=25))
    if rank == 0:
        pacbench.begin()
        for _ in range(10):
            rpc.rpc_sync("rank1", push, args=(torch.ones_like(WEIGHTS),))
            pacbench.step()
    rpc.shutdown()
"""


def reasons(cell: dict) -> str:
    return " ".join(cell["link_verdict"]["reasons"])


# A rank's processes and shared memory, as it sees them.
SEES = """
open(f"/dev/shm/of-rank-{rank}", "w").close()
time.sleep(1)
own = [int(name) for name in os.listdir("/proc") if name.isdigit()]
print("processes", len(own), os.getpid() in own, os.getppid(), os.listdir("/dev/shm"))
"""

ABORTS = """
subprocess.Popen(["sleep", "3600"], start_new_session=True)
os.abort()
"""


@needs_links
class Apart(ProgramTest):
    def test_a_rank_has_processes_and_memory_of_its_own(self):
        reads, sees, aborts = self.cells(READS_MEMORY, SEES, ABORTS, code=1)
        self.assertIn("rank 1 ended with exit code 1: No such process", reads["reason"])
        self.assertEqual(sees["status"], "done", sees["reason"])
        for rank in (0, 1):
            self.assertIn(f"[rank {rank}] processes 2 True 1 ['of-rank-{rank}']\n", self.printed("p1"))
        self.assertIn("signal 6", aborts["reason"])
        self.assertEqual(processes_in(self.folder), [])


@needs_links
class Suspect(ProgramTest):
    def test_ranks_that_exchange_past_the_links_are_suspect_with_what_to_do(self):
        cells = self.cells(THROUGH_A_FILE, OVER_LOOPBACK, "pacbench.begin()\npacbench.step()")
        file, loopback, nothing = map(reasons, cells)
        self.assertEqual({cell["link_verdict"]["word"] for cell in cells}, {"suspect"})
        self.assertIn("next to nothing crossed the links", file)
        self.assertIn("through files", file)
        self.assertRegex(loopback, r"each rank sent 5\d{3} kB over its loopback device and \d+ bytes over its link")
        self.assertIn("one process that takes RANK", loopback)
        self.assertIn("each rank sent 0 bytes in a step", nothing)
        self.pacbench("run", self.folder / "own.json", "--out", self.folder / "again", "--only", "method=p2", code=3)

    def test_a_program_that_means_to_send_little_says_so(self):
        (cell,) = self.cells("pacbench.begin()\npacbench.step()", methods=[
            {"name": "program", "label": "p0", "arguments": ["program0.py"], "sends_little": True}])
        self.assertNotIn("next to nothing", reasons(cell))
        self.pacbench("verify", self.run_folder)


@needs_links
@unittest.skipIf(no_torch_reason(), no_torch_reason())
class Rpc(ProgramTest):
    def test_torchs_rpc_sends_over_the_link_as_it_is(self):
        (cell,) = self.cells(RPC, workload={"command": [str(TORCH_PYTHON)], "time_limit_s": 100}, timeout_s=40)
        self.assertEqual(cell["status"], "done", cell["reason"])
        # 1 MB each way, one after the other, take 170 ms at 100 Mbit/s.
        self.assertGreater(cell["time_per_iteration_s"], 0.16)
        self.assertLess(cell["time_per_iteration_s"], 0.4)
        self.assertGreater(cell["measured_bytes_per_iteration"], 1e6)
        self.assertNotIn("next to nothing", reasons(cell))


class Launchers(ProgramTest):
    def test_torchrun_is_refused_before_the_first_cell_with_the_line_to_write(self):
        path = self.write("", workload={"command": ["torchrun", "--nproc-per-node", "4", "train.py"]})
        scenario = json.loads(path.read_text())
        del scenario["methods"][0]["arguments"]
        path.write_text(json.dumps(scenario))
        for arguments in (("validate", path), ("run", path, "--out", self.run_folder)):
            said = self.pacbench(*arguments, code=2).stderr
            for part in ("/workload/command", "found torchrun", '"command": ["python3","train.py"]', '"workers": 4'):
                self.assertIn(part, said)
        self.assertFalse(self.run_folder.exists())
        path.write_text(json.dumps(scenario | {"workload": {"command": [sys.executable, "program0.py"]}, "workers": 4}))
        self.pacbench("validate", path)

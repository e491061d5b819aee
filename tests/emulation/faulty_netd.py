#!/usr/bin/env python3
"""A pacbench-netd that makes other links than it is asked for, and has no idea of it.

It stands between pacbench and the real daemon and changes what pacbench asks for. Plan and read-back
of the daemon agree, so that only clocks and queues can tell. make_programs() makes a folder for
PACBENCH_PROGRAMS in which this program has the daemon's place.
"""
import array
import json
import os
import select
import socket
import struct
import sys

MOST_FDS = 16
NETD = "pacbench-netd"
REAL = "real-netd"
FAULT = "fault.json"  # {"rate": FACTOR, "queue": FACTOR}, beside this program


def make_programs(folder: str, real: str, rate: float = 1, queue: float = 1) -> None:
    """Fills `folder` with links to the programs in `real`, but for the daemon: that is this one."""
    for name in os.listdir(real):
        os.symlink(os.path.join(real, name), os.path.join(folder, REAL if name == NETD else name))
    os.symlink(os.path.abspath(__file__), os.path.join(folder, NETD))
    with open(os.path.join(folder, FAULT), "w") as file:
        json.dump({"rate": rate, "queue": queue}, file)


def read_message(end: socket.socket):
    """The text of a message and its descriptors; None at the end of the connection."""
    fds = array.array("i")
    room = socket.CMSG_LEN(MOST_FDS * fds.itemsize)
    head, ancillary, _, _ = end.recvmsg(4, room)
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            fds.frombytes(data[: len(data) - len(data) % fds.itemsize])
    while 0 < len(head) < 4:
        head += end.recv(4 - len(head))
    if not head:
        return None
    text = b""
    (length,) = struct.unpack("!I", head)
    while len(text) < length:
        text += end.recv(length - len(text))
    return text, list(fds)


def send_message(end: socket.socket, text: bytes, fds: list) -> None:
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
    whole = struct.pack("!I", len(text)) + text
    sent = end.sendmsg([whole], rights)
    end.sendall(whole[sent:])
    for fd in fds:
        os.close(fd)


def with_fault(message: dict, rate: float, queue: float) -> dict:
    def change(node):
        if isinstance(node, list):
            return [change(one) for one in node]
        if not isinstance(node, dict):
            return node
        changed = {key: change(value) for key, value in node.items()}
        if "rate_mbit" in changed:
            asked = changed["rate_mbit"]
            changed["rate_mbit"] = asked * rate
            if queue != 1:
                # What pacbench takes by default: 15 ms at the rate, at least 256 KiB.
                default = max(256 * 1024, asked * 1e6 / 8 * 0.015)
                changed["queue_bytes"] = int((changed.get("queue_bytes") or default) * queue)
        return changed

    return change(message)


def main() -> int:
    place = sys.argv.index("--fd")
    client = socket.socket(fileno=int(sys.argv[place + 1]))
    ours, theirs = socket.socketpair()
    folder = os.path.dirname(sys.argv[0])
    with open(os.path.join(folder, FAULT)) as file:
        fault = json.load(file)
    words = [os.path.realpath(os.path.join(folder, REAL)), *sys.argv[1:]]
    words[place + 1] = str(theirs.fileno())
    os.set_inheritable(theirs.fileno(), True)
    if os.fork() == 0:
        client.close()
        ours.close()
        os.execv(words[0], words)
    theirs.close()
    while True:
        for end in select.select([client, ours], [], [])[0]:
            found = read_message(end)
            if found is None:
                return 0
            text, fds = found
            if end is client:
                message = json.loads(text)
                if message.get("type") == "create":
                    text = json.dumps(with_fault(message, **fault)).encode()
            send_message(ours if end is client else client, text, fds)


if __name__ == "__main__":
    sys.exit(main())

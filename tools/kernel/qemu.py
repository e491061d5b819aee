"""QEMU with the kernel of Debian's linux-image-cloud-amd64, on this machine's own files through virtiofs."""
import os
import socket
import subprocess
from pathlib import Path

from .process import NotStarted, child, last_words, need, wait_for_end

HERE = Path(__file__).resolve().parent
# The unpacked package, which tools/setup --machines makes.
PACKAGE = HERE.parents[1] / ".kernel"
# Drivers of the devices for this machine's files and for the program's two output streams.
MODULES = ["virtio_pci", "virtio_console", "virtiofs"]
# In a virtual machine KVM may be offered and yet hang. Where it works a kernel starts in a second.
KVM_LIMIT_S = 5
# A busy emulated processor's clock counts its instructions, one each nanosecond. So its timers and
# programs keep step, however slow it is and however busy its host is.
PROCESSOR = {"kvm": ["-accel", "kvm", "-cpu", "host"], "tcg": ["-accel", "tcg", "-cpu", "max", "-icount", "shift=0"]}
PROGRAMS = {"qemu-system-x86_64": "qemu-system-x86", "virtiofsd": "qemu-system-common", "busybox": "busybox-static",
            "modprobe": "kmod"}


def version() -> str:
    kernels = sorted(PACKAGE.glob("boot/vmlinuz-*"))
    if not kernels:
        raise NotStarted(f"{PACKAGE} holds no kernel: tools/setup --machines unpacks Debian's linux-image-cloud-amd64 there")
    return kernels[-1].name.removeprefix("vmlinuz-")


def become_root() -> list[str]:
    """The words before virtiofsd's own command that run it as root of a user namespace; none when
    this program runs as root. virtiofsd gives up groups, which needs root or a user namespace with
    several users. Throws NotStarted where no such namespace can be made."""
    if os.geteuid() == 0:
        return []
    command = ["unshare", "--map-root-user", "--map-auto"]
    tried = subprocess.run([*command, "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        raise NotStarted("virtiofsd, which hands QEMU this machine's files, needs root, or newuidmap (Debian package "
                         f"uidmap) and this user in /etc/subuid and /etc/subgid: {tried.stderr.strip()}")
    return command


def make_initramfs(folder: Path, found: dict[str, str], kernel: str) -> Path:
    """Makes the initramfs that mounts this machine's files: a static shell, the modules in their
    order, and the script that loads them."""
    root = folder / "initramfs"
    for name in ("bin", "dev", "modules", "proc", "root", "sys"):
        (root / name).mkdir(parents=True)
    (root / "bin/busybox").write_bytes(Path(found["busybox"]).read_bytes())
    (root / "init").write_bytes((HERE / "initramfs-init").read_bytes())
    for program in ("bin/busybox", "init"):
        (root / program).chmod(0o755)
    listed = subprocess.run([found["modprobe"], "-d", PACKAGE, "-S", kernel, "--show-depends", "-a", *MODULES],
                            check=True, capture_output=True, text=True).stdout
    files = dict.fromkeys(line.split()[1] for line in listed.splitlines() if line.startswith("insmod"))
    for number, file in enumerate(files):
        (root / f"modules/{number:02}.ko").write_bytes(Path(file).read_bytes())
    names = "".join(f"{path.relative_to(root)}\n" for path in sorted(root.rglob("*")))
    archive = folder / "initramfs.cpio"
    with archive.open("wb") as out:
        subprocess.run([found["busybox"], "cpio", "-o", "-H", "newc"], input=names.encode(), stdout=out,
                       stderr=subprocess.DEVNULL, cwd=root, check=True)
    return archive


def connected_sockets(folder: Path) -> tuple[socket.socket, socket.socket]:
    """A listening socket, and a socket that has connected to it. Their name is removed, because for
    a socket with a name virtiofsd would leave a lock in /run."""
    listener, client = (socket.socket(socket.AF_UNIX) for _ in range(2))
    descriptor = os.open(folder, os.O_PATH)
    try:
        short = f"/proc/self/fd/{descriptor}/virtiofs"  # the folder's own path may be longer than a socket's name
        listener.bind(short)
        listener.listen(1)
        client.connect(short)
        os.unlink(short)
    finally:
        os.close(descriptor)
    return listener, client


def run(exchange: Path, memory: str, accelerator: str) -> None:
    """Runs the kernel until it ends, and leaves its messages in exchange/log. Throws NotStarted."""
    found = need(PROGRAMS)
    kernel = version()
    as_root = become_root()
    if accelerator == "kvm":
        try:
            os.close(os.open("/dev/kvm", os.O_RDWR))
        except OSError as error:
            raise NotStarted(f"/dev/kvm: {error.strerror}") from error
    folder = exchange / accelerator
    folder.mkdir()
    log = exchange / "log"
    listener, client = connected_sockets(folder)
    stdout, stderr = os.dup(1), os.dup(2)
    parameters = [
        # earlyprintk shows the first messages too. no_timer_check leaves out the kernel's check of
        # its timer. Where the host gives the kernel too little time, that check would fail and end
        # the kernel.
        "console=ttyS0", "earlyprintk=ttyS0", "quiet", "panic=-1", "no_timer_check", "mitigations=off",
        f'"PACBENCH_INIT={HERE}/init"', f'"PACBENCH_EXCHANGE={exchange}"',
        f'"PACBENCH_MODULES={PACKAGE}/lib/modules"', "PACBENCH_OUT=/dev/hvc0", "PACBENCH_ERR=/dev/hvc1",
    ]
    command = [
        found["qemu-system-x86_64"], "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
        "-machine", "q35,memory-backend=memory", *PROCESSOR[accelerator], "-m", memory,
        "-object", f"memory-backend-memfd,id=memory,size={memory},share=on",
        "-kernel", PACKAGE / f"boot/vmlinuz-{kernel}", "-initrd", make_initramfs(folder, found, kernel),
        "-append", " ".join(parameters), "-serial", f"file:{log}",
        "-chardev", f"socket,id=files,fd={client.fileno()}", "-device", "vhost-user-fs-pci,chardev=files,tag=files",
        "-device", "virtio-serial-pci",
    ]
    for name, descriptor in (("out", stdout), ("err", stderr)):
        command += ["-add-fd", f"fd={descriptor},set={descriptor}",
                    "-chardev", f"file,id={name},path=/dev/fdset/{descriptor},append=on",
                    "-device", f"virtconsole,chardev={name}"]
    # With "always", files stay cached. Otherwise each program that starts reads all its libraries
    # again, which takes 0.8 s under tcg.
    server = [*as_root, found["virtiofsd"], f"--fd={listener.fileno()}",
              "-o", "source=/", "-o", "sandbox=chroot", "-o", "cache=always"]
    messages, errors = folder / "virtiofsd", folder / "qemu"
    with (messages.open("wb") as told, errors.open("wb") as complained, listener, client,
          child(server, pass_fds=[listener.fileno()], stdout=told, stderr=told),
          child(command, pass_fds=[client.fileno(), stdout, stderr], stdout=complained, stderr=complained) as process):
        listener.close()
        client.close()
        limit_s = KVM_LIMIT_S if accelerator == "kvm" else None
        if not wait_for_end(process, exchange, limit_s):
            told_by = errors if process.returncode else log
            raise NotStarted(f"QEMU ended with {process.returncode} before its first program: {last_words(told_by)}")

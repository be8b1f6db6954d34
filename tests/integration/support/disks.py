# SPDX-License-Identifier: Apache-2.0
"""Disks that are small, and disks that break."""
import ctypes
import errno
import os
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from .daemon import Daemon
from .limits import SLOW, eventually, patient

MIB = 1 << 20
_libc = ctypes.CDLL(None, use_errno=True)


class SmallDisk:
    """A tmpfs of its own; skips the test where mounting is not permitted."""

    def __init__(self, mebibytes: int):
        self.path = Path(tempfile.mkdtemp(prefix="headway-disk-"))
        options = f"size={mebibytes}m,mode=0700".encode()
        if _libc.mount(b"headway", str(self.path).encode(), b"tmpfs", 0, options) != 0:
            self.path.rmdir()
            raise unittest.SkipTest(f"mounting a small disk is not permitted: {os.strerror(ctypes.get_errno())}")

    def free(self) -> int:
        space = os.statvfs(self.path)
        return space.f_bavail * space.f_frsize

    def fill(self, leave: int = 0, reserve: Path | None = None) -> Path:
        """A file of another program that takes all but `leave` bytes, and nothing of the daemon's ballast."""
        foreign = self.path / "foreign"
        with open(foreign, "ab") as file:
            for _ in range(100):
                taken = self.free() - leave
                if taken <= 0 or reserve is not None and not reserve.exists():
                    break
                try:
                    os.posix_fallocate(file.fileno(), os.fstat(file.fileno()).st_size, taken)
                except OSError as error:
                    if error.errno != errno.ENOSPC:  # the daemon has taken some of it meanwhile
                        raise
        return foreign

    def close(self):
        detach = 2
        _libc.umount2(str(self.path).encode(), detach)
        self.path.rmdir()


class SmallDiskDaemon(Daemon):
    """A daemon whose state lies on a small disk."""

    def __init__(self, disk: SmallDisk, settings: dict | None = None, config: str = ""):
        super().__init__(settings, config)
        self.disk = disk
        self.state_dir = disk.path / "state"

    def close(self):
        try:
            super().close()
        finally:
            self.disk.close()

    @property
    def ballast(self) -> Path:
        return self.state_dir / "headway.ballast"


def strace(inject: str) -> list:
    """The command that runs another one with such system calls; skips the test where it is not permitted."""
    if SLOW > 1:
        raise unittest.SkipTest("sanitizers and strace do not go together")
    command = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={inject}"]
    try:
        done = subprocess.run([*command, "true"], capture_output=True, timeout=patient(60), check=False)
    except FileNotFoundError:
        raise unittest.SkipTest("there is no strace here") from None
    if done.returncode != 0:
        raise unittest.SkipTest(f"strace is not permitted: {done.stderr.decode()[:300]}")
    return command


class Tampering:
    """System calls of a running daemon that fail or wait, by strace; skips the test where that is not permitted."""

    def __init__(self, daemon: Daemon, inject: str):
        command = [*strace(inject), "-p", str(daemon.process.pid)]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        tasks = self._tasks = Path(f"/proc/{daemon.process.pid}/task")

        def attached():
            if self.process.poll() is not None:
                raise unittest.SkipTest(f"strace is not permitted: {self.process.stderr.read().decode()[:300]}")
            return all("TracerPid:\t0\n" not in (task / "status").read_text() for task in tasks.iterdir())
        try:
            eventually(attached, what="strace")
        except BaseException:
            self.stop()
            raise

    def holds_one(self) -> bool:
        """A thread of the daemon is in a call that waits, and not just in one that strace looks at."""
        before = self._held()
        time.sleep(0.1)
        return bool(before & self._held())

    def _held(self) -> set:
        """The threads that stand still, each with how often it has been stopped."""
        held = set()
        for task in self._tasks.iterdir():
            status = (task / "status").read_text()
            if "State:\tt" in status:
                held.add((task.name, status.partition("\nvoluntary_ctxt_switches:")[2]))
        return held

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait()
        self.process.stderr.close()

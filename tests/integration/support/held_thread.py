# SPDX-License-Identifier: Apache-2.0
"""One thread of a daemon stands still while the others run: what a handler that takes long looks like from outside."""
import contextlib
import ctypes
import os
import unittest

SEIZE, INTERRUPT, DETACH = 0x4206, 0x4207, 17
WALL = 0x40000000  # threads that are not children, too

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def ptrace(request, thread):
    if libc.ptrace(request, thread, None, None) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"ptrace: {os.strerror(error)}")


@contextlib.contextmanager
def held(thread):
    """`thread` (an id of the kernel; the process id is that of the main thread) runs again at the end. Skips the test where
    this machine does not let us."""
    try:
        ptrace(SEIZE, thread)
    except OSError as e:
        raise unittest.SkipTest(f"a single thread cannot be held here ({e})") from e
    ptrace(INTERRUPT, thread)
    os.waitpid(thread, WALL)
    try:
        yield
    finally:
        ptrace(DETACH, thread)

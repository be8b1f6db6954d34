# SPDX-License-Identifier: Apache-2.0
"""Code shared by the black-box tests: a daemon, HTTP and SSE clients, recorded sessions."""
import faulthandler
import signal

from .limits import LONG

# A shell starts what runs in the background with these ignored, and programs inherit that; tests send them.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda *_: None)

# ctest ends a test that hangs without a word after HEADWAY_TEST_TIMEOUT (tests/CMakeLists.txt): say before that where it was.
if not LONG:
    faulthandler.dump_traceback_later(870)

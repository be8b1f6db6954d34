# SPDX-License-Identifier: Apache-2.0
"""Code shared by the black-box tests: a daemon, HTTP and SSE clients, recorded sessions."""
import faulthandler

from .limits import LONG

# ctest ends a test that hangs without a word after HEADWAY_TEST_TIMEOUT (tests/CMakeLists.txt): say before that where it was.
if not LONG:
    faulthandler.dump_traceback_later(870)

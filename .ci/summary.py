#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints one line about a ctest run, and the names of the tests that failed or were skipped.

Usage: summary.py JUNIT_XML PRESET SECONDS
"""
import sys
import xml.etree.ElementTree as xml


def main() -> int:
    path, preset, seconds = sys.argv[1:4]
    cases = list(xml.parse(path).getroot().iter("testcase"))
    failed = [c.get("name") for c in cases if c.get("status") == "fail"]
    skipped = [c.get("name") for c in cases if c.get("status") in ("notrun", "disabled")]
    passed = len(cases) - len(failed) - len(skipped)
    for name in failed:
        print(f"  FAILED   {name}")
    for name in skipped:
        print(f"  skipped  {name}")
    print(f"{preset}: {passed} passed, {len(failed)} failed, {len(skipped)} skipped in {seconds} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py TEST.mjs: runs a browser test with node, or says what is missing and exits 77, which ctest takes for skipped."""
import os
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# The first is the engine alone: without the windows of a whole browser, the tests take half the processor time.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser")


def main(test: str) -> int:
    node = shutil.which("node") or shutil.which("nodejs")
    chromium = os.environ.get("HEADWAY_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    missing = [name for name, found in (("node", node), ("chromium", chromium),
                                        ("tests/browser/node_modules (npm ci)", (HERE / "node_modules/playwright-core").exists())) if not found]
    if missing:
        print("skipped: there is no", " and no ".join(missing))
        return 77
    os.environ["HEADWAY_CHROMIUM"] = chromium
    os.execv(node, [node, str(HERE / test)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

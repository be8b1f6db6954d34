# SPDX-License-Identifier: Apache-2.0
"""The table of what HEADWAY_URL may be."""
from .daemon import PROJECT


def daemon_urls() -> list:
    """(given, "http", "https", "unix" or "wrong", its normal form)"""
    lines = (PROJECT / "tests/support/daemon_urls.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("# ")]
    return [(row[0], row[1], row[2] if len(row) > 2 else "") for row in rows]

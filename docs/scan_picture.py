#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scan_picture.py HEADWAY > docs/scan.svg: the output of `headway scan` as a picture, of a home that bench/scan/make_home.py makes up."""
import html
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

COLUMNS, ROWS = 118, 24
WIDTH, LINE = 8.45, 19  # of one character, at 14 px
COLORS = {"31": "#ff8178", "32": "#4cc38a", "33": "#f0b04a", "34": "#6ab3f0", "35": "#b99df7", "36": "#4fc3a1", "90": "#a0a8b0", "2": "#a0a8b0"}


def printed(binary: str) -> str:
    """Output for a terminal of so many columns."""
    with tempfile.TemporaryDirectory() as home:
        maker = Path(__file__).resolve().parent.parent / "bench/scan/make_home.py"
        subprocess.run([sys.executable, maker, home, "40", "--agent", "claude", "--agent", "codex"], check=True)
        ours, theirs = pty.openpty()
        environment = {"HOME": home, "COLUMNS": str(COLUMNS), "LINES": "50", "TERM": "xterm-256color", "LANG": "C.UTF-8", "TZ": "UTC"}
        subprocess.run(["stty", "cols", str(COLUMNS)], stdin=theirs, check=True)
        process = subprocess.Popen([binary, "scan", "--no-cache", "--rows", "6"], stdout=theirs, stderr=subprocess.DEVNULL, env=environment)
        os.close(theirs)
        text = b""
        try:
            while piece := os.read(ours, 65536):
                text += piece
        except OSError:  # a terminal without a program ends so
            pass
        if process.wait() != 0:
            sys.exit("scan failed")
        return text.decode().replace("\r\n", "\n")


def line_of(text: str, number: int) -> str:
    parts, style = [], ""
    for piece in re.split(r"(\x1b\[[0-9;]*[A-Za-z])", text):
        if piece.startswith("\x1b"):
            codes = re.findall(r"\d+", piece)
            style = "".join([*(f' fill="{COLORS[code]}"' for code in codes if code in COLORS), *(' font-weight="600"' for code in codes if code == "1")])
        elif piece:
            parts.append(f"<tspan{style}>{html.escape(piece)}</tspan>")
    return f'<text x="18" y="{64 + number * LINE}" xml:space="preserve">{"".join(parts)}</text>'


def main() -> None:
    lines = ["\x1b[90m$\x1b[0m headway scan", "", *printed(sys.argv[1]).rstrip().split("\n")[:ROWS]]
    width, height = int(COLUMNS * WIDTH + 36), 64 + len(lines) * LINE
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="ui-monospace, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" '
          f'font-size="14" fill="#e7e9ea"><title>headway scan</title><rect width="{width}" height="{height}" rx="10" fill="#0f1113"/>')
    print("".join(f'<circle cx="{22 + i * 20}" cy="22" r="6" fill="{color}"/>' for i, color in enumerate(("#ff8178", "#f0b04a", "#4cc38a"))))
    print("\n".join(line_of(line, number) for number, line in enumerate(lines) if line))
    print("</svg>")


main()

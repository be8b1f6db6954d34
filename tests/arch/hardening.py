#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The binary has what the compiler and the linker can do against exploits: hardening.py BINARY.

Read from the file itself: flags that were given and lost on the way do not count.
"""
import re
import subprocess
import sys


def readelf(binary: str, *options) -> str:
    return subprocess.run(["readelf", "-W", *options, binary], capture_output=True, text=True, check=True).stdout


def findings(binary: str) -> list:
    header, segments = readelf(binary, "-h"), readelf(binary, "-l")
    dynamic, symbols = readelf(binary, "-d"), readelf(binary, "--dyn-syms")
    loads = [line.split() for line in segments.splitlines() if line.strip().startswith("LOAD")]
    flags = ["".join(fields[6:-1]) for fields in loads]
    stack = re.search(r"GNU_STACK.*", segments)
    checks = (
        ("DYN" in header, "not position independent (-fPIE -pie)"),
        ("GNU_RELRO" in segments, "no relocations made read-only (-z relro)"),
        ("BIND_NOW" in dynamic or "NOW" in dynamic, "symbols bound late, so the table stays writable (-z now)"),
        (stack is not None and "RWE" not in stack[0].replace(" ", ""), "an executable stack (-z noexecstack)"),
        (not any("W" in f and "E" in f for f in flags), "a segment that can be written and run"),
        (any(f == "R" for f in flags) and any(f == "RE" for f in flags), "code and constants in one segment (-z separate-code)"),
        ("__stack_chk_fail" in symbols, "no stack protector (-fstack-protector-strong)"),
        (len(set(re.findall(r"__\w+_chk\b", symbols)) - {"__stack_chk_fail"}) >= 3, "no fortified functions (-D_FORTIFY_SOURCE)"),
        ("RPATH" not in dynamic and "RUNPATH" not in dynamic, "a search path for libraries of its own"),
    )
    return [why for good, why in checks if not good]


def self_test() -> list:
    """A program without all of it is found out."""
    import pathlib
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        source, binary = pathlib.Path(folder, "a.c"), pathlib.Path(folder, "a")
        source.write_text("int main(int n, char **v) { char b[64]; b[n] = 0; return b[0] + (v == 0); }\n")
        subprocess.run(["gcc", "-O0", "-fno-stack-protector", "-no-pie", "-Wl,-z,norelro,-z,lazy,-z,execstack,-z,noseparate-code",
                        str(source), "-o", str(binary)], check=True, capture_output=True)
        found = findings(str(binary))
    return [] if len(found) >= 7 else [f"only {found} of a program without any"]


if __name__ == "__main__":
    wrong = self_test() if sys.argv[1:] == ["--self-test"] else findings(sys.argv[1])
    for line in wrong:
        print(line)
    print("clean" if not wrong else f"{len(wrong)} findings")
    sys.exit(bool(wrong))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs headway_training until two runs have counted the same, and prints the folder with these counts, whose name is their
digest: what is compiled by other counts is compiled again.

    bench/training/train.py build/profile
"""
import hashlib
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

# One run takes seconds; a machine that does much else may take this long.
SECONDS_MAX = 1200
RUNS_MAX = 4

# A file of counts (gcc/gcov-io.h of g++ 12): four words, among them the time of its compilation, then records of a tag, a
# length in bytes, below 0 for so many zeros that are left out, and counters of 64 bits; a zero ends it.
HEAD_BYTES, COUNTER_BYTES = 16, 8
TAG_OF_ADDRESSES = 0x01A10000 + (6 << 17)
ALIGNMENT = 16


def without_addresses(counts: bytes) -> bytes:
    """The compiler wants to know how memory is aligned, and counts the bits of all addresses together. Those above the
    alignment of heap and stack are another chance in each process."""
    made, at = bytearray(counts), HEAD_BYTES
    while at + 8 <= len(made):
        tag, length = struct.unpack_from("<Ii", made, at)
        at += 8
        if tag == TAG_OF_ADDRESSES:
            for place in range(at, at + max(length, 0), COUNTER_BYTES):
                address, = struct.unpack_from("<Q", made, place)
                struct.pack_into("<Q", made, place, address and (address % ALIGNMENT | ALIGNMENT))
        at += max(length, 0)
    if made[at:] != bytes(4):
        sys.exit("train: these are no counts of g++ 12")
    return bytes(made)


def run(program: pathlib.Path, folder: pathlib.Path) -> str:
    """The digest of what one run counts; the counts are then in `folder`."""
    shutil.rmtree(folder, ignore_errors=True)
    environment = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    # std::string compares addresses, whose order depends on all that was allocated, so on the length of paths: the run has one
    # of the same length wherever the checkout is.
    with tempfile.TemporaryDirectory(prefix="headway-training-", dir="/tmp") as place:
        subprocess.run([program], cwd=place, env=environment, timeout=SECONDS_MAX, check=True, stdin=subprocess.DEVNULL)
        shutil.copytree(pathlib.Path(place) / "counts", folder)
    digest = hashlib.sha256()
    files = sorted(folder.glob("*.gcda"))
    for file in files:
        counts = without_addresses(file.read_bytes())
        file.write_bytes(counts)
        digest.update(f"{file.name} {len(counts)}\n".encode() + counts[HEAD_BYTES:])
    if not files:
        sys.exit(f"train: {program} has counted nothing")
    return digest.hexdigest()[:16]


def main() -> None:
    build = pathlib.Path(sys.argv[1]).resolve()
    folder, before = build / "training", None
    for _ in range(RUNS_MAX):
        digest = run(build / "headway_training", folder)
        if digest == before:
            break
        before = digest
    else:
        sys.exit(f"train: {RUNS_MAX} runs, and no two in turn have counted the same: something in {folder} depends on time or chance")
    kept = build / "counts" / digest
    if not kept.is_dir():
        shutil.rmtree(build / "counts", ignore_errors=True)
        kept.parent.mkdir()
        folder.rename(kept)
    shutil.rmtree(folder, ignore_errors=True)
    print(kept)


if __name__ == "__main__":
    main()

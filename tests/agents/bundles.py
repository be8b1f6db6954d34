# SPDX-License-Identifier: Apache-2.0
"""The newest releases of agents on npm, unpacked below build/agents/newest, and their bytes. Nothing of them is run."""
import io
import json
import re
import shutil
import subprocess
import tarfile
import zlib
from pathlib import Path

from packages import ROOT, Away

FOLDER = ROOT / "newest"
NPM_SECONDS = 600
BYTES_MAX = 2 << 30  # of one release, unpacked: the largest has 400 MB
READABLE = {".js", ".mjs", ".cjs", ".ts", ".json", ".md", ".node", ""}
VENDORED = re.compile(r"(^|/)(ripgrep|rg|tree-sitter\S*|webview|voice|assets|foundry-local-sdk|node_modules|browser-use|bundled)(/|$)")


def npm(*arguments, folder: Path | None = None) -> str:
    program = shutil.which("npm")
    if program is None:
        raise Away("npm is not installed")
    try:
        done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
                              timeout=NPM_SECONDS)
    except subprocess.TimeoutExpired:
        raise Away(f"npm did not finish in {NPM_SECONDS} s") from None
    if done.returncode != 0:
        words = [line for line in done.stderr.splitlines() if "error" in line.lower()]
        raise Away(f"npm {' '.join(arguments[:2])}: {' | '.join(words[:2])[:300] or done.returncode}")
    return done.stdout


def about(package: str, at: str) -> dict:
    """A release at npm: its version, and the packages that it names."""
    found = json.loads(npm("view", f"{package}@{at}", "version", "dependencies", "optionalDependencies", "--json"))
    named = {**found.get("dependencies", {}), **found.get("optionalDependencies", {})}
    return {"version": found["version"], "named": named}


def spec(name: str, wanted: str) -> str:
    """As `npm pack` takes it; a package may stand under another name than its own."""
    return wanted[4:] if wanted.startswith("npm:") else f"{name}@{wanted}"


def unpack(archive: Path, folder: Path):
    """Files only, none outside of the folder."""
    left = BYTES_MAX
    with tarfile.open(archive) as tar:
        for entry in tar:
            name = Path(entry.name)
            left -= entry.size
            if left < 0:
                raise Away(f"{archive.name} has more than {BYTES_MAX >> 20} MiB")
            if not entry.isfile() or name.is_absolute() or ".." in name.parts:
                continue
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with tar.extractfile(entry) as source, open(target, "wb") as out:
                shutil.copyfileobj(source, out)


def fetch(agent: str, package: str, parts: str, at: str = "latest") -> tuple:
    """(version, folder, what could not be had). `parts`: a pattern of the packages beside it that hold its code."""
    found = about(package, at)
    folder = FOLDER / agent
    done = folder / "version"
    if done.exists() and done.read_text() == found["version"]:
        return found["version"], folder, []
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    wanted = [f"{package}@{found['version']}"]
    wanted += [spec(name, at) for name, at in found["named"].items() if parts and re.fullmatch(parts, name)]
    missing = []
    for number, one in enumerate(wanted):
        try:
            npm("pack", "--loglevel=error", one, folder=folder)
        except Away as error:
            missing.append(f"{one}: {error}")
            continue
        for archive in folder.glob("*.tgz"):
            unpack(archive, folder / str(number))
            archive.unlink()
    if not missing:
        done.write_text(found["version"])
    return found["version"], folder, missing


def inner_archive(data: bytes):
    """A program may carry its files as one compressed archive: what is in it, by name."""
    for start in re.finditer(rb"\x1f\x8b\x08[\x00\x08]", data):
        unzip = zlib.decompressobj(31)
        try:
            head = unzip.decompress(data[start.start():start.start() + (1 << 20)], 1024)
        except zlib.error:
            continue
        if len(head) < 512 or head[257:262] != b"ustar":
            continue
        with tarfile.open(fileobj=io.BytesIO(data[start.start():]), mode="r|gz") as tar:
            for entry in tar:
                if entry.isfile() and Path(entry.name).suffix in READABLE and not VENDORED.search(entry.name):
                    yield entry.name, tar.extractfile(entry).read()
        return


def texts(folder: Path):
    """(name, bytes) of each file that may hold words of the agent."""
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if not path.is_file() or path.suffix not in READABLE or VENDORED.search(name) or name == "version":
            continue
        data = path.read_bytes()
        yield name, data
        if len(data) > (64 << 20):
            yield from inner_archive(data)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Wheel and sdist of this package by the standard library alone, the same bytes each time: `python3 build_backend.py FOLDER`.

It is also the package's build backend (PEP 517), so that `pip install` needs nothing else."""
from __future__ import annotations

import base64
import gzip
import hashlib
import io
import pathlib
import re
import sys
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
EPOCH = (1980, 1, 1, 0, 0, 0)


def _project() -> dict:
    """The few plain forms of TOML that pyproject.toml has: Python 3.9 has no reader."""
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    section = text.split("[project]\n", 1)[1].split("\n[", 1)[0]
    found: dict = dict(re.findall(r'^([\w-]+) = "([^"\n]*)"$', section, re.M))
    for name, items in re.findall(r"^([\w-]+) = \[(.*?)\]$", section, re.M | re.S):
        found[name] = re.findall(r'"([^"]*)"', items)
    points = text.split("[project.entry-points.pytest11]\n", 1)[1].split("\n\n", 1)[0]
    found["points"] = re.findall(r'^(\w+) = "([^"]+)"$', points, re.M)
    return found


def _licence() -> bytes:
    inside = HERE / "LICENSE"
    return (inside if inside.exists() else HERE.parents[1] / "LICENSE").read_bytes()


def _names() -> tuple:
    about = _project()
    return about, about["name"].replace("-", "_") + "-" + about["version"]


def _metadata(about: dict) -> bytes:
    lines = ["Metadata-Version: 2.1", f"Name: {about['name']}", f"Version: {about['version']}", f"Summary: {about['description']}",
             f"License: {about['license']}", f"Keywords: {','.join(about['keywords'])}",
             *(f"Classifier: {item}" for item in about["classifiers"]), "Classifier: License :: OSI Approved :: Apache Software License",
             f"Requires-Python: {about['requires-python']}", "License-File: LICENSE", "Description-Content-Type: text/markdown"]
    return ("\n".join(lines) + "\n\n").encode() + (HERE / "README.md").read_bytes()


def _modules() -> list:
    return sorted(path for path in (HERE / "headway").rglob("*") if path.suffix == ".py" or path.name == "py.typed")


def _info(stem: str, about: dict) -> dict:
    points = "[pytest11]\n" + "".join(f"{name} = {target}\n" for name, target in about["points"])
    wheel = "Wheel-Version: 1.0\nGenerator: headway\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    folder = f"{stem}.dist-info/"
    return {folder + "LICENSE": _licence(), folder + "METADATA": _metadata(about), folder + "WHEEL": wheel.encode(),
            folder + "entry_points.txt": points.encode(), folder + "top_level.txt": b"headway\n"}


def _write_wheel(folder: str, files: dict, info: dict) -> str:
    about, stem = _names()
    name = f"{stem}-py3-none-any.whl"
    record = []
    with zipfile.ZipFile(pathlib.Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        def add(path: str, data: bytes) -> None:
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            wheel.writestr(entry, data)
        for path, data in {**files, **info}.items():
            add(path, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}\n")
        add(f"{stem}.dist-info/RECORD", ("".join(record) + f"{stem}.dist-info/RECORD,,\n").encode())
    return name


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    about, stem = _names()
    files = {path.relative_to(HERE).as_posix(): path.read_bytes() for path in _modules()}
    return _write_wheel(wheel_directory, files, _info(stem, about))


def build_editable(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    about, stem = _names()
    return _write_wheel(wheel_directory, {"headway_agent.pth": f"{HERE}\n".encode()}, _info(stem, about))


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    about, stem = _names()
    files = {"LICENSE": _licence(), "PKG-INFO": _metadata(about)}
    for path in [HERE / "README.md", HERE / "pyproject.toml", HERE / "build_backend.py", *_modules()]:
        files[path.relative_to(HERE).as_posix()] = path.read_bytes()
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, data in files.items():
            entry = tarfile.TarInfo(f"{stem}/{path}")
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
    with open(pathlib.Path(sdist_directory) / f"{stem}.tar.gz", "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        packed.write(raw.getvalue())
    return f"{stem}.tar.gz"


if __name__ == "__main__":
    target = sys.argv[1] if len(sys.argv) > 1 else str(HERE / "dist")
    pathlib.Path(target).mkdir(parents=True, exist_ok=True)
    print(build_sdist(target), build_wheel(target), sep="\n")

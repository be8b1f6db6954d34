#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed.py ESBUILD CMARK OUTPUT FILE...: writes the C++ source that puts the dashboard and the documentation into the program.

It defines what server/web/web_files.hpp declares. The hash over all files is the folder of their addresses, so that a new build is
never mixed with what a browser has kept of an old one. Modules import each other relatively; only pages name the folder.
esbuild makes scripts and style sheets fewer and smaller before; unbundled, the folder works just as well. Files of other folders
become the pages of /docs (guide.py), openapi.json aside.
"""
import gzip
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import guide

WEB = pathlib.Path(__file__).resolve().parent
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
         ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".json": "application/json"}


# Entries that pages and workers name; other modules become part of these or are shared by them.
ENTRIES = {"main.js", "worker.js", "reference.js", "theme.js"}
AS_THEY_ARE = {"uplot.js"}  # minified already, and no module


def bundled(esbuild: str, paths: list) -> dict:
    """The files as they are served, by name."""
    entries = [path for path in paths if path.name in ENTRIES or path.suffix == ".css"]
    files = {path.name: path.read_bytes() for path in paths if path.suffix in (".html", ".svg") or path.name in AS_THEY_ARE}
    files |= {path.name: json.dumps(json.loads(path.read_bytes()), separators=(",", ":")).encode() for path in paths if path.suffix == ".json"}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([esbuild, *map(str, entries), "--bundle", "--splitting", "--format=esm", "--minify", "--target=es2020",
                        "--charset=utf8", "--legal-comments=none", "--chunk-names=shared.[hash]", "--log-level=warning",
                        f"--outdir={folder}"], check=True)
        made = {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}
    # Indentation in a template: htm drops the blanks around a line break, also the break next to a tag; HTML shows one for all of them.
    files |= {name: re.sub(rb"\n +", b"\n", re.sub(rb"(?<=>)\n +|\n +(?=<)", b"", data)) if name.endswith(".js") else data
              for name, data in made.items()}
    return files


def all_files(esbuild: str, cmark: str, paths: list) -> dict:
    """Files that are served, by name: those of web/ and openapi.json, and the rest as pages of /docs."""
    rest = [path for path in paths if path.suffix in (".md", ".toml")]
    files = bundled(esbuild, [path for path in paths if path not in rest])
    template = files.pop("guide.html").decode()
    files["docs/api.html"] = files.pop("reference.html")
    files |= guide.pages(cmark, template, WEB.parent, [path.relative_to(WEB.parent).as_posix() for path in rest])
    return dict(sorted(files.items()))


def numbers(data: bytes) -> str:
    # A text literal of this length is more than the standard promises a compiler takes.
    return ",".join(map(str, data)) or "0"


def main(esbuild: str, cmark: str, output: pathlib.Path, paths: list) -> None:
    files = all_files(esbuild, cmark, paths)
    digest = hashlib.sha256()
    for name, data in files.items():
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    version = digest.hexdigest()[:16]
    arrays, rows = [], []
    for index, (name, data) in enumerate(files.items()):
        if name.endswith(".html"):
            data = data.replace(b"@ASSETS@", b"/assets/" + version.encode())
        packed = gzip.compress(data, 9, mtime=0)
        shorter = len(packed) < len(data)
        content = packed if shorter else data
        arrays.append(f"constexpr unsigned char file_{index}[] = {{{numbers(content)}}};\n")
        stored = f"text(file_{index}, {len(content)})"
        rows.append(f'    {{"{name}", "{TYPES[pathlib.Path(name).suffix]}", {"{}, " + stored if shorter else stored + ", {}"}}},\n')
    output.write_text(
        '#include "server/web/web_files.hpp"\n\n// Made from web/ by web/embed.py.\n\nnamespace headway::server {\nnamespace {\n\n'
        "std::string_view text(const unsigned char* data, std::size_t size) {\n"
        "    return {reinterpret_cast<const char*>(data), size};\n}\n\n" + "".join(arrays) +
        "\n}  // namespace\n\nWebFiles web_files() noexcept {\n    static const WebFile kFiles[] = {\n    " +
        "    ".join(rows) + f'    }};\n    return {{"{version}", kFiles}};\n}}\n\n}}  // namespace headway::server\n',
        encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), [pathlib.Path(path).resolve() for path in sys.argv[4:]])

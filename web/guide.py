# SPDX-License-Identifier: Apache-2.0
"""The pages of /docs: Markdown of this project as HTML, made by cmark-gfm when the program is built.

A link to another page leads to /docs. A link to any other file of the project becomes its words: who reads a daemon has no source.
docs/README.md is the index, and the order of the pages in the navigation.
"""
import html
import pathlib
import posixpath
import re
import subprocess

INDEX = "docs/README.md"
# Each docs/NAME.md is /docs/NAME, and docs/agents/NAME.md is /docs/agent-NAME; these are further pages.
OTHERS = {"CHANGELOG.md": "changelog", "api/API.md": "http-api", "bench/README.md": "bench", "cli/README.md": "cli",
          "config/README.md": "config", "config/default.toml": "settings", "core/detectors/README.md": "detectors",
          "deploy/README.md": "deploy", "storage/FORMAT.md": "format"}
# Address of a page that is none of these.
ELSEWHERE = {"api/openapi/README.md": "/docs/api"}


def address(path: str) -> str:
    """Where a file of the project is served; empty if it is not."""
    if path == INDEX:
        return "/docs"
    folder, name = posixpath.split(path)
    if folder == "docs/agents" and name.endswith(".md"):
        return "/docs/agent-" + ("hooks" if name == "README.md" else name.removesuffix(".md"))
    if folder == "docs" and name.endswith(".md"):
        return "/docs/" + name.removesuffix(".md")
    return "/docs/" + OTHERS[path] if path in OTHERS else ELSEWHERE.get(path, "")


def served_name(path: str) -> str:
    """Name for server/web_pages: /docs/NAME is docs/NAME.html."""
    return address(path)[1:] + ".html"


def slug(heading: str) -> str:
    """The id of a heading in HTML, as GitHub makes it."""
    words = html.unescape(re.sub(r"<[^>]+>", "", heading)).lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


def settings(toml: str) -> str:
    """default.toml as Markdown: what it says first, then each section under its name, with a blank line between settings."""
    intro, _, sections = toml.partition("\n\n")
    page = "# Settings\n\n" + re.sub(r"^# ?", "", intro, flags=re.M) + "\n"
    for section in re.findall(r"^\[.*?(?=^\[|\Z)", sections, re.M | re.S):
        section = re.sub(r"^([^#\[\n].*\n)(?=#)", r"\1\n", section, flags=re.M)
        page += f"\n## `{section.partition(chr(10))[0]}`\n\n```toml\n{section.strip()}\n```\n"
    return page


class Page:
    """One file: `address`, `title`, `body` (HTML), `headings` (level, id, HTML)."""

    def __init__(self, cmark: str, path: str, text: str):
        self.path, self.address, self.headings, self._ids = path, address(path), [], {}
        made = subprocess.run([cmark, "--extension", "table"], check=True, capture_output=True, encoding="utf-8",
                              input=settings(text) if path.endswith(".toml") else text).stdout
        made = re.sub(r"<h([1-6])>(.*?)</h\1>", self._heading, made, flags=re.S)
        made = re.sub(r'<a href="([^"]*)">(.*?)</a>', self._link, made, flags=re.S)
        made = re.sub(r"<img [^>]*>", "", made)
        # A block that scrolls by itself can be scrolled with the keyboard.
        made = made.replace("<pre>", '<pre tabindex="0">')
        self.body = made.replace("<table>", '<div class="wide" tabindex="0"><table>').replace("</table>", "</table></div>")
        self.title = next((re.sub(r"<[^>]+>", "", text) for level, _, text in self.headings if level == "1"), path)

    def _heading(self, match: re.Match) -> str:
        level, text = match.groups()
        name = slug(text)
        again = self._ids[name] = self._ids.get(name, -1) + 1
        name += f"-{again}" if again else ""
        self.headings.append((level, name, text))
        mark = f' <a class="mark" href="#{name}" aria-hidden="true" tabindex="-1">#</a>'
        return f'<h{level} id="{name}">{text}{mark if level != "1" else ""}</h{level}>'

    def _link(self, match: re.Match) -> str:
        target, text = html.unescape(match[1]), match[2]
        if re.match(r"https?:|#", target):
            return match[0]
        file, hash_sign, fragment = target.partition("#")
        leads = address(posixpath.normpath(posixpath.join(posixpath.dirname(self.path), file)))
        return f'<a href="{html.escape(leads + hash_sign + fragment)}">{text}</a>' if leads else text


def without_dead_ends(body: str) -> str:
    """The index without the items that lead nowhere."""
    return re.sub(r"<li>(?:(?!<a |</li>).)*</li>\n", "", body, flags=re.S)


def navigation(index: Page, page: Page) -> str:
    """The list of pages; below the one that is open, its parts."""
    rows = []
    for title, leads, text in re.findall(r'<h2[^>]*>(.*?) <a class="mark"|<li>\s*<a href="(/docs[^"#]*)">(.*?)</a>', index.body, re.S):
        if title:
            rows.append(f"<h2>{title}</h2>")
            continue
        here = leads == page.address
        rows.append(f'<a href="{leads}"{" aria-current=" + chr(34) + "page" + chr(34) if here else ""}>{text}</a>')
        if here:
            rows += [f'<a class="part" href="#{name}">{part}</a>' for level, name, part in page.headings if level == "2"]
    return "\n".join(rows)


def pages(cmark: str, template: str, root: pathlib.Path, paths: list) -> dict:
    """The pages of these files, complete except for @ASSETS@, by the name that they are served under."""
    made = {path: Page(cmark, path, (root / path).read_text(encoding="utf-8")) for path in paths}
    index = made[INDEX]
    index.body = without_dead_ends(index.body)
    served = {}
    for path, page in made.items():
        values = {"@TITLE@": page.title, "@PAGES@": navigation(index, page), "@TEXT@": page.body}
        served[served_name(path)] = re.sub("|".join(values), lambda match: values[match[0]], template).encode()
    return served

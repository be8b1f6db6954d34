#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documentation: its files, how they become pages, and the pages that a daemon serves at /docs."""
import html
import posixpath
import re
import shutil
import sys
import unittest

from support.case import SharedDaemonCase
from support.daemon import PROJECT

sys.path.insert(0, str(PROJECT / "web"))
import guide  # noqa: E402

FILES = sorted(path.relative_to(PROJECT).as_posix() for path in PROJECT.glob("docs/**/*.md")) + list(guide.OTHERS)
CMARK = shutil.which("cmark-gfm")


def made(path: str, text: str) -> guide.Page:
    return guide.Page(CMARK, path, text)


@unittest.skipUnless(CMARK, "cmark-gfm is not installed")
class Rendering(unittest.TestCase):
    def test_a_heading_has_the_id_that_github_gives_it(self):
        for heading, name in (("Two words", "two-words"), ("<code>GET /a/{id}</code> · <code>POST /b</code>", "get-aid--post-b"),
                              ("What's new?", "whats-new"), ("5.1 Repeats", "51-repeats"), ("a_b &amp; c-d", "a_b--c-d"), ("Größe", "größe")):
            self.assertEqual(guide.slug(heading), name)
        page = made("docs/agents.md", "# Top\n\n## Part\n\n## Part\n\n### `part`\n")
        self.assertEqual([name for _, name, _ in page.headings], ["top", "part", "part-1", "part-2"])
        self.assertEqual(re.findall(r'<h\d id="([^"]+)"', page.body), ["top", "part", "part-1", "part-2"])
        self.assertEqual(page.title, "Top")

    def test_a_link_leads_to_a_page_or_becomes_its_words(self):
        for source, target, leads in (
                ("docs/agents.md", "verdicts.md", "/docs/verdicts"), ("docs/agents.md", "verdicts.md#tune", "/docs/verdicts#tune"),
                ("docs/agents.md", "README.md", "/docs"), ("docs/agents.md", "../api/API.md#access", "/docs/http-api#access"),
                ("docs/README.md", "agents/README.md", "/docs/agent-hooks"), ("docs/agents/pi.md", "claude.md", "/docs/agent-claude"),
                ("docs/agents.md", "#here", "#here"), ("docs/agents.md", "https://example.com/a", "https://example.com/a"),
                ("api/API.md", "openapi/README.md", "/docs/api"), ("core/detectors/README.md", "../../docs/detection.md", "/docs/detection"),
                ("docs/agents.md", "../config/default.toml", "/docs/settings"),
                ("docs/agents.md", "../core/base/limits.hpp", None), ("docs/agents.md", "../README.md", None)):
            with self.subTest(source=source, target=target):
                body = made(source, f"See [`the` words]({target}).").body
                words = "<code>the</code> words"
                self.assertEqual(body, f"<p>See <a href=\"{leads}\">{words}</a>.</p>\n" if leads else f"<p>See {words}.</p>\n")

    def test_what_could_run_or_be_fetched_is_left_out(self):
        body = made("docs/agents.md", "<script>x</script>\n\n![a](b.png) [c](javascript:d)\n").body
        self.assertNotRegex(body, r"<script|<img|javascript:")

    def test_a_table_and_code_scroll_by_themselves(self):
        body = made("docs/agents.md", "| a | b |\n|---|---:|\n| 1 | 2 |\n\n    code\n").body
        self.assertRegex(body, r'^<div class="wide" tabindex="0"><table>[^§]*</table></div>\n<pre tabindex="0"><code>code\n</code></pre>\n$')
        self.assertNotIn("style=", body)

    def test_the_settings_are_sections(self):
        page = made("config/default.toml", '# All\n# of them.\n\n[server]\n# Where.\nlisten = "a"\n# Too.\nb = 1\n\n[log]\n# [x]\nlevel = 1\n')
        self.assertEqual([name for _, name, _ in page.headings], ["settings", "server", "log"])
        self.assertIn("<p>All\nof them.</p>", page.body)
        self.assertIn("[server]\n# Where.\nlisten = &quot;a&quot;\n\n# Too.\nb = 1\n</code>", page.body)

    def test_the_index_leaves_out_what_leads_nowhere(self):
        self.assertEqual(guide.without_dead_ends('<li>a <a href="b">b</a>\n</li>\n<li>c</li>\n<li>d\ne</li>\n'), '<li>a <a href="b">b</a>\n</li>\n')

    def test_a_command_is_not_joined_to_a_heading_or_a_sentence(self):
        """It would have a run of blanks in front."""
        for path in [*FILES, "README.md"]:
            if path.endswith(".md"):
                text = re.sub(r"^```.*?^```", "", (PROJECT / path).read_text(encoding="utf-8"), flags=re.M | re.S)
                self.assertEqual(re.findall(r"^(?! {4}|\|).*\S {3,}\S.*$", text, re.M), [], path)

    def test_links_of_the_files_lead_to_files_and_headings(self):
        """A mistyped one would otherwise just lose its link."""
        headings = {path: {name for _, name, _ in made(path, (PROJECT / path).read_text(encoding="utf-8")).headings} for path in FILES}
        count = 0
        for path in FILES:
            if not path.endswith(".md"):
                continue
            text = re.sub(r"^```.*?^```|`[^`\n]*`", "", (PROJECT / path).read_text(encoding="utf-8"), flags=re.M | re.S)
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"https?:", target):
                    continue
                file, _, fragment = target.partition("#")
                leads = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) if file else path
                with self.subTest(f"{path}: {target}"):
                    self.assertTrue((PROJECT / leads).exists())
                    if fragment and leads in headings:
                        self.assertIn(fragment, headings[leads])
                count += 1
        self.assertGreater(count, 100)


class Served(SharedDaemonCase):
    def page(self, target: str) -> str:
        reply = self.client.get(target)
        self.assertEqual((reply.status, reply.headers["content-type"]), (200, "text/html; charset=utf-8"), target)
        self.assertIn("default-src 'none'; script-src 'self'; style-src 'self'", reply.headers["content-security-policy"])
        return reply.body.decode()

    def test_every_link_of_every_page_leads_somewhere(self):
        pages, todo = {}, ["/docs"]
        while todo:
            target = todo.pop()
            if target in pages or target == "/":
                continue
            pages[target] = self.page(target)
            found = [html.unescape(link).partition("#")[0] for link in re.findall(r'<a [^>]*href="([^"]+)"', pages[target])]
            todo += [link for link in found if link.startswith("/docs")]
        self.assertEqual(set(pages), {guide.address(path) for path in FILES} | {"/docs/api"})
        for source, page in pages.items():
            for link in map(html.unescape, re.findall(r'(?:href|src)="([^"]+)"', page)):
                with self.subTest(f"{source}: {link}"):
                    self.lead_somewhere(pages, source, link)

    def lead_somewhere(self, pages: dict, source: str, link: str):
        target, _, fragment = link.partition("#")
        target = target or source
        if target in pages:
            if fragment:
                self.assertIn(f' id="{html.escape(fragment)}"', pages[target])
        elif target.startswith("/"):
            self.assertEqual(self.client.get(target).status, 200)
        else:
            self.assertTrue(target.startswith("https://") or target.startswith("http://127.0.0.1"), "a link out of the documentation")

    def test_a_page_has_its_title_the_list_of_pages_and_nothing_inline(self):
        titles = {}
        for path in FILES:
            page = self.page(guide.address(path))
            titles[path] = re.search(r"<title>(.*) · Headway</title>", page)[1]
            self.assertEqual(re.findall(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|@ASSETS@|<img", page), [], path)
            here = re.findall(r'<a href="([^"]+)" aria-current="page">', page)
            self.assertIn(here, ([guide.address(path)], []))
            self.assertEqual(bool(here), f'<li><a href="{guide.address(path)}">' in self.page("/docs"), path)
            for other in ("/docs/getting-started", "/docs/http-api", "/docs/api"):
                self.assertIn(f'href="{other}"', page.partition('<nav id="pages"')[2], path)
        self.assertEqual(len(set(titles.values())), len(titles))
        self.assertEqual((titles["docs/agents.md"], titles["config/default.toml"]), ("Agents", "Settings"))

    def test_another_page_is_a_problem_that_names_the_list(self):
        for name in ("nothing", "agents.md", "agents.html", "README", "../docs", "%61gents", ""):
            reply = self.client.get(f"/docs/{name}")
            self.assertEqual((reply.status, reply.json()["code"]), (404, "unknown_route"), name)
        self.assertIn("/docs lists them", self.client.get("/docs/nothing").json()["detail"])
        self.assertEqual(self.client.post("/docs/agents", {}).status, 405)

    def test_a_page_is_kept_and_comes_compressed(self):
        whole = self.client.get("/docs/http-api")
        self.assertEqual(self.client.get("/docs/http-api", If_None_Match=whole.headers["etag"]).status, 304)
        packed = self.client.get("/docs/http-api", Accept_Encoding="gzip")
        self.assertEqual(packed.headers["content-encoding"], "gzip")
        self.assertLess(len(packed.body), len(whole.body) / 2)

    def test_all_pages_together_weigh_little(self):
        sizes = {"": 0, "gzip": 0}
        for path in FILES:
            for coding in sizes:
                sizes[coding] += len(self.client.get(guide.address(path), Accept_Encoding=coding or "identity").body)
        self.assertLess(sizes[""], 760 * 1024)
        self.assertLess(sizes["gzip"], 250 * 1024)


if __name__ == "__main__":
    unittest.main()

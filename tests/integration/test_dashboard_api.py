#!/usr/bin/env python3
"""What the dashboard is served and reads: its files, the overview, rows of sessions, logins, the system."""
import gzip
import re
import unittest

from support.case import SharedDaemonCase

SECURITY = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
            "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin"}


class Pages(SharedDaemonCase):
    settings = {"access.mode": "token"}

    def test_the_page_is_served_to_anybody(self):
        reply = self.client.get("/")
        self.assertEqual((reply.status, reply.headers["content-type"]), (200, "text/html; charset=utf-8"))
        self.assertEqual(reply.headers["cache-control"], "no-cache")
        self.assertIn("default-src 'none'", reply.headers["content-security-policy"])
        self.assertNotIn(b"@ASSETS@", reply.body)
        self.assertLessEqual(SECURITY.items(), reply.headers.items())

    def test_a_page_that_was_read_before_is_not_sent_again(self):
        tag = self.client.get("/").headers["etag"]
        reply = self.client.get("/", If_None_Match=tag)
        self.assertEqual((reply.status, reply.body), (304, b""))
        self.assertEqual(reply.headers["etag"], tag)
        self.assertNotIn("content-length", reply.headers)

    def test_assets_are_kept_by_the_hash_of_the_build(self):
        tag = re.search(r'"(\w+)"', self.client.get("/").headers["etag"]).group(1)
        reply = self.client.get(f"/assets/{tag}/index.html")
        self.assertEqual((reply.status, reply.headers["cache-control"]), (200, "public, max-age=31536000, immutable"))
        other = self.client.get("/assets/0/index.html")
        self.assertEqual((other.status, other.headers["cache-control"], other.body), (200, "no-cache", reply.body))
        packed = self.client.get(f"/assets/{tag}/index.html", Accept_Encoding="gzip")
        self.assertEqual((packed.headers["content-encoding"], gzip.decompress(packed.body)), ("gzip", reply.body))

    def test_what_is_no_asset_is_not_found(self):
        for path in ("/assets/0/none.js", "/assets/0/embed.py", "/assets/x", "/assets/0/../index.html"):
            reply = self.client.get(path)
            self.assertEqual((reply.status, reply.json()["code"]), (404, "unknown_route"), path)

    def test_every_reply_says_that_it_is_what_it_is_and_ours(self):
        for path in ("/livez", "/v1/sessions", "/nowhere", "/assets/0/none.js"):
            self.assertLessEqual(SECURITY.items(), self.client.get(path).headers.items(), path)


if __name__ == "__main__":
    unittest.main()

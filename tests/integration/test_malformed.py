#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Violations of RFC 9112 and 9110 over a real socket: a few of each kind, since malformed_requests_test.cpp has all of them,
each cut at every byte; and of JSON all that must not reach a handler. Every case has the expected reply."""
import json
import unittest
from dataclasses import dataclass

from support.case import unique
from support.http import RawConnection
from support.malformed import EVENTS, GET, HOST, POST, TE, MalformedCase, body, get, raw

BAD = (400, "bad_request")
SMUGGLED = "POST /v1/sessions/absent/events HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 0\r\n\r\n"


def line(name, text, status=400, code="bad_request", closes=True):
    """A request line, with a good header behind it."""
    return raw(name, f"{text}\r\n{HOST}\r\n", status, code, closes=closes)


def field(name, text, status=400, code="bad_request", named=None, closes=True):
    """A line of the header, between good ones."""
    return raw(name, f"{GET}{HOST}{text}\r\nX-Last: 1\r\n\r\n", status, code, named, closes)


def host(name, value, status=421, code="unknown_host", closes=False):
    return raw(name, f"{GET}Host: {value}\r\n\r\n", status, code, "Host", closes)


def length(name, value, status=400, code="bad_request", named=None, content="hello"):
    return raw(name, f"{POST}Content-Length:{value}\r\n\r\n{content}", status, code, named)


def chunks(name, wire, status=400, code="bad_request"):
    """A chunked body, and behind it what some other server might take for the next request."""
    return raw(name, f"{POST}Transfer-Encoding: chunked\r\n\r\n{wire}{SMUGGLED}", status, code, TE)


def coding(name, value, status=411, code="length_required", named=TE):
    """A Transfer-Encoding, and behind it what some other server might take for the next request."""
    return raw(name, f"{POST}Transfer-Encoding:{value}\r\n\r\n0\r\n\r\n{SMUGGLED}", status, code, named)


LINES = [
    line("space before the method", " GET /livez HTTP/1.1"),
    line("two spaces behind the method", "GET  /livez HTTP/1.1"),
    line("two spaces before the version", "GET /livez  HTTP/1.1"),
]

ROUTING = [
    get("two slashes first", "//livez", 404, "unknown_route"),
    get("dots that lead upwards", "/../livez", 404, "unknown_route"),
    get("dots in disguise", "/%2e%2e/livez", 404, "unknown_route"),
    get("line ends in a parameter", "/v1/sessions?limit=1%0d%0aX-Evil:%201", 400, "invalid_parameter", "limit"),
]

FIELDS = [
    field("space in a name", "X Y: 1"),
    field("tab before the colon", "X\t: 1"),
    field("space before a name", " X: 1"),
]

HOSTS = [
    host("no port", "127.0.0.1"),
    host("port 0", "127.0.0.1:0"),
    host("an empty port", "127.0.0.1:"),
]

ORIGINS = [
    get(f"Origin {origin}", "/v1/sessions", 403, "forbidden_origin", "Origin", f"Origin: {origin}\r\n")
    for origin in ("http://127.0.0.1", "http://127.0.0.1:PORT.evil.example", "http://evil.example:PORT",
                   "http://127.0.0.1:PORT@evil.example", "http://evil.example/http://127.0.0.1:PORT", "127.0.0.1:PORT",
                   "ftp://127.0.0.1:PORT", "file://", "null, http://127.0.0.1:PORT", "http://[::1]", "chrome-extension://abc",
                   "http://127.0.0.1:PORT/", "http://http://127.0.0.1:PORT")
] + [
    get("same-site fetch", "/livez", 403, "forbidden_origin", None, "Sec-Fetch-Site: same-site\r\n"),
    body("a form in JSON's clothes", "type=message", 415, "unsupported_media_type", "Content-Type", kind="text/plain; application/json"),
    body("two types in one line", "{}", 415, "unsupported_media_type", "Content-Type", kind="text/plain, application/json"),
]

LENGTHS = [
    length("a length with a fraction", " 5.0"),
    length("a length with an exponent", " 5e0"),
    length("a length with an underscore", " 5_0"),
]

CODINGS = [
    coding("chunked with a parameter", " chunked;q=1"),
    coding("a comma behind chunked", " chunked,"),
    coding("a comma before chunked", " ,chunked"),
]

# Each in the place of a tool's arguments. A careless parser lets these through.
NO_JSON = {
    "array without an end": "[1", "array without a start": "1]", "two commas": "[1,,2]", "comma first": "[,1]", "comma last": "[1,]",
    "only a comma": "[,]", "colon for a comma": '["a":1]', "comma for a colon": '{"a",1}', "colon missing": '{"a" 1}',
    "value missing": '{"a":}', "key missing": "{:1}", "key without quotes": "{a:1}", "key is a number": "{1:1}",
    "key is null": "{null:1}", "single quotes": "{'a':1}", "two colons": '{"a"::1}', "two values": '{"a":1 2}',
    "object comma last": '{"a":1,}', "object comma first": '{,"a":1}', "object closed by a bracket": '{"a":1]',
    "array closed by a brace": "[1}", "object without an end": '{"a":1', "comment": "[1/*x*/]", "comment to the line's end": "[1//x\n]",
    "hash comment": "[1#x\n]", "True": "[True]", "tru": "[tru]", "nul": "[nul]", "undefined": "[undefined]", "NaN": "[NaN]",
    "Infinity": "[Infinity]", "-Infinity": "[-Infinity]", "-NaN": "[-NaN]", "plus": "[+1]", "plus inside": "[1+2]", "double minus": "[--1]",
    "minus alone": "[-]", "minus space": "[- 1]", "point first": "[.5]", "minus point": "[-.5]", "point last": "[5.]", "two points": "[1.2.3]",
    "point exponent": "[1.e1]", "exponent alone": "[1e]", "exponent plus": "[1e+]", "two exponents": "[1e1e1]", "zeros first": "[012]",
    "minus zeros": "[-012]", "hexadecimal": "[0x1F]", "octal": "[0o7]", "underscores": "[1_000]", "letter behind a number": "[1a]",
    "a wide digit": "[\uff11]", "a thousand's comma": '{"a":1,000}', "1e400": "[1e400]", "-1e400": "[-1e400]",
    "1e99999999999": "[1e99999999999]", "raw tab in a string": '["a\tb"]', "raw line end in a string": '["a\nb"]', "raw DEL-like 1F": '["\x1f"]',
    "string without an end": '["abc]', "escape at the end": '["abc\\"]', "unknown escape": '["\\x41"]', "capital U": '["\\U0041"]',
    "three hex digits": '["\\u041"]', "no hex digits": '["\\uZZZZ"]', "escaped NUL byte": '["\\\0"]', "octal escape": '["\\101"]',
    "escaped line end": '["a\\\nb"]', "lone high surrogate": '["\\uD800"]', "lone low surrogate": '["\\uDC00"]',
    "surrogates in the wrong order": '["\\uDC00\\uD800"]', "high surrogate and a letter": '["\\uD800\\u0041"]',
    "high surrogate twice": '["\\uD800\\uD800"]', "half of a surrogate": '["\\uD800\\u"]', "form feed as white space": "[\f1]",
    "vertical tab as white space": "[\v1]", "no-break space": "[\u00a01]", "wide space": "[\u30001]", "word joiner": "[\u20601]",
    "65 levels of lists": "[" * 65 + "]" * 65, "65 levels of objects": '{"a":' * 65 + "1" + "}" * 65, "100,000 open braces": '{"a":' * 100_000,
    "same key twice": '{"a":1,"a":1}', "same key in an escape": '{"a":1,"\\u0061":2}', "same empty key twice": '{"":1,"":2}',
    "same key far apart": "{" + ",".join(f'"k{i}":{i}' for i in range(500)) + ',"k0":1}',
}
NO_JSON_BYTES = {
    "a lone continuation byte": b'["\x80"]', "a cut sequence of two": b'["\xc3"]', "a cut sequence of three": b'["\xe2\x82"]',
    "a cut sequence of four": b'["\xf0\x9f\x98"]', "an overlong NUL": b'["\xc0\x80"]', "an overlong slash of three": b'["\xe0\x80\xaf"]',
    "an overlong slash of four": b'["\xf0\x80\x80\xaf"]', "above U+10FFFF": b'["\xf4\x90\x80\x80"]', "five bytes": b'["\xf8\x88\x80\x80\x80"]',
    "six bytes": b'["\xfc\x84\x80\x80\x80\x80"]', "FE": b'["\xfe"]', "FF in a key": b'{"\xff":1}', "Latin-1": b'["\xe9"]',
    "a surrogate in three bytes": b'["\xed\xbf\xbf"]', "a surrogate pair in six bytes": b'["\xed\xa0\xbd\xed\xb8\x80"]',
    "UTF-8 outside of a string": b"[\xc3\xa9]", "NUL in a key": b'{"a\0b":1}', "NUL behind a number": b"[123\0]", "FF alone": b"\xff",
}
# Valid texts: the same places, well formed.
GOOD_JSON = [
    "[]", "{}", "[[]]", '{"a":{}}', "[null,true,false]", "[0,-0,0.0,-0.0,0e1,0e+1,1E-2,1e22]", "[1.7976931348623157e308,5e-324,1e-400]",
    "[9223372036854775807,-9223372036854775808,18446744073709551615,18446744073709551616,-9223372036854775809]",
    "[123456789012345678901234567890.123456789012345678901234567890]", '["\\u0000\\b\\f\\n\\r\\t\\"\\\\\\/"]', '["\\uD83D\\uDE00"]',
    '["\U0001f600\u20ac\u00e9"]', '["\u2028\u2029\ufeff\uffff\ufdd0"]', '["\x7f"]', '{"":1}', '{"a\\u0000b":1}', ' [ 1 ,\t2\r\n, 3 ] ',
    "[" * 60 + "]" * 60, '{"a":1,"A":2}', '["' + "x" * 4000 + '"]', "[" + "1," * 5000 + "1]", '"text"', "7", "true",
]


def args(value) -> bytes:
    value = value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
    return b'{"type":"tool.finished","data":{"tool":"x","args":' + value + b"}}"


JSON = [body(f"JSON: {name}", args(value), 400, "invalid_json") for name, value in {**NO_JSON, **NO_JSON_BYTES}.items()]
JSON += [body("JSON: a byte order mark", b"\xef\xbb\xbf" + args("1"), 400, "invalid_json"),
         body("JSON: UTF-16, big end first", args("1").decode().encode("utf-16-be"), 400, "invalid_json"),
         body("JSON: UTF-32", args("1").decode().encode("utf-32"), 400, "invalid_json"),
         body("JSON: gzip", b"\x1f\x8b\x08\x00\x00\x00\x00\x00", 400, "invalid_json"),
         body("JSON: 200,001 values", args("[" + "0," * 200_000 + "0]"), 400, "invalid_json"),
         body("JSON: a million brackets", b"[" * 1_000_000, 400, "invalid_json"),
         body("JSON: lines that are none", b'{"type":"message"}\r{"type":"message"}', 400, "invalid_json", kind="application/x-ndjson"),
         body("a number of 2^64", '{"type":"heartbeat","data":{"iteration":18446744073709551616}}', 400, "invalid_field", "/data/iteration"),
         body("a number of 1e300", '{"type":"heartbeat","data":{"iteration":1e300}}', 400, "invalid_field", "/data/iteration"),
         body("a control body one byte too long", b" " * 65537, 413, "body_too_large", "Content-Length", "/v1/sessions/bad/cancel",
              closes=True),
         body("an approval one byte too long", b" " * 262145, 413, "body_too_large", "Content-Length", "/v1/sessions/bad/approvals",
              closes=True),
         body("a decision one byte too long", b" " * 262145, 413, "body_too_large", "Content-Length", "/v1/approvals/bad.a1/decision",
              closes=True)]


class Malformed(MalformedCase):
    def test_request_lines(self):
        self.check_table(LINES)

    def test_paths(self):
        self.check_table(ROUTING)

    def test_header_fields(self):
        self.check_table(FIELDS)

    def test_hosts(self):
        self.check_table(HOSTS)

    def test_origins_and_types(self):
        self.check_table(ORIGINS)

    def test_lengths(self):
        self.check_table(LENGTHS)

    def test_transfer_codings(self):
        self.check_table(CODINGS)

    def test_json(self):
        self.check_table(JSON)

    def test_good_json_of_every_shape_is_taken(self):
        for value in GOOD_JSON:
            with self.subTest(value[:60]):
                reply = self.client.post(f"/v1/sessions/{unique()}/events", args(value))
                self.assertEqual(reply.status, 200, reply.body)


@dataclass
class Conversation:
    """Bytes sent at once, and the statuses that must come back; None = the connection closes behind them."""
    name: str
    text: str
    statuses: list
    skips: bool = False  # a refused body is skipped if it has come with its header; else the connection closes behind the refusal

    def statuses_wanted(self) -> list:
        return [s for s in self.statuses if s is not None]

    @property
    def closes(self) -> bool:
        return None in self.statuses


LIVE = f"{GET}{HOST}\r\n"
LIVE_LENGTH = len(LIVE.replace("PORT", "12345"))  # a port that the kernel chose has five digits
EVENT = '{"type":"message"}'
REPORT = f"POST /v1/sessions/talk/events HTTP/1.1\r\n{HOST}Content-Type: application/json\r\n"
WHOLE = f"{REPORT}Content-Length: {len(EVENT)}\r\n\r\n{EVENT}"

CHUNKS = "".join(f"{len(piece):X}\r\n{piece}\r\n" for piece in (EVENT[:5], EVENT[5:])) + "0\r\n\r\n"

CONVERSATIONS = [
    Conversation("an ordinary pipeline", LIVE + WHOLE + LIVE, [200, 200, 200]),
    Conversation("a body that looks like a request is a body", f"{REPORT}Content-Length: {LIVE_LENGTH}\r\n\r\n{LIVE}" + LIVE, [400, 200]),
    Conversation("the same where the body is not wanted", f"POST /nowhere HTTP/1.1\r\n{HOST}Content-Length: 4\r\n\r\nGET " + LIVE,
                 [404, 200], skips=True),
    *(Conversation(f"a chunked body ({name})", f"{REPORT}Transfer-Encoding:{value}\r\n\r\n{CHUNKS}" + LIVE, [200, 200])
      for name, value in (("capitals", " CHUNKED"), ("a tab", "\tchunked"), ("no space", "chunked"), ("a space behind", " chunked "))),
    Conversation("what came by way of a proxy is not let in as local", f"{GET}{HOST}X-Forwarded-Host: evil.example\r\n\r\n"
                 + LIVE, [403, 200]),
]


class Talking(MalformedCase):
    def test_conversations_are_cut_into_requests_where_they_must_be(self):
        for talk in CONVERSATIONS:
            with self.subTest(talk.name):
                self.hold(talk, lambda connection, data: connection.send_some(data))

    def test_the_same_byte_by_byte(self):
        for talk in CONVERSATIONS:
            with self.subTest(talk.name):
                if talk.skips:
                    talk = Conversation(talk.name, talk.text.partition("\r\n\r\n")[0] + "\r\n\r\n", [*talk.statuses[:1], None])
                self.hold(talk, self.dribble)

    @staticmethod
    def dribble(connection, data: bytes):
        for i in range(len(data)):
            connection.send_some(data[i:i + 1])

    def hold(self, talk: Conversation, send):
        with RawConnection(self.daemon.port) as connection:
            send(connection, talk.text.replace("PORT", str(self.daemon.port)).encode("latin-1"))
            got = [connection.reply().status for _ in talk.statuses_wanted()]
            self.assertEqual(got, talk.statuses_wanted())
            if talk.closes:
                self.assertTrue(connection.closed_by_server(), "the connection stays, or says more")
            else:
                self.assertEqual(connection.request("GET", "/v1/version").status, 200)
        self.assertEqual(self.client.get("/livez").json(), {"status": "ok"})

    def test_the_largest_header_is_taken_and_one_byte_more_is_not(self):
        for extra, status in ((0, 200), (1, 431)):
            with RawConnection(self.daemon.port) as connection:
                head = f"{GET}{HOST}X: ".replace("PORT", str(self.daemon.port))
                connection.send_some((head + "a" * (8192 - len(head) - 4 + extra) + "\r\n\r\n").encode())
                self.assertEqual(connection.reply().status, status)

    def test_a_peer_that_leaves_in_the_middle_leaves_nothing(self):
        for cut in range(1, len(WHOLE), 7):
            with RawConnection(self.daemon.port) as connection:
                connection.send(WHOLE.replace("PORT", str(self.daemon.port)).replace("talk", "absent").encode()[:cut])
        self.assertEqual(self.client.get("/v1/sessions/absent").status, 404)


if __name__ == "__main__":
    unittest.main()

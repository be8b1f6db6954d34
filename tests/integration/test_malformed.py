#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Violations of RFC 9112 and 9110 that test_bad_input.py does not have. Every case has the expected answer."""
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
    line("tab behind the method", "GET\t/livez HTTP/1.1"),
    line("tab before the version", "GET /livez\tHTTP/1.1"),
    line("vertical tab behind the method", "GET\x0b/livez HTTP/1.1"),
    line("space behind the version", "GET /livez HTTP/1.1 "),
    line("word behind the version", "GET /livez HTTP/1.1 HTTP/1.0"),
    line("no method", " /livez HTTP/1.1"),
    line("a bracket in the method", "GE(T /livez HTTP/1.1"),
    line("a control character in the method", "GE\x01T /livez HTTP/1.1"),
    line("NUL before the method", "\0GET /livez HTTP/1.1"),
    line("a method beyond ASCII", "G\xcbT /livez HTTP/1.1"),
    line("a quoted method", '"GET" /livez HTTP/1.1'),
    line("a method of 9,000 letters", "G" * 9000 + " /livez HTTP/1.1", 431, "header_too_large"),
    line("version with a letter behind it", "GET /livez HTTP/1.1x"),
    line("version without a point", "GET /livez HTTP/11", 505, "http_version"),
    line("version 1.10", "GET /livez HTTP/1.10", 505, "http_version"),
    line("version 1.2", "GET /livez HTTP/1.2", 505, "http_version"),
    line("version 0.9", "GET /livez HTTP/0.9", 505, "http_version"),
    line("version 3", "GET /livez HTTP/3", 505, "http_version"),
    line("version 01.1", "GET /livez HTTP/01.1", 505, "http_version"),
    line("version with a comma", "GET /livez HTTP/1,1"),
    line("another protocol", "GET /livez HTTPS/1.1"),
    line("RTSP", "DESCRIBE rtsp://x RTSP/1.0"),
    line("a space inside the version", "GET /livez HTTP /1.1"),
    raw("simple request of HTTP/0.9", "GET /livez\r\n\r\n", *BAD),
    raw("CONNECT", f"CONNECT 127.0.0.1:22 HTTP/1.1\r\n{HOST}\r\n", *BAD),
    raw("OPTIONS of the server", f"OPTIONS * HTTP/1.1\r\n{HOST}\r\n", *BAD),
    raw("a URL of another host", f"GET http://evil.example/livez HTTP/1.1\r\n{HOST}\r\n", *BAD),
    raw("a target without a slash", f"GET livez HTTP/1.1\r\n{HOST}\r\n", *BAD),
    raw("only a query", f"GET ?a=b HTTP/1.1\r\n{HOST}\r\n", *BAD),
    raw("backslash in the target", f"GET /..\\livez HTTP/1.1\r\n{HOST}\r\n", 400, "bad_request", "target"),
    raw("DEL in the target", f"GET /livez\x7f HTTP/1.1\r\n{HOST}\r\n", *BAD),
    raw("tab in the target", f"GET /li\tvez HTTP/1.1\r\n{HOST}\r\n", *BAD),
    raw("CR in the target", f"GET /li\rvez HTTP/1.1\r\n{HOST}\r\n", *BAD),
    raw("line feed in the target", f"GET /li\nvez HTTP/1.1\r\n{HOST}\r\n", *BAD),
    raw("UTF-8 in the target", f"GET /livez?a=\xc3\xa9 HTTP/1.1\r\n{HOST}\r\n", *BAD),
    raw("fragment behind a query", f"GET /livez?a#b HTTP/1.1\r\n{HOST}\r\n", 400, "bad_request", "target"),
    raw("line feeds for line ends", f"GET /livez HTTP/1.1\nHost: 127.0.0.1:PORT\n\n", *BAD),
    raw("one line feed for a line end", f"GET /livez HTTP/1.1\n{HOST}\r\n", *BAD),
    raw("two CRs before a line feed", f"GET /livez HTTP/1.1\r\r\n{HOST}\r\n", *BAD),
    raw("ten empty lines first", "\r\n" * 10 + f"{GET}{HOST}\r\n", *BAD),
    raw("a line feed first", f"\n{GET}{HOST}\r\n", *BAD),
    raw("a reply instead of a request", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", *BAD),
    raw("an SMTP client", "EHLO evil.example\r\n\r\n", *BAD),
    raw("a Redis client", "*1\r\n$4\r\nPING\r\n\r\n", *BAD),
    raw("an SSH client", "SSH-2.0-OpenSSH_9.2\r\n\r\n", *BAD),
    raw("a proxy's first line", "PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\n" + GET + HOST + "\r\n", *BAD),
]

ROUTING = [
    get("two slashes first", "//livez", 404, "unknown_route"),
    get("dots that lead upwards", "/../livez", 404, "unknown_route"),
    get("dots in disguise", "/%2e%2e/livez", 404, "unknown_route"),
    get("a dot for a folder", "/./livez", 404, "unknown_route"),
    get("a slash behind the route", "/livez/", 404, "unknown_route"),
    get("a route in capitals", "/LIVEZ", 404, "unknown_route"),
    get("a semicolon behind the route", "/livez;a=b", 404, "unknown_route"),
    get("a path out of the assets", "/assets/../../etc/passwd", 404, "unknown_route"),
    get("the same in disguise", "/assets/..%2f..%2fetc%2fpasswd", 404, "unknown_route"),
    get("line ends in an id", "/v1/sessions/a%0d%0aX-Evil:%201", 400, "invalid_id", "id"),
    get("line ends in a parameter", "/v1/sessions?limit=1%0d%0aX-Evil:%201", 400, "invalid_parameter", "limit"),
    get("an overlong slash in an id", "/v1/sessions/%c0%af", 400, "invalid_id", "id"),
    get("an escape of an escape", "/v1/sessions/%2561", 400, "invalid_id", "id"),
    get("a percent sign at the end", "/v1/sessions/a%", 400, "invalid_id", "id"),
    get("TRACE", "/livez", 405, "method_not_allowed", method="TRACE"),
    get("PATCH", "/v1/sessions/bad", 405, "method_not_allowed", method="PATCH"),
    get("PRI", "/livez", 405, "method_not_allowed", method="PRI"),
]

FIELDS = [
    field("space in a name", "X Y: 1"),
    field("tab before the colon", "X\t: 1"),
    field("space before a name", " X: 1"),
    field("NUL in a name", "X\0: 1"),
    field("a name beyond ASCII", "X\xe9: 1"),
    field("DEL in a name", "X\x7f: 1"),
    field("a bracket in a name", "X(: 1"),
    field("a name in quotes", '"X": 1'),
    field("only a colon", ":"),
    field("only spaces", "   "),
    field("no colon in a name", "X"),
    field("an equals sign for the colon", "X=1"),
    field("a value folded with a tab", "X: a\r\n\tb"),
    field("a fold of nothing", "X: a\r\n "),
    field("a Host hidden in a fold", "X: a\r\n Host: evil.example"),
    field("a length hidden in a fold", "X: a\r\n Content-Length: 5"),
    field("DEL in a value", "X: a\x7fb"),
    field("vertical tab in a value", "X: a\x0bb"),
    field("form feed in a value", "X: a\x0cb"),
    field("escape in a value", "X: \x1b[31m"),
    field("CR before the line end", "X: a\r"),
    field("line feed in a value", "X: a\nY: b"),
    field("NUL at the end of a value", "X: a\0"),
    field("a name of 9,000 letters", "X" * 9000 + ": 1", 431, "header_too_large"),
    field("a hundred fields more", "\r\n".join(["X: 1"] * 100), 431, "header_too_large"),
    field("two Origins", "Origin: http://evil.example\r\nOrigin: http://127.0.0.1:PORT", named="Origin"),
    field("two Sec-Fetch-Sites", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Site: none", named="Sec-Fetch-Site"),
    raw("two Content-Types", f"{POST}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n[]", 400, "bad_request", "Content-Type"),
    raw("a header without an end and too long", f"{GET}{HOST}X: " + "a" * 9000, 431, "header_too_large"),
]

HOSTS = [
    host("no port", "127.0.0.1"),
    host("port 0", "127.0.0.1:0"),
    host("an empty port", "127.0.0.1:"),
    host("two ports", "127.0.0.1:PORT:PORT"),
    host("zeros before the port", "127.0.0.1:0PORT"),
    host("a port in words", "127.0.0.1:http"),
    host("a name that begins like ours", "127.0.0.1:PORT.evil.example"),
    host("a name below ours", "evil.localhost:PORT"),
    host("a name above ours", "localhost.evil.example:PORT"),
    host("a point behind our name", "localhost.:PORT"),
    host("an address in short", "127.1:PORT"),
    host("an address as one number", "2130706433:PORT"),
    host("an address in octal", "0177.0.0.1:PORT"),
    host("another address of loopback", "127.0.0.2:PORT"),
    host("every address", "0.0.0.0:PORT"),
    host("IPv6 without brackets", "::1:PORT"),
    host("half a bracket", "[::1:PORT"),
    host("IPv6 with a zone", "[::1%25lo]:PORT"),
    host("IPv4 inside of IPv6", "[::ffff:127.0.0.1]:PORT"),
    host("a URL", "http://127.0.0.1:PORT"),
    host("a user before an evil host", "127.0.0.1:PORT@evil.example"),
    host("a backslash", "127.0.0.1:PORT\\evil.example"),
    host("a space in the name", "127.0.0.1 :PORT"),
    host("an escape", "127.0.0.1%3APORT"),
    host("a Host beyond ASCII", "l\xf6calhost:PORT"),
    raw("no Host in HTTP/1.0", "GET /livez HTTP/1.0\r\n\r\n", 400, "bad_request", "Host"),
    raw("a foreign Host behind ours", f"{GET}{HOST}Host: evil.example\r\n\r\n", 400, "bad_request", "Host"),
    raw("our Host behind a foreign one", f"{GET}Host: evil.example\r\n{HOST}\r\n", 400, "bad_request", "Host"),
    raw("a Host in capitals, twice", f"{GET}HOST: 127.0.0.1:PORT\r\nhost: 127.0.0.1:PORT\r\n\r\n", 400, "bad_request", "Host"),
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
    body("multipart", "--x\r\n", 415, "unsupported_media_type", "Content-Type", kind="multipart/form-data; boundary=x"),
    body("a type that begins like ours", "{}", 415, "unsupported_media_type", "Content-Type", kind="application/jsonp"),
    body("an empty type", "{}", 415, "unsupported_media_type", "Content-Type", kind=""),
]

LENGTHS = [
    length("a length with a fraction", " 5.0"),
    length("a length with an exponent", " 5e0"),
    length("a length with an underscore", " 5_0"),
    length("a length in quotes", ' "5"'),
    length("a length with a comment", " 5 (five)"),
    length("a length with a semicolon", " 5;"),
    length("two lengths in one", " 5 5"),
    length("the same length twice in one", " 5, 5"),
    length("a comma behind the length", " 5,"),
    length("a comma before the length", " ,5"),
    length("a length of minus zero", " -0"),
    length("a length beyond ASCII", " \xb2"),
    length("a NUL behind the length", " 5\0"),
    length("a vertical tab before the length", " \x0b5"),
    length("a form feed behind the length", " 5\x0c"),
    length("a length in octal", " 0o5"),
    length("a length of 2^64", " 18446744073709551616"),
    length("a length of 30 digits", " " + "9" * 30),
    length("a length of 2^64 - 1", " 18446744073709551615", 413, "body_too_large", "Content-Length"),
    length("a length of 2^63", " 9223372036854775808", 413, "body_too_large", "Content-Length"),
    length("a length of 2^32 + 5", " 4294967301", 413, "body_too_large", "Content-Length"),
    raw("a length in two cases", f"{POST}Content-Length: 5\r\ncontent-length: 6\r\n\r\nhello", *BAD),
    raw("a space before the length's colon", f"{POST}Content-Length : 5\r\n\r\nhello", *BAD),
    raw("a NUL in the length's name", f"{POST}Content-Length\0: 5\r\n\r\nhello", *BAD),
    raw("a length and an empty one", f"{POST}Content-Length: 5\r\nContent-Length:\r\n\r\nhello", *BAD),
    raw("a length on a request without a body's route", f"{GET}{HOST}Content-Length: 1\r\n\r\n{SMUGGLED}", 413, "body_too_large"),
    raw("1 MiB and a byte in pieces", f"{POST}Content-Length: 1048577\r\n\r\n" + " " * 65536, 413, "body_too_large"),
    raw("far more than is read", f"{POST}Content-Length: 99999999\r\nExpect: 100-continue\r\n\r\n", 413, "body_too_large"),
]

CODINGS = [
    coding("chunked with a parameter", " chunked;q=1"),
    coding("a comma behind chunked", " chunked,"),
    coding("a comma before chunked", " ,chunked"),
    coding("chunked in quotes", ' "chunked"'),
    coding("chunked twice in one", " chunked, chunked"),
    coding("gzip before chunked", " gzip, chunked"),
    coding("identity behind chunked", " chunked, identity"),
    coding("deflate", " deflate"),
    coding("a vertical tab before chunked", " \x0bchunked", 400, "bad_request", None),
    coding("a NUL behind chunked", " chunked\0", 400, "bad_request", None),
    coding("chunked in a fold", "\r\n chunked"),
    coding("a line feed before chunked", " x\n chunked", 400, "bad_request", None),
    raw("a space before the coding's colon", f"{POST}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n{SMUGGLED}", *BAD),
    raw("a tab before the coding's colon", f"{POST}Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n{SMUGGLED}", *BAD),
    raw("a coding and then a length", f"{POST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n{SMUGGLED}", *BAD),
    raw("a coding on a GET", f"{GET}{HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{SMUGGLED}", 413, "body_too_large", TE),
    raw("an unknown coding and a length", f"{POST}Transfer-Encoding: x\r\nContent-Length: 5\r\n\r\nhello{SMUGGLED}", 400,
        "bad_request", TE),
    raw("chunked in HTTP/1.0", POST.replace("HTTP/1.1", "HTTP/1.0") + f"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{SMUGGLED}", 400,
        "bad_request", TE),
    raw("two codings, the last unknown", f"{POST}Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n{SMUGGLED}", *BAD),
    chunks("a chunk size beyond 64 bits", f"{'F' * 17}\r\n[]\r\n0\r\n\r\n"),
    chunks("a chunk size of fifteen digits", "000000000000002\r\n[]\r\n0\r\n\r\n"),
    chunks("a chunk with an extension", "2;a=b\r\n[]\r\n0\r\n\r\n"),
    chunks("a last chunk with an extension", "2\r\n[]\r\n0;a\r\n\r\n"),
    chunks("a space behind a chunk's size", "2 \r\n[]\r\n0\r\n\r\n"),
    chunks("a space before a chunk's size", " 2\r\n[]\r\n0\r\n\r\n"),
    chunks("a sign before a chunk's size", "+2\r\n[]\r\n0\r\n\r\n"),
    chunks("a minus before a chunk's size", "-2\r\n[]\r\n0\r\n\r\n"),
    chunks("a chunk's size with 0x", "0x2\r\n[]\r\n0\r\n\r\n"),
    chunks("no size", "\r\n[]\r\n0\r\n\r\n"),
    chunks("a line feed behind a size", "2\n[]\r\n0\r\n\r\n"),
    chunks("two CRs behind a size", "2\r\r\n[]\r\n0\r\n\r\n"),
    chunks("a line feed behind a chunk", "2\r\n[]\n0\r\n\r\n"),
    chunks("a chunk longer than its size", "1\r\n[]\r\n0\r\n\r\n"),
    chunks("a chunk shorter than its size", "3\r\n[]\r\n0\r\n\r\n"),
    chunks("a trailer", "2\r\n[]\r\n0\r\nContent-Length: 5\r\n\r\n"),
    chunks("a line feed for the last line end", "2\r\n[]\r\n0\r\n\n"),
    chunks("a chunk beyond the limit", "100001\r\n", 413, "body_too_large"),
    chunks("chunks beyond the limit", ("10000\r\n" + " " * 65536 + "\r\n") * 17, 413, "body_too_large"),
    chunks("chunks of a byte that take too much of the wire", "1\r\n \r\n" * 350_000, 413, "body_too_large"),
]

# Each in the place of a tool's arguments. What a careless parser lets through.
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
# What must be taken: the same places, well formed.
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

TABLES = (LINES, ROUTING, FIELDS, HOSTS, ORIGINS, LENGTHS, CODINGS, JSON)


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

    def test_the_table_is_as_long_as_promised(self):
        cases = [case for table in TABLES for case in table]
        self.assertGreaterEqual(len(cases), 300)
        self.assertEqual(len({c.name for c in cases}), len(cases), "two cases share a name")

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
    Conversation("the same where the method is not", f"PUT /livez HTTP/1.1\r\n{HOST}Content-Length: 4\r\n\r\nGET " + LIVE,
                 [405, 200], skips=True),
    Conversation("the same where the type is not", f"POST /v1/sessions/talk/events HTTP/1.1\r\n{HOST}Content-Length: 4\r\n\r\nGET " + LIVE,
                 [415, 200], skips=True),
    Conversation("a Host that is not ours in the middle", LIVE + f"{GET}Host: evil.example\r\n\r\n" + LIVE, [200, 421, 200]),
    Conversation("a body shorter than it says takes from the next", f"{REPORT}Content-Length: {len(EVENT) + 5}\r\n\r\n{EVENT}" + LIVE,
                 [400, 400, None]),
    Conversation("a body longer than it says is no request", f"{REPORT}Content-Length: {len(EVENT)}\r\n\r\n{EVENT}xx\r\n\r\n" + LIVE,
                 [200, 400, None]),
    Conversation("length 0 and a body", f"{REPORT}Content-Length: 0\r\n\r\n{EVENT}\r\n\r\n" + LIVE, [400, 400, None]),
    Conversation("no length and a body", f"{REPORT}\r\n{EVENT}\r\n\r\n" + LIVE, [400, 400, None]),
    Conversation("a length with an underscore is none", f"{REPORT}Content_Length: {len(EVENT)}\r\n\r\n{EVENT}\r\n\r\n" + LIVE,
                 [400, 400, None]),
    Conversation("a coding with an underscore is none", f"{REPORT}Transfer_Encoding: chunked\r\nContent-Length: {len(EVENT)}\r\n\r\n{EVENT}"
                 + LIVE, [200, 200]),
    Conversation("chunked, and a request behind it", f"{REPORT}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + LIVE, [400, 200]),
    *(Conversation(f"a chunked body ({name})", f"{REPORT}Transfer-Encoding:{value}\r\n\r\n{CHUNKS}" + LIVE, [200, 200])
      for name, value in (("capitals", " CHUNKED"), ("a tab", "\tchunked"), ("no space", "chunked"), ("a space behind", " chunked "))),
    Conversation("a chunked body that looks like a request", f"{REPORT}Transfer-Encoding: chunked\r\n\r\n{LIVE_LENGTH:x}\r\n{LIVE}\r\n"
                 "0\r\n\r\n" + LIVE, [400, 200]),
    Conversation("chunked bodies in a row", f"{REPORT}Transfer-Encoding: chunked\r\n\r\n{CHUNKS}" * 5 + LIVE, [200] * 6),
    Conversation("a URL for a target", f"GET http://127.0.0.1:PORT/livez HTTP/1.1\r\n{HOST}\r\n" + LIVE, [200, 200]),
    Conversation("chunked with a length, and a request behind it", f"{REPORT}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
                 "0\r\n\r\n" + LIVE, [400, None]),
    Conversation("two lengths, and a request behind them", f"{REPORT}Content-Length: 0\r\nContent-Length: {LIVE_LENGTH}\r\n\r\n" + LIVE,
                 [400, None]),
    Conversation("a GET with a body that is a request", f"{GET}{HOST}Content-Length: {LIVE_LENGTH}\r\n\r\n" + LIVE + LIVE, [413, None]),
    Conversation("a GET with length 0", f"{GET}{HOST}Content-Length: 0\r\n\r\n" + LIVE, [200, 200]),
    Conversation("Connection: close in the middle", LIVE + f"{GET}{HOST}Connection: close\r\n\r\n" + LIVE, [200, 200, None]),
    Conversation("Connection: close among others", f"{GET}{HOST}Connection: x, Close\r\n\r\n" + LIVE, [200, None]),
    Conversation("HTTP/1.0 in the middle", LIVE + f"GET /livez HTTP/1.0\r\n{HOST}\r\n" + LIVE, [200, 200, None]),
    Conversation("HTTP/1.0 that would stay", f"GET /livez HTTP/1.0\r\n{HOST}Connection: keep-alive\r\n\r\n" + LIVE, [200, 200]),
    Conversation("an upgrade to h2c is not taken", f"{GET}{HOST}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                 "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n" + LIVE, [200, 200]),
    Conversation("an upgrade to WebSocket is not taken", f"{GET}{HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n"
                 "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n" + LIVE, [200, 200]),
    Conversation("Connection cannot take Host away", f"{GET}{HOST}Connection: Host, Content-Length\r\n\r\n" + LIVE, [200, 200]),
    Conversation("what came by way of a proxy is not let in as local", f"{GET}{HOST}X-Forwarded-Host: evil.example\r\n\r\n"
                 + LIVE, [403, 200]),
    Conversation("an unknown expectation", f"{GET}{HOST}Expect: a-pony\r\n\r\n" + LIVE, [200, 200]),
    Conversation("a Trailer that announces nothing", f"{GET}{HOST}Trailer: X\r\nTE: trailers\r\n\r\n" + LIVE, [200, 200]),
    Conversation("obs-text and tabs in values", f"{GET}{HOST}X: \xe9\t\x80\xff\r\nY:\r\nZ: \t \r\n\r\n" + LIVE, [200, 200]),
    Conversation("white space around a length", f"{REPORT}Content-Length: \t {len(EVENT)} \t\r\n\r\n{EVENT}" + LIVE, [200, 200]),
    Conversation("white space around the Host", "GET /livez HTTP/1.1\r\nHost:\t127.0.0.1:PORT \t\r\n\r\n" + LIVE, [200, 200]),
    Conversation("99 fields more", f"{GET}{HOST}" + "X: 1\r\n" * 99 + "\r\n" + LIVE, [200, 200]),
    Conversation("empty lines between requests", LIVE + "\r\n\r\n" + LIVE, [200, 200]),
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

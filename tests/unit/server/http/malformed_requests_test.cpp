// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/support/read_requests.hpp"

// Violations of RFC 9112 and 9110, and things that look like one, as bytes and the expected result.
// Each is read whole, byte by byte, and cut in two at every position. The daemon is tested with the
// same in integration/test_malformed.py and test_bad_input.py; what a handler refuses is a request
// here.

using namespace headway::server;
using namespace headway::tests;
using namespace std::string_literals;

namespace {

constexpr bool kCloses = true;  // nothing is read after the last one
constexpr bool kStays = false;

struct Case {
    std::string name;
    std::string bytes;
    std::vector<int> heard;  ///< statuses of refusals; 0 for a request
    bool closes = false;
    /// A refused body is skipped if it has come with its head; else nothing is read behind it.
    bool skips = false;
};

const std::string kHost = "Host: 127.0.0.1:7717\r\n";
const std::string kGet = "GET /livez HTTP/1.1\r\n";
const std::string kGetHost = kGet + kHost;
const std::string kLive = kGetHost + "\r\n";
const std::string kPost =
    "POST /v1/sessions/bad/events HTTP/1.1\r\n" + kHost + "Content-Type: application/json\r\n";
const std::string kReport =
    "POST /v1/sessions/talk/events HTTP/1.1\r\n" + kHost + "Content-Type: application/json\r\n";
const std::string kEvent = R"({"type":"message"})";
/// Bytes that some other server might take for the next request.
const std::string kSmuggled =
    "POST /v1/sessions/absent/events HTTP/1.1\r\n" + kHost + "Content-Length: 0\r\n\r\n";

std::string times(const std::string& text, int count) {
    std::string out;
    for (int i = 0; i < count; ++i)
        out += text;
    return out;
}

/// Result of reading in pieces; `first` bytes come before the others.
std::vector<Heard> read(std::string_view bytes, std::size_t first, std::size_t piece) {
    ReaderFeed feed;
    feed.feed(bytes.substr(0, first), piece);
    feed.feed(bytes.substr(std::min(first, bytes.size())), piece);
    return std::move(feed.heard);
}

std::vector<int> statuses(const std::vector<Heard>& heard) {
    std::vector<int> found;
    for (const Heard& one : heard)
        found.push_back(one.status);
    return found;
}

void check_cut(const Case& c, const std::vector<Heard>& whole, std::size_t first,
               std::size_t piece) {
    const std::vector<Heard> heard = read(c.bytes, first, piece);
    if (heard == whole) return;
    INFO("first " << first << " bytes, then pieces of " << piece);
    if (!c.skips) {
        CHECK(heard == whole);
        return;
    }
    REQUIRE(heard.size() == 1);
    CHECK(heard.front().status == whole.front().status);
    CHECK(heard.front().last);
}

void check(const Case& c) {
    INFO(c.name);
    const std::vector<Heard> whole = read(c.bytes, SIZE_MAX, SIZE_MAX);
    CHECK(statuses(whole) == c.heard);
    REQUIRE_FALSE(whole.empty());
    CHECK(whole.back().last == c.closes);
    for (const Heard& one : whole) {
        if (one.status != 0) CHECK_FALSE(one.problem.empty());
    }
    check_cut(c, whole, 0, 1);
    check_cut(c, whole, 0, 4095);
    // For a long one: its first head, and some of the rest.
    const std::size_t all = c.bytes.size() < 100'000 ? 1500 : 30;
    for (std::size_t first = 1; first < c.bytes.size();
         first += first < all ? 1 : c.bytes.size() / 10 + 1)
        check_cut(c, whole, first, SIZE_MAX);
}

}  // namespace

TEST_CASE("malformed requests: framing", "[server]") {
    const Case cases[] = {
        {"no Host", kGet + "\r\n", {400}, kCloses},
        {"two Hosts", kGetHost + "Host: localhost:7717\r\n\r\n", {400}, kCloses},
        {"the same Host twice", kGetHost + kHost + "\r\n", {400}, kCloses},
        {"space before the colon", kGet + "Host : 127.0.0.1:7717\r\n\r\n", {400}, kCloses},
        {"folded header", kGetHost + "X: a\r\n b\r\n\r\n", {400}, kCloses},
        {"bare CR as line end", "GET /livez HTTP/1.1\rHost: 127.0.0.1\r\r\n\r\n", {400}, kCloses},
        {"empty header name", kGetHost + ": v\r\n\r\n", {400}, kCloses},
        {"bad header name", kGetHost + "X[y]: v\r\n\r\n", {400}, kCloses},
        {"header without a colon", kGetHost + "Foo\r\n\r\n", {400}, kCloses},
        {"white space before the headers", kGet + "  X: y\r\n" + kHost + "\r\n", {400}, kCloses},
        {"NUL in a header", kGetHost + "X: a\000b\r\n\r\n"s, {400}, kCloses},
        {"control character in a header", kGetHost + "X: a\001b\r\n\r\n", {400}, kCloses},
        {"bare CR in a header", kGetHost + "X: a\rb\r\n\r\n", {400}, kCloses},
        {"no target", "GET HTTP/1.1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"asterisk target", "GET * HTTP/1.1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"absolute target of another port",
         "GET http://127.0.0.1:1/livez HTTP/1.1\r\n"s + kHost + "\r\n",
         {400},
         kCloses},
        {"target with a fragment", "GET /livez#a HTTP/1.1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"target with a space", "GET /li vez HTTP/1.1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"target beyond ASCII", "GET /\377 HTTP/1.1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"NUL in the target", "GET /\000a HTTP/1.1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"%00 in the target", "GET /livez%00 HTTP/1.1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"no version", "GET /livez\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"not HTTP at all",
         "\026\003\001\002\000\001\000\001\374\003\003 hello TLS \r\n\r\n"s,
         {400},
         kCloses},
        {"version without a minor", "GET /livez HTTP/1\r\n"s + kHost + "\r\n", {505}, kCloses},
        {"lower-case version", "GET /livez http/1.1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"version 2.0", "GET /livez HTTP/2.0\r\n"s + kHost + "\r\n", {505}, kCloses},
        {"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {505}, kCloses},
        {"two equal Content-Lengths",
         kPost + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n[]",
         {400},
         kCloses},
        {"two different Content-Lengths",
         kPost + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n[] ",
         {400},
         kCloses},
        {"Content-Length in words", kPost + "Content-Length: abc\r\n\r\n", {400}, kCloses},
        {"signed Content-Length", kPost + "Content-Length: +5\r\n\r\nhello", {400}, kCloses},
        {"negative Content-Length", kPost + "Content-Length: -5\r\n\r\nhello", {400}, kCloses},
        {"hexadecimal Content-Length", kPost + "Content-Length: 0x5\r\n\r\nhello", {400}, kCloses},
        {"Content-Length beyond 64 bits",
         kPost + "Content-Length: 99999999999999999999\r\n\r\n",
         {400},
         kCloses},
        {"empty Content-Length", kPost + "Content-Length:\r\n\r\n", {400}, kCloses},
        {"a list of Content-Lengths", kPost + "Content-Length: 5, 6\r\n\r\nhello", {400}, kCloses},
        {"64 KiB of trailers",
         kPost + "Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\nX-T: " +
             std::string(65536, 'a') + "\r\n\r\n",
         {400},
         kCloses},
        {"20,000 trailers",
         kPost + "Transfer-Encoding: chunked\r\n\r\n0\r\n" +
             times("X-T: " + std::string(50, 'a') + "\r\n", 20000) + "\r\n",
         {400},
         kCloses},
        {"64 KiB chunk extension",
         kPost + "Transfer-Encoding: chunked\r\n\r\n2;" + std::string(65536, 'a') +
             "\r\n[]\r\n0\r\n\r\n",
         {400},
         kCloses},
        {"chunked and a length",
         kPost + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         {400},
         kCloses},
        {"chunked twice",
         kPost + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         {400},
         kCloses},
        {"an unknown transfer coding",
         kPost + "Transfer-Encoding: xchunked\r\n\r\nhello",
         {411},
         kCloses},
        {"chunked before gzip",
         kPost + "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
         {411},
         kCloses},
        {"identity coding",
         kPost + "Transfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello",
         {400},
         kCloses},
        {"empty transfer coding",
         kPost + "Transfer-Encoding:\r\nContent-Length: 5\r\n\r\nhello",
         {400},
         kCloses},
        {"chunked in HTTP/1.0",
         "POST /v1/sessions/bad/events HTTP/1.0\r\n"s + kHost +
             "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         {400},
         kCloses},
        {"16 KiB header", kGetHost + "X: " + std::string(16384, 'a') + "\r\n\r\n", {431}, kCloses},
        {"1000 header fields", kGetHost + times("X0: a\r\n", 1000) + "\r\n", {431}, kCloses},
        {"101 short header fields", kGetHost + times("A: b\r\n", 101) + "\r\n", {431}, kCloses},
        {"16 KiB target",
         "GET /"s + std::string(16384, 'a') + " HTTP/1.1\r\n" + kHost + "\r\n",
         {431},
         kCloses},
        {"a body of 2 MB announced", kPost + "Content-Length: 2000000\r\n\r\n", {413}, kCloses},
        {"body on a GET", kGetHost + "Content-Length: 5\r\n\r\nhello", {413}, kCloses},
        {"65 KiB to a control route",
         "POST /v1/sessions/bad/end HTTP/1.1\r\n"s + kHost +
             "Content-Type: application/json\r\nContent-Length: 65537\r\n\r\n" +
             std::string(65537, ' '),
         {413},
         kCloses},
    };
    for (const Case& c : cases)
        check(c);
}

TEST_CASE("malformed requests: the gate", "[server]") {
    const Case cases[] = {
        {"foreign Host", kGet + "Host: evil.example\r\n\r\n", {421}, kStays},
        {"our Host, other port", kGet + "Host: 127.0.0.1:1\r\n\r\n", {421}, kStays},
        {"empty Host", kGet + "Host:\r\n\r\n", {421}, kStays},
        {"Host with user", kGet + "Host: u@127.0.0.1:7717\r\n\r\n", {421}, kStays},
        {"Host with path", kGet + "Host: 127.0.0.1:7717/b\r\n\r\n", {421}, kStays},
        {"two names in one Host", kGet + "Host: 127.0.0.1:7717, evil\r\n\r\n", {421}, kStays},
        {"foreign Origin",
         "GET /v1/sessions HTTP/1.1\r\n"s + kHost + "Origin: http://evil.example\r\n\r\n",
         {403},
         kStays},
        {"Origin null",
         "GET /v1/sessions HTTP/1.1\r\n"s + kHost + "Origin: null\r\n\r\n",
         {403},
         kStays},
        {"Origin of another port", kGetHost + "Origin: http://127.0.0.1:1\r\n\r\n", {403}, kStays},
        {"cross-site fetch",
         "GET /v1/stream HTTP/1.1\r\n"s + kHost + "Sec-Fetch-Site: cross-site\r\n\r\n",
         {403},
         kStays},
        {"unknown route", "GET /v2/sessions HTTP/1.1\r\n"s + kHost + "\r\n", {404}, kStays},
        {"route with a slash too many",
         "GET /v1/sessions/ HTTP/1.1\r\n"s + kHost + "\r\n",
         {400},
         kStays},
        {"DELETE of a session's events",
         "DELETE /v1/sessions/bad/events HTTP/1.1\r\n"s + kHost + "\r\n",
         {405},
         kStays},
        {"POST to a reading route", "POST /livez HTTP/1.1\r\n"s + kHost + "\r\n", {405}, kStays},
        {"OPTIONS", "OPTIONS /v1/sessions HTTP/1.1\r\n"s + kHost + "\r\n", {405}, kStays},
        {"an unknown method", "BREW /v1/sessions HTTP/1.1\r\n"s + kHost + "\r\n", {405}, kStays},
        {"a lower-case method", "get /livez HTTP/1.1\r\n"s + kHost + "\r\n", {405}, kStays},
        {"text body",
         "POST /v1/sessions/bad/events HTTP/1.1\r\n"s + kHost +
             "Content-Type: text/plain\r\nContent-Length: 18\r\n\r\n" + kEvent,
         {415},
         kStays,
         true},
        {"form body",
         "POST /v1/sessions/bad/events HTTP/1.1\r\n"s + kHost +
             "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: "
             "12\r\n\r\ntype=message",
         {415},
         kStays,
         true},
        {"lines to a control route",
         "PUT /v1/sessions/bad HTTP/1.1\r\n"s + kHost +
             "Content-Type: application/x-ndjson\r\nContent-Length: 2\r\n\r\n{}",
         {415},
         kStays,
         true},
        {"body without a type",
         "POST /v1/sessions/bad/events HTTP/1.1\r\n"s + kHost + "Content-Length: 2\r\n\r\n[]",
         {415},
         kStays,
         true},
    };
    for (const Case& c : cases)
        check(c);
}

TEST_CASE("malformed requests: request lines", "[server]") {
    const Case cases[] = {
        {"space before the method", " "s + kLive, {400}, kCloses},
        {"two spaces behind the method",
         "GET  /livez HTTP/1.1\r\n"s + kHost + "\r\n",
         {400},
         kCloses},
        {"two spaces before the version",
         "GET /livez  HTTP/1.1\r\n"s + kHost + "\r\n",
         {400},
         kCloses},
        {"tab behind the method", "GET\t/livez HTTP/1.1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"tab before the version", "GET /livez\tHTTP/1.1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"vertical tab behind the method",
         "GET\013/livez HTTP/1.1\r\n"s + kHost + "\r\n",
         {400},
         kCloses},
        {"space behind the version", "GET /livez HTTP/1.1 \r\n"s + kHost + "\r\n", {400}, kCloses},
        {"word behind the version",
         "GET /livez HTTP/1.1 HTTP/1.0\r\n"s + kHost + "\r\n",
         {400},
         kCloses},
        {"no method", " /livez HTTP/1.1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"a bracket in the method", "GE(T /livez HTTP/1.1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"a control character in the method",
         "GE\001T /livez HTTP/1.1\r\n"s + kHost + "\r\n",
         {400},
         kCloses},
        {"NUL before the method", "\000"s + kLive, {400}, kCloses},
        {"a method beyond ASCII", "G\313T /livez HTTP/1.1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"a quoted method", "\"GET\" /livez HTTP/1.1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"a method of 9,000 letters",
         std::string(9000, 'G') + " /livez HTTP/1.1\r\n" + kHost + "\r\n",
         {431},
         kCloses},
        {"version with a letter behind it",
         "GET /livez HTTP/1.1x\r\n"s + kHost + "\r\n",
         {400},
         kCloses},
        {"version without a point", "GET /livez HTTP/11\r\n"s + kHost + "\r\n", {505}, kCloses},
        {"version 1.10", "GET /livez HTTP/1.10\r\n"s + kHost + "\r\n", {505}, kCloses},
        {"version 1.2", "GET /livez HTTP/1.2\r\n"s + kHost + "\r\n", {505}, kCloses},
        {"version 0.9", "GET /livez HTTP/0.9\r\n"s + kHost + "\r\n", {505}, kCloses},
        {"version 3", "GET /livez HTTP/3\r\n"s + kHost + "\r\n", {505}, kCloses},
        {"version 01.1", "GET /livez HTTP/01.1\r\n"s + kHost + "\r\n", {505}, kCloses},
        {"version with a comma", "GET /livez HTTP/1,1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"another protocol", "GET /livez HTTPS/1.1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"RTSP", "DESCRIBE rtsp://x RTSP/1.0\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"a space inside the version",
         "GET /livez HTTP /1.1\r\n"s + kHost + "\r\n",
         {400},
         kCloses},
        {"simple request of HTTP/0.9", "GET /livez\r\n\r\n", {400}, kCloses},
        {"CONNECT", "CONNECT 127.0.0.1:22 HTTP/1.1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"OPTIONS of the server", "OPTIONS * HTTP/1.1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"a URL of another host",
         "GET http://evil.example/livez HTTP/1.1\r\n"s + kHost + "\r\n",
         {400},
         kCloses},
        {"a target without a slash", "GET livez HTTP/1.1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"only a query", "GET ?a=b HTTP/1.1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"backslash in the target",
         "GET /..\\livez HTTP/1.1\r\n"s + kHost + "\r\n",
         {400},
         kCloses},
        {"DEL in the target", "GET /livez\177 HTTP/1.1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"tab in the target", "GET /li\tvez HTTP/1.1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"CR in the target", "GET /li\rvez HTTP/1.1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"line feed in the target", "GET /li\nvez HTTP/1.1\r\n"s + kHost + "\r\n", {400}, kCloses},
        {"UTF-8 in the target",
         "GET /livez?a=\303\251 HTTP/1.1\r\n"s + kHost + "\r\n",
         {400},
         kCloses},
        {"fragment behind a query",
         "GET /livez?a#b HTTP/1.1\r\n"s + kHost + "\r\n",
         {400},
         kCloses},
        {"line feeds for line ends",
         "GET /livez HTTP/1.1\nHost: 127.0.0.1:7717\n\n",
         {400},
         kCloses},
        {"one line feed for a line end", "GET /livez HTTP/1.1\n"s + kHost + "\r\n", {400}, kCloses},
        {"two CRs before a line feed",
         "GET /livez HTTP/1.1\r\r\n"s + kHost + "\r\n",
         {400},
         kCloses},
        {"ten empty lines first",
         "\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n"s + kLive,
         {400},
         kCloses},
        {"a line feed first", "\n"s + kLive, {400}, kCloses},
        {"a reply instead of a request",
         "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
         {400},
         kCloses},
        {"an SMTP client", "EHLO evil.example\r\n\r\n", {400}, kCloses},
        {"a Redis client", "*1\r\n$4\r\nPING\r\n\r\n", {400}, kCloses},
        {"an SSH client", "SSH-2.0-OpenSSH_9.2\r\n\r\n", {400}, kCloses},
        {"a proxy's first line", "PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\n"s + kLive, {400}, kCloses},
    };
    for (const Case& c : cases)
        check(c);
}

TEST_CASE("malformed requests: routes", "[server]") {
    const Case cases[] = {
        {"two slashes first", "GET //livez HTTP/1.1\r\n"s + kHost + "\r\n", {404}, kStays},
        {"dots that lead upwards", "GET /../livez HTTP/1.1\r\n"s + kHost + "\r\n", {404}, kStays},
        {"dots in disguise", "GET /%2e%2e/livez HTTP/1.1\r\n"s + kHost + "\r\n", {404}, kStays},
        {"a dot for a folder", "GET /./livez HTTP/1.1\r\n"s + kHost + "\r\n", {404}, kStays},
        {"a slash behind the route", "GET /livez/ HTTP/1.1\r\n"s + kHost + "\r\n", {404}, kStays},
        {"a route in capitals", "GET /LIVEZ HTTP/1.1\r\n"s + kHost + "\r\n", {404}, kStays},
        {"a semicolon behind the route",
         "GET /livez;a=b HTTP/1.1\r\n"s + kHost + "\r\n",
         {404},
         kStays},
        {"a path out of the assets",
         "GET /assets/../../etc/passwd HTTP/1.1\r\n"s + kHost + "\r\n",
         {0},
         kStays},
        {"the same in disguise",
         "GET /assets/..%2f..%2fetc%2fpasswd HTTP/1.1\r\n"s + kHost + "\r\n",
         {0},
         kStays},
        {"line ends in an id",
         "GET /v1/sessions/a%0d%0aX-Evil:%201 HTTP/1.1\r\n"s + kHost + "\r\n",
         {400},
         kStays},
        {"an overlong slash in an id",
         "GET /v1/sessions/%c0%af HTTP/1.1\r\n"s + kHost + "\r\n",
         {400},
         kStays},
        {"an escape of an escape",
         "GET /v1/sessions/%2561 HTTP/1.1\r\n"s + kHost + "\r\n",
         {400},
         kStays},
        {"a percent sign at the end",
         "GET /v1/sessions/a% HTTP/1.1\r\n"s + kHost + "\r\n",
         {400},
         kStays},
        {"TRACE", "TRACE /livez HTTP/1.1\r\n"s + kHost + "\r\n", {405}, kStays},
        {"PATCH", "PATCH /v1/sessions/bad HTTP/1.1\r\n"s + kHost + "\r\n", {405}, kStays},
        {"PRI", "PRI /livez HTTP/1.1\r\n"s + kHost + "\r\n", {405}, kStays},
    };
    for (const Case& c : cases)
        check(c);
}

TEST_CASE("malformed requests: header fields", "[server]") {
    const Case cases[] = {
        {"space in a name", kGetHost + "X Y: 1\r\nX-Last: 1\r\n\r\n", {400}, kCloses},
        {"tab before the colon", kGetHost + "X\t: 1\r\nX-Last: 1\r\n\r\n", {400}, kCloses},
        {"space before a name", kGetHost + " X: 1\r\nX-Last: 1\r\n\r\n", {400}, kCloses},
        {"NUL in a name", kGetHost + "X\000: 1\r\nX-Last: 1\r\n\r\n"s, {400}, kCloses},
        {"a name beyond ASCII", kGetHost + "X\351: 1\r\nX-Last: 1\r\n\r\n", {400}, kCloses},
        {"DEL in a name", kGetHost + "X\177: 1\r\nX-Last: 1\r\n\r\n", {400}, kCloses},
        {"a bracket in a name", kGetHost + "X(: 1\r\nX-Last: 1\r\n\r\n", {400}, kCloses},
        {"a name in quotes", kGetHost + "\"X\": 1\r\nX-Last: 1\r\n\r\n", {400}, kCloses},
        {"only a colon", kGetHost + ":\r\nX-Last: 1\r\n\r\n", {400}, kCloses},
        {"only spaces", kGetHost + "   \r\nX-Last: 1\r\n\r\n", {400}, kCloses},
        {"no colon in a name", kGetHost + "X\r\nX-Last: 1\r\n\r\n", {400}, kCloses},
        {"an equals sign for the colon", kGetHost + "X=1\r\nX-Last: 1\r\n\r\n", {400}, kCloses},
        {"a value folded with a tab",
         kGetHost + "X: a\r\n\tb\r\nX-Last: 1\r\n\r\n",
         {400},
         kCloses},
        {"a fold of nothing", kGetHost + "X: a\r\n \r\nX-Last: 1\r\n\r\n", {400}, kCloses},
        {"a Host hidden in a fold",
         kGetHost + "X: a\r\n Host: evil.example\r\nX-Last: 1\r\n\r\n",
         {400},
         kCloses},
        {"a length hidden in a fold",
         kGetHost + "X: a\r\n Content-Length: 5\r\nX-Last: 1\r\n\r\n",
         {400},
         kCloses},
        {"DEL in a value", kGetHost + "X: a\177b\r\nX-Last: 1\r\n\r\n", {400}, kCloses},
        {"vertical tab in a value", kGetHost + "X: a\013b\r\nX-Last: 1\r\n\r\n", {400}, kCloses},
        {"form feed in a value", kGetHost + "X: a\014b\r\nX-Last: 1\r\n\r\n", {400}, kCloses},
        {"escape in a value", kGetHost + "X: \033[31m\r\nX-Last: 1\r\n\r\n", {400}, kCloses},
        {"CR before the line end", kGetHost + "X: a\r\r\nX-Last: 1\r\n\r\n", {400}, kCloses},
        {"line feed in a value", kGetHost + "X: a\nY: b\r\nX-Last: 1\r\n\r\n", {400}, kCloses},
        {"NUL at the end of a value", kGetHost + "X: a\000\r\nX-Last: 1\r\n\r\n"s, {400}, kCloses},
        {"a name of 9,000 letters",
         kGetHost + std::string(9000, 'X') + ": 1\r\nX-Last: 1\r\n\r\n",
         {431},
         kCloses},
        {"a hundred fields more",
         kGetHost + times("X: 1\r\n", 100) + "X-Last: 1\r\n\r\n",
         {431},
         kCloses},
        {"two Origins",
         kGetHost +
             "Origin: http://evil.example\r\nOrigin: http://127.0.0.1:7717\r\nX-Last: 1\r\n\r\n",
         {400},
         kCloses},
        {"two Sec-Fetch-Sites",
         kGetHost + "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Site: none\r\nX-Last: 1\r\n\r\n",
         {400},
         kCloses},
        {"two Content-Types",
         kPost + "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n[]",
         {400},
         kCloses},
        {"a header without an end and too long",
         kGetHost + "X: " + std::string(9000, 'a'),
         {431},
         kCloses},
    };
    for (const Case& c : cases)
        check(c);
}

TEST_CASE("malformed requests: hosts", "[server]") {
    const Case cases[] = {
        {"no port", kGet + "Host: 127.0.0.1\r\n\r\n", {421}, kStays},
        {"port 0", kGet + "Host: 127.0.0.1:0\r\n\r\n", {421}, kStays},
        {"an empty port", kGet + "Host: 127.0.0.1:\r\n\r\n", {421}, kStays},
        {"two ports", kGet + "Host: 127.0.0.1:7717:7717\r\n\r\n", {421}, kStays},
        {"zeros before the port", kGet + "Host: 127.0.0.1:07717\r\n\r\n", {421}, kStays},
        {"a port in words", kGet + "Host: 127.0.0.1:http\r\n\r\n", {421}, kStays},
        {"a name that begins like ours",
         kGet + "Host: 127.0.0.1:7717.evil.example\r\n\r\n",
         {421},
         kStays},
        {"a name below ours", kGet + "Host: evil.localhost:7717\r\n\r\n", {421}, kStays},
        {"a name above ours", kGet + "Host: localhost.evil.example:7717\r\n\r\n", {421}, kStays},
        {"a point behind our name", kGet + "Host: localhost.:7717\r\n\r\n", {421}, kStays},
        {"an address in short", kGet + "Host: 127.1:7717\r\n\r\n", {421}, kStays},
        {"an address as one number", kGet + "Host: 2130706433:7717\r\n\r\n", {421}, kStays},
        {"an address in octal", kGet + "Host: 0177.0.0.1:7717\r\n\r\n", {421}, kStays},
        {"another address of loopback", kGet + "Host: 127.0.0.2:7717\r\n\r\n", {421}, kStays},
        {"every address", kGet + "Host: 0.0.0.0:7717\r\n\r\n", {421}, kStays},
        {"IPv6 without brackets", kGet + "Host: ::1:7717\r\n\r\n", {421}, kStays},
        {"half a bracket", kGet + "Host: [::1:7717\r\n\r\n", {421}, kStays},
        {"IPv6 with a zone", kGet + "Host: [::1%25lo]:7717\r\n\r\n", {421}, kStays},
        {"IPv4 inside of IPv6", kGet + "Host: [::ffff:127.0.0.1]:7717\r\n\r\n", {421}, kStays},
        {"a URL", kGet + "Host: http://127.0.0.1:7717\r\n\r\n", {421}, kStays},
        {"a user before an evil host",
         kGet + "Host: 127.0.0.1:7717@evil.example\r\n\r\n",
         {421},
         kStays},
        {"a backslash", kGet + "Host: 127.0.0.1:7717\\evil.example\r\n\r\n", {421}, kStays},
        {"a space in the name", kGet + "Host: 127.0.0.1 :7717\r\n\r\n", {421}, kStays},
        {"an escape", kGet + "Host: 127.0.0.1%3A7717\r\n\r\n", {421}, kStays},
        {"a Host beyond ASCII", kGet + "Host: l\366calhost:7717\r\n\r\n", {421}, kStays},
        {"no Host in HTTP/1.0", "GET /livez HTTP/1.0\r\n\r\n", {400}, kCloses},
        {"a foreign Host behind ours", kGetHost + "Host: evil.example\r\n\r\n", {400}, kCloses},
        {"our Host behind a foreign one",
         kGet + "Host: evil.example\r\n" + kHost + "\r\n",
         {400},
         kCloses},
        {"a Host in capitals, twice",
         kGet + "HOST: 127.0.0.1:7717\r\nhost: 127.0.0.1:7717\r\n\r\n",
         {400},
         kCloses},
    };
    for (const Case& c : cases)
        check(c);
}

TEST_CASE("malformed requests: origins and types", "[server]") {
    const Case cases[] = {
        {"Origin http://127.0.0.1",
         "GET /v1/sessions HTTP/1.1\r\n"s + kHost + "Origin: http://127.0.0.1\r\n\r\n",
         {403},
         kStays},
        {"Origin http://127.0.0.1:7717.evil.example",
         "GET /v1/sessions HTTP/1.1\r\n"s + kHost +
             "Origin: http://127.0.0.1:7717.evil.example\r\n\r\n",
         {403},
         kStays},
        {"Origin http://evil.example:7717",
         "GET /v1/sessions HTTP/1.1\r\n"s + kHost + "Origin: http://evil.example:7717\r\n\r\n",
         {403},
         kStays},
        {"Origin http://127.0.0.1:7717@evil.example",
         "GET /v1/sessions HTTP/1.1\r\n"s + kHost +
             "Origin: http://127.0.0.1:7717@evil.example\r\n\r\n",
         {403},
         kStays},
        {"Origin http://evil.example/http://127.0.0.1:7717",
         "GET /v1/sessions HTTP/1.1\r\n"s + kHost +
             "Origin: http://evil.example/http://127.0.0.1:7717\r\n\r\n",
         {403},
         kStays},
        {"Origin 127.0.0.1:7717",
         "GET /v1/sessions HTTP/1.1\r\n"s + kHost + "Origin: 127.0.0.1:7717\r\n\r\n",
         {403},
         kStays},
        {"Origin ftp://127.0.0.1:7717",
         "GET /v1/sessions HTTP/1.1\r\n"s + kHost + "Origin: ftp://127.0.0.1:7717\r\n\r\n",
         {403},
         kStays},
        {"Origin file://",
         "GET /v1/sessions HTTP/1.1\r\n"s + kHost + "Origin: file://\r\n\r\n",
         {403},
         kStays},
        {"Origin null, http://127.0.0.1:7717",
         "GET /v1/sessions HTTP/1.1\r\n"s + kHost + "Origin: null, http://127.0.0.1:7717\r\n\r\n",
         {403},
         kStays},
        {"Origin http://[::1]",
         "GET /v1/sessions HTTP/1.1\r\n"s + kHost + "Origin: http://[::1]\r\n\r\n",
         {403},
         kStays},
        {"Origin chrome-extension://abc",
         "GET /v1/sessions HTTP/1.1\r\n"s + kHost + "Origin: chrome-extension://abc\r\n\r\n",
         {403},
         kStays},
        {"Origin http://127.0.0.1:7717/",
         "GET /v1/sessions HTTP/1.1\r\n"s + kHost + "Origin: http://127.0.0.1:7717/\r\n\r\n",
         {403},
         kStays},
        {"Origin http://http://127.0.0.1:7717",
         "GET /v1/sessions HTTP/1.1\r\n"s + kHost + "Origin: http://http://127.0.0.1:7717\r\n\r\n",
         {403},
         kStays},
        {"same-site fetch", kGetHost + "Sec-Fetch-Site: same-site\r\n\r\n", {403}, kStays},
        {"a form in JSON's clothes",
         "POST /v1/sessions/bad/events HTTP/1.1\r\n"s + kHost +
             "Content-Type: text/plain; application/json\r\nContent-Length: 12\r\n\r\ntype=message",
         {415},
         kStays,
         true},
        {"two types in one line",
         "POST /v1/sessions/bad/events HTTP/1.1\r\n"s + kHost +
             "Content-Type: text/plain, application/json\r\nContent-Length: 2\r\n\r\n{}",
         {415},
         kStays,
         true},
        {"multipart",
         "POST /v1/sessions/bad/events HTTP/1.1\r\n"s + kHost +
             "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 5\r\n\r\n--x\r\n",
         {415},
         kStays,
         true},
        {"a type that begins like ours",
         "POST /v1/sessions/bad/events HTTP/1.1\r\n"s + kHost +
             "Content-Type: application/jsonp\r\nContent-Length: 2\r\n\r\n{}",
         {415},
         kStays,
         true},
        {"an empty type",
         "POST /v1/sessions/bad/events HTTP/1.1\r\n"s + kHost +
             "Content-Type: \r\nContent-Length: 2\r\n\r\n{}",
         {415},
         kStays,
         true},
    };
    for (const Case& c : cases)
        check(c);
}

TEST_CASE("malformed requests: lengths", "[server]") {
    const Case cases[] = {
        {"a length with a fraction", kPost + "Content-Length: 5.0\r\n\r\nhello", {400}, kCloses},
        {"a length with an exponent", kPost + "Content-Length: 5e0\r\n\r\nhello", {400}, kCloses},
        {"a length with an underscore", kPost + "Content-Length: 5_0\r\n\r\nhello", {400}, kCloses},
        {"a length in quotes", kPost + "Content-Length: \"5\"\r\n\r\nhello", {400}, kCloses},
        {"a length with a comment",
         kPost + "Content-Length: 5 (five)\r\n\r\nhello",
         {400},
         kCloses},
        {"a length with a semicolon", kPost + "Content-Length: 5;\r\n\r\nhello", {400}, kCloses},
        {"two lengths in one", kPost + "Content-Length: 5 5\r\n\r\nhello", {400}, kCloses},
        {"the same length twice in one",
         kPost + "Content-Length: 5, 5\r\n\r\nhello",
         {400},
         kCloses},
        {"a comma behind the length", kPost + "Content-Length: 5,\r\n\r\nhello", {400}, kCloses},
        {"a comma before the length", kPost + "Content-Length: ,5\r\n\r\nhello", {400}, kCloses},
        {"a length of minus zero", kPost + "Content-Length: -0\r\n\r\nhello", {400}, kCloses},
        {"a length beyond ASCII", kPost + "Content-Length: \262\r\n\r\nhello", {400}, kCloses},
        {"a NUL behind the length", kPost + "Content-Length: 5\000\r\n\r\nhello"s, {400}, kCloses},
        {"a vertical tab before the length",
         kPost + "Content-Length: \0135\r\n\r\nhello",
         {400},
         kCloses},
        {"a form feed behind the length",
         kPost + "Content-Length: 5\014\r\n\r\nhello",
         {400},
         kCloses},
        {"a length in octal", kPost + "Content-Length: 0o5\r\n\r\nhello", {400}, kCloses},
        {"a length of 2^64",
         kPost + "Content-Length: 18446744073709551616\r\n\r\nhello",
         {400},
         kCloses},
        {"a length of 30 digits",
         kPost + "Content-Length: 999999999999999999999999999999\r\n\r\nhello",
         {400},
         kCloses},
        {"a length of 2^64 - 1",
         kPost + "Content-Length: 18446744073709551615\r\n\r\nhello",
         {413},
         kCloses},
        {"a length of 2^63",
         kPost + "Content-Length: 9223372036854775808\r\n\r\nhello",
         {413},
         kCloses},
        {"a length of 2^32 + 5", kPost + "Content-Length: 4294967301\r\n\r\nhello", {413}, kCloses},
        {"a length in two cases",
         kPost + "Content-Length: 5\r\ncontent-length: 6\r\n\r\nhello",
         {400},
         kCloses},
        {"a space before the length's colon",
         kPost + "Content-Length : 5\r\n\r\nhello",
         {400},
         kCloses},
        {"a NUL in the length's name",
         kPost + "Content-Length\000: 5\r\n\r\nhello"s,
         {400},
         kCloses},
        {"a length and an empty one",
         kPost + "Content-Length: 5\r\nContent-Length:\r\n\r\nhello",
         {400},
         kCloses},
        {"a length on a request without a body's route",
         kGetHost + "Content-Length: 1\r\n\r\n" + kSmuggled,
         {413},
         kCloses},
        {"1 MiB and a byte in pieces",
         kPost + "Content-Length: 1048577\r\n\r\n" + std::string(65536, ' '),
         {413},
         kCloses},
        {"far more than is read",
         kPost + "Content-Length: 99999999\r\nExpect: 100-continue\r\n\r\n",
         {413},
         kCloses},
    };
    for (const Case& c : cases)
        check(c);
}

TEST_CASE("malformed requests: transfer codings", "[server]") {
    const Case cases[] = {
        {"chunked with a parameter",
         kPost + "Transfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n" + kSmuggled,
         {411},
         kCloses},
        {"a comma behind chunked",
         kPost + "Transfer-Encoding: chunked,\r\n\r\n0\r\n\r\n" + kSmuggled,
         {411},
         kCloses},
        {"a comma before chunked",
         kPost + "Transfer-Encoding: ,chunked\r\n\r\n0\r\n\r\n" + kSmuggled,
         {411},
         kCloses},
        {"chunked in quotes",
         kPost + "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n" + kSmuggled,
         {411},
         kCloses},
        {"chunked twice in one",
         kPost + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n" + kSmuggled,
         {411},
         kCloses},
        {"gzip before chunked",
         kPost + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + kSmuggled,
         {411},
         kCloses},
        {"identity behind chunked",
         kPost + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + kSmuggled,
         {411},
         kCloses},
        {"deflate",
         kPost + "Transfer-Encoding: deflate\r\n\r\n0\r\n\r\n" + kSmuggled,
         {411},
         kCloses},
        {"a vertical tab before chunked",
         kPost + "Transfer-Encoding: \013chunked\r\n\r\n0\r\n\r\n" + kSmuggled,
         {400},
         kCloses},
        {"a NUL behind chunked",
         kPost + "Transfer-Encoding: chunked\000\r\n\r\n0\r\n\r\n"s + kSmuggled,
         {400},
         kCloses},
        {"chunked in a fold",
         kPost + "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n" + kSmuggled,
         {411},
         kCloses},
        {"a line feed before chunked",
         kPost + "Transfer-Encoding: x\n chunked\r\n\r\n0\r\n\r\n" + kSmuggled,
         {400},
         kCloses},
        {"a space before the coding's colon",
         kPost + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + kSmuggled,
         {400},
         kCloses},
        {"a tab before the coding's colon",
         kPost + "Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n" + kSmuggled,
         {400},
         kCloses},
        {"a coding and then a length",
         kPost + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + kSmuggled,
         {400},
         kCloses},
        {"a coding on a GET",
         kGetHost + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + kSmuggled,
         {413},
         kCloses},
        {"an unknown coding and a length",
         kPost + "Transfer-Encoding: x\r\nContent-Length: 5\r\n\r\nhello" + kSmuggled,
         {400},
         kCloses},
        {"chunked in HTTP/1.0",
         "POST /v1/sessions/bad/events HTTP/1.0\r\n"s + kHost +
             "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" +
             kSmuggled,
         {400},
         kCloses},
        {"two codings, the last unknown",
         kPost + "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n" + kSmuggled,
         {400},
         kCloses},
        {"a chunk size beyond 64 bits",
         kPost + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n[]\r\n0\r\n\r\n" +
             kSmuggled,
         {400},
         kCloses},
        {"a chunk size of fifteen digits",
         kPost + "Transfer-Encoding: chunked\r\n\r\n000000000000002\r\n[]\r\n0\r\n\r\n" + kSmuggled,
         {400},
         kCloses},
        {"a chunk with an extension",
         kPost + "Transfer-Encoding: chunked\r\n\r\n2;a=b\r\n[]\r\n0\r\n\r\n" + kSmuggled,
         {400},
         kCloses},
        {"a last chunk with an extension",
         kPost + "Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0;a\r\n\r\n" + kSmuggled,
         {400},
         kCloses},
        {"a space behind a chunk's size",
         kPost + "Transfer-Encoding: chunked\r\n\r\n2 \r\n[]\r\n0\r\n\r\n" + kSmuggled,
         {400},
         kCloses},
        {"a space before a chunk's size",
         kPost + "Transfer-Encoding: chunked\r\n\r\n 2\r\n[]\r\n0\r\n\r\n" + kSmuggled,
         {400},
         kCloses},
        {"a sign before a chunk's size",
         kPost + "Transfer-Encoding: chunked\r\n\r\n+2\r\n[]\r\n0\r\n\r\n" + kSmuggled,
         {400},
         kCloses},
        {"a minus before a chunk's size",
         kPost + "Transfer-Encoding: chunked\r\n\r\n-2\r\n[]\r\n0\r\n\r\n" + kSmuggled,
         {400},
         kCloses},
        {"a chunk's size with 0x",
         kPost + "Transfer-Encoding: chunked\r\n\r\n0x2\r\n[]\r\n0\r\n\r\n" + kSmuggled,
         {400},
         kCloses},
        {"no size",
         kPost + "Transfer-Encoding: chunked\r\n\r\n\r\n[]\r\n0\r\n\r\n" + kSmuggled,
         {400},
         kCloses},
        {"a line feed behind a size",
         kPost + "Transfer-Encoding: chunked\r\n\r\n2\n[]\r\n0\r\n\r\n" + kSmuggled,
         {400},
         kCloses},
        {"two CRs behind a size",
         kPost + "Transfer-Encoding: chunked\r\n\r\n2\r\r\n[]\r\n0\r\n\r\n" + kSmuggled,
         {400},
         kCloses},
        {"a line feed behind a chunk",
         kPost + "Transfer-Encoding: chunked\r\n\r\n2\r\n[]\n0\r\n\r\n" + kSmuggled,
         {400},
         kCloses},
        {"a chunk longer than its size",
         kPost + "Transfer-Encoding: chunked\r\n\r\n1\r\n[]\r\n0\r\n\r\n" + kSmuggled,
         {400},
         kCloses},
        {"a chunk shorter than its size",
         kPost + "Transfer-Encoding: chunked\r\n\r\n3\r\n[]\r\n0\r\n\r\n" + kSmuggled,
         {400},
         kCloses},
        {"a trailer",
         kPost + "Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\nContent-Length: 5\r\n\r\n" +
             kSmuggled,
         {400},
         kCloses},
        {"a line feed for the last line end",
         kPost + "Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\n" + kSmuggled,
         {400},
         kCloses},
        {"a chunk beyond the limit",
         kPost + "Transfer-Encoding: chunked\r\n\r\n100001\r\n" + kSmuggled,
         {413},
         kCloses},
        {"chunks beyond the limit",
         kPost + "Transfer-Encoding: chunked\r\n\r\n" +
             times("10000\r\n" + std::string(65536, ' ') + "\r\n", 17),
         {413},
         kCloses},
        {"chunks of a byte that take too much of the wire",
         kPost + "Transfer-Encoding: chunked\r\n" + times("\r\n1\r\n ", 350000) + "\r\n" +
             kSmuggled,
         {413},
         kCloses},
    };
    for (const Case& c : cases)
        check(c);
}

TEST_CASE("malformed requests: conversations", "[server]") {
    const Case cases[] = {
        {"an ordinary pipeline",
         kLive + kReport + "Content-Length: 18\r\n\r\n" + kEvent + kLive,
         {0, 0, 0},
         kStays},
        {"a body that looks like a request is a body",
         kReport + "Content-Length: 45\r\n\r\n" + kLive + kLive,
         {0, 0},
         kStays},
        {"the same where the body is not wanted",
         "POST /nowhere HTTP/1.1\r\n"s + kHost + "Content-Length: 4\r\n\r\nGET " + kLive,
         {404, 0},
         kStays,
         true},
        {"the same where the method is not",
         "PUT /livez HTTP/1.1\r\n"s + kHost + "Content-Length: 4\r\n\r\nGET " + kLive,
         {405, 0},
         kStays,
         true},
        {"the same where the type is not",
         "POST /v1/sessions/talk/events HTTP/1.1\r\n"s + kHost + "Content-Length: 4\r\n\r\nGET " +
             kLive,
         {415, 0},
         kStays,
         true},
        {"a Host that is not ours in the middle",
         kLive + kGet + "Host: evil.example\r\n\r\n" + kLive,
         {0, 421, 0},
         kStays},
        {"a body shorter than it says takes from the next",
         kReport + "Content-Length: 23\r\n\r\n" + kEvent + kLive,
         {0, 400},
         kCloses},
        {"a body longer than it says is no request",
         kReport + "Content-Length: 18\r\n\r\n" + kEvent + "xx\r\n\r\n" + kLive,
         {0, 400},
         kCloses},
        {"length 0 and a body",
         kReport + "Content-Length: 0\r\n\r\n" + kEvent + "\r\n\r\n" + kLive,
         {0, 400},
         kCloses},
        {"no length and a body", kReport + "\r\n" + kEvent + "\r\n\r\n" + kLive, {0, 400}, kCloses},
        {"a length with an underscore is none",
         kReport + "Content_Length: 18\r\n\r\n" + kEvent + "\r\n\r\n" + kLive,
         {0, 400},
         kCloses},
        {"a coding with an underscore is none",
         kReport + "Transfer_Encoding: chunked\r\nContent-Length: 18\r\n\r\n" + kEvent + kLive,
         {0, 0},
         kStays},
        {"chunked, and a request behind it",
         kReport + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + kLive,
         {0, 0},
         kStays},
        {"a chunked body (capitals)",
         kReport +
             "Transfer-Encoding: CHUNKED\r\n\r\n5\r\n{\"typ\r\nD\r\ne\":\"message\"}\r\n0\r\n\r\n" +
             kLive,
         {0, 0},
         kStays},
        {"a chunked body (a tab)",
         kReport +
             "Transfer-Encoding:\tchunked\r\n\r\n5\r\n{\"typ\r\nD\r\ne\":\"message\"}"
             "\r\n0\r\n\r\n" +
             kLive,
         {0, 0},
         kStays},
        {"a chunked body (no space)",
         kReport +
             "Transfer-Encoding:chunked\r\n\r\n5\r\n{\"typ\r\nD\r\ne\":\"message\"}\r\n0\r\n\r\n" +
             kLive,
         {0, 0},
         kStays},
        {"a chunked body (a space behind)",
         kReport +
             "Transfer-Encoding: chunked "
             "\r\n\r\n5\r\n{\"typ\r\nD\r\ne\":\"message\"}\r\n0\r\n\r\n" +
             kLive,
         {0, 0},
         kStays},
        {"a chunked body that looks like a request",
         kReport + "Transfer-Encoding: chunked\r\n\r\n2d\r\n" + kLive + "\r\n0\r\n\r\n" + kLive,
         {0, 0},
         kStays},
        {"chunked bodies in a row",
         times(kReport + "Transfer-Encoding: "
                         "chunked\r\n\r\n5\r\n{\"typ\r\nD\r\ne\":\"message\"}\r\n0\r\n\r\n",
               5) +
             kLive,
         {0, 0, 0, 0, 0, 0},
         kStays},
        {"a URL for a target",
         "GET http://127.0.0.1:7717/livez HTTP/1.1\r\n"s + kHost + "\r\n" + kLive,
         {0, 0},
         kStays},
        {"chunked with a length, and a request behind it",
         kReport + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + kLive,
         {400},
         kCloses},
        {"two lengths, and a request behind them",
         kReport + "Content-Length: 0\r\nContent-Length: 45\r\n\r\n" + kLive,
         {400},
         kCloses},
        {"a GET with a body that is a request",
         kGetHost + "Content-Length: 45\r\n\r\n" + kLive + kLive,
         {413},
         kCloses},
        {"a GET with length 0", kGetHost + "Content-Length: 0\r\n\r\n" + kLive, {0, 0}, kStays},
        {"Connection: close in the middle",
         kLive + kGetHost + "Connection: close\r\n\r\n" + kLive,
         {0, 0},
         kCloses},
        {"Connection: close among others",
         kGetHost + "Connection: x, Close\r\n\r\n" + kLive,
         {0},
         kCloses},
        {"HTTP/1.0 in the middle",
         kLive + "GET /livez HTTP/1.0\r\n" + kHost + "\r\n" + kLive,
         {0, 0},
         kCloses},
        {"HTTP/1.0 that would stay",
         "GET /livez HTTP/1.0\r\n"s + kHost + "Connection: keep-alive\r\n\r\n" + kLive,
         {0, 0},
         kStays},
        {"an upgrade to h2c is not taken",
         kGetHost +
             "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: "
             "AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n" +
             kLive,
         {0, 0},
         kStays},
        {"an upgrade to WebSocket is not taken",
         kGetHost +
             "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: "
             "13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n" +
             kLive,
         {0, 0},
         kStays},
        {"Connection cannot take Host away",
         kGetHost + "Connection: Host, Content-Length\r\n\r\n" + kLive,
         {0, 0},
         kStays},
        {"a field of a proxy, where proxies may be",
         kGetHost + "X-Forwarded-Host: evil.example\r\n\r\n" + kLive,
         {0, 0},
         kStays},
        {"an unknown expectation", kGetHost + "Expect: a-pony\r\n\r\n" + kLive, {0, 0}, kStays},
        {"a Trailer that announces nothing",
         kGetHost + "Trailer: X\r\nTE: trailers\r\n\r\n" + kLive,
         {0, 0},
         kStays},
        {"obs-text and tabs in values",
         kGetHost + "X: \351\t\200\377\r\nY:\r\nZ: \t \r\n\r\n" + kLive,
         {0, 0},
         kStays},
        {"white space around a length",
         kReport + "Content-Length: \t 18 \t\r\n\r\n" + kEvent + kLive,
         {0, 0},
         kStays},
        {"white space around the Host",
         kGet + "Host:\t127.0.0.1:7717 \t\r\n\r\n" + kLive,
         {0, 0},
         kStays},
        {"99 fields more", kGetHost + times("X: 1\r\n", 99) + "\r\n" + kLive, {0, 0}, kStays},
        {"empty lines between requests", kLive + "\r\n\r\n" + kLive, {0, 0}, kStays},
    };
    for (const Case& c : cases)
        check(c);
}

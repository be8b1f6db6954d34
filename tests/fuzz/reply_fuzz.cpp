// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>

#include "api/hooks/texts/answer_use.hpp"
#include "core/base/result.hpp"
#include "hook/text/bytes.hpp"
#include "hook/text/json_scan.hpp"
#include "hook/text/reply_parser.hpp"
#include "hook/text/rollout.hpp"
#include "hook/way/places.hpp"
#include "hook/way/request.hpp"
#include "hook/way/use.hpp"
#include "server/http/message/request_head.hpp"
#include "tests/fuzz/bytes.hpp"
#include "tests/fuzz/work.hpp"

// Input of headway-hook: replies of any server, in any pieces; URLs and facts, of which the daemon
// reads the request; rollouts and transcripts.

using namespace headway;
using namespace headway::hook;
using State = ReplyParser::State;

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

void feed(ReplyParser& parser, std::string_view bytes, std::size_t piece) {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
        const State before = parser.state();
        const State after = parser.feed(bytes.substr(0, piece));
        tests::require(before == State::kMore || after == before);
    }
}

void read_reply(std::string_view bytes, std::size_t piece) {
    const tests::LittleWork work;
    ReplyParser whole;
    ReplyParser pieces;
    feed(whole, bytes, bytes.size() + 1);
    feed(pieces, bytes, piece);
    tests::require(whole.state() == pieces.state() && whole.status() == pieces.status());
    whole.end();
    pieces.end();
    tests::require(whole.state() == pieces.state() && whole.state() != State::kMore);
    if (whole.state() == State::kBroken) return;
    const std::string& body = whole.body();
    tests::require(whole.status() == 200 && body == pieces.body());
    tests::require(body.size() <= ReplyParser::kBodyBytesMax);
    tests::require(body.empty() || kBlanks.find(body.front()) == kBlanks.npos);
}

/// A daemon's reply with this body is read as it was meant, chunked or not.
void there_and_back(std::string_view body, std::size_t chunk) {
    const std::string head = "HTTP/1.1 200 OK\r\n";
    std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
    for (std::string_view left = body; !left.empty();
         left.remove_prefix(std::min(chunk, left.size()))) {
        constexpr std::string_view kDigits = "0123456789abcdef";
        const std::string_view now = left.substr(0, chunk);
        chunked.append(1, kDigits[now.size() / 16]).append(1, kDigits[now.size() % 16]);
        chunked.append("\r\n").append(now).append("\r\n");
    }
    chunked += "0\r\n\r\n";
    const std::string counted =
        head + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string{body};
    const std::string_view meant =
        body.substr(std::min(body.find_first_not_of(kBlanks), body.size()));
    for (const std::string& bytes : {chunked, counted}) {
        ReplyParser parser;
        feed(parser, bytes, 1 + chunk);
        tests::require(parser.state() == State::kWhole && parser.body() == meant);
    }
}

/// The daemon reads our request, whatever the input.
void request(std::string_view text) {
    const std::size_t first = std::min(text.find('\n'), text.size());
    const std::string word{text.substr(std::min(first + 1, text.size()))};
    Place place;
    const UrlKind kind = read_url(text.substr(0, first), place);
    if (kind != UrlKind::kNumeric && kind != UrlKind::kSocket) return;
    tests::require((kind == UrlKind::kSocket) == place.host.empty());
    Options options;
    options.agent = "claude";
    options.agent_version = word;
    Facts facts{
        word, word, word, word, word, {word, word, word}, word, {word, word, word, word, -1}};
    const std::string head = request_head(options, place, facts, 77);
    server::RequestHead read;
    core::Error error;
    const auto status = server::parse_head(head, read, error);
    tests::require(head.size() > 8'192 || status == server::HeadStatus::kComplete);
    if (status != server::HeadStatus::kComplete) return;
    tests::require(read.bytes == head.size() && read.content_length == 77U);
    tests::require(read.method == server::Method::kPost && read.transfer_encodings == 0);
    tests::require(read.hosts == 1 || place.authority.size() > 128);
    tests::require(read.target.ends_with("/v1/hooks/claude"));
    tests::require(read.hook_session.empty() || read.hook_session == word);
    // A socket knows who asks; a token does not go there.
    tests::require(kind == UrlKind::kNumeric || read.authorization.empty());
}

/// The use fits a header, and the daemon can read it.
void use(std::string_view text) {
    const tests::LittleWork work;
    for (const std::string& words : {use_in_transcript(text), use_in_rollout(text)}) {
        tests::require(words.empty() || fits_header(words, 4'096));
        const auto items = std::count(words.begin(), words.end(), ',') + (words.empty() ? 0 : 1);
        const auto read = api::hooks::read_answer_uses(words);
        tests::require(std::ssize(read) <= items && items <= kAnswersMax);
    }
    (void)ends_with_answer(text);
    const std::string body = use_body(text);
    tests::require(body.empty() || text_member(body, "hook_event_name") == "Usage");
}

void rollout(std::string_view text) {
    const tests::LittleWork work;
    const std::size_t first = std::min(text.find('\n'), text.size());
    const std::string_view call = text.substr(0, first);
    for (const std::string_view name : {"hook_event_name", "transcript_path", "tool_use_id"}) {
        const std::string_view found = text_member(text, name);
        tests::require(found.find_first_of("\"\\") == found.npos);
    }
    const std::string_view code = exit_code_in(text.substr(first), call);
    tests::require(code.size() <= 11 && code.find_first_not_of("-0123456789") == code.npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tests::Bytes bytes{data, size};
    const std::size_t what = bytes.choose(8);
    const std::size_t piece = 1 + bytes.choose(64);
    const std::string_view text = bytes.rest();
    switch (what) {
        case 0:
            there_and_back(text, piece);
            break;
        case 1:
            request(text);
            break;
        case 2:
            rollout(text);
            break;
        case 3:
            rollout(tests::grown(text));
            break;
        case 4:
            read_reply(tests::grown(text), piece);
            break;
        case 5:
            use(text);
            break;
        case 6:
            use(tests::grown(text));
            break;
        default:
            read_reply(text, piece);
            break;
    }
    return 0;
}

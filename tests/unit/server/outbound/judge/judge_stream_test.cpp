// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/judge/judge_stream.hpp"

#include <catch2/catch.hpp>

using namespace headway::server;

namespace {

const std::string kHello =
    ": keep-alive\n\n"
    "event: message\nid: 1\n"
    R"(data: {"model":"small","choices":[{"delta":{"role":"assistant","content":"A: "}}]})"
    "\n\n"
    R"(data:{"choices":[{"delta":{"content":"it m\u00f6ves"},"finish_reason":"stop"}]})"
    "\n\n"
    R"(data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}})"
    "\n\ndata: [DONE]\n\n";

void check_hello(const JudgeStream& stream) {
    CHECK(stream.whole());
    CHECK(stream.error().empty());
    CHECK(stream.text() == "A: it m\xc3\xb6ves");
    CHECK(stream.model() == "small");
    CHECK(stream.usage() == headway::api::ChatUsage{7, 3});
}

std::string with_ending(std::string text, const std::string& ending) {
    for (std::size_t at = text.find('\n'); at != std::string::npos;
         at = text.find('\n', at + ending.size())) {
        text.replace(at, 1, ending);
    }
    return text;
}

JudgeStream fed(const std::string& bytes) {
    JudgeStream stream;
    stream.feed(bytes);
    stream.end();
    return stream;
}

const std::string kChunk = R"(data: {"choices":[{"delta":{"content":"B"}}]})"
                           "\n\n";

}  // namespace

TEST_CASE("judge stream: any line ending, cut anywhere", "[server]") {
    for (const std::string ending : {"\n", "\r", "\r\n"}) {
        const std::string bytes = with_ending(kHello, ending);
        for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
            JudgeStream stream;
            stream.feed(std::string_view{bytes}.substr(0, cut));
            stream.feed(std::string_view{bytes}.substr(cut));
            REQUIRE(stream.whole());
            REQUIRE(stream.text() == "A: it m\xc3\xb6ves");
        }
        JudgeStream stream;
        for (const char byte : bytes)
            stream.feed({&byte, 1});
        check_hello(stream);
    }
}

TEST_CASE("judge stream: an object that was not streamed", "[server]") {
    const std::string body =
        "\n {\"model\":\"small\",\"choices\":[{\"message\":{\"content\":\"A: it m\xc3\xb6ves\"},"
        R"("finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3}})";
    JudgeStream stream;
    for (const char byte : body)
        stream.feed({&byte, 1});
    CHECK_FALSE(stream.whole());
    stream.end();
    check_hello(stream);
}

TEST_CASE("judge stream: only [DONE] or the model's own stop makes it whole", "[server]") {
    const std::string stop = R"(data: {"choices":[{"delta":{},"finish_reason":"length"}]})";
    CHECK(fed(kChunk + stop + "\n\n").whole());
    CHECK(fed(kChunk + stop).whole());  // not even a line end
    CHECK(fed(kChunk + "data: [DONE]").whole());
    const JudgeStream cut = fed(kChunk);
    CHECK_FALSE(cut.whole());
    CHECK(cut.error() == "the stream ended before the answer was whole");
    CHECK(cut.text() == "B");
}

TEST_CASE("judge stream: what is no completion", "[server]") {
    for (const std::string body :
         {"", " \n", "<html>It works!</html>", "{\"object\":\"list\"}", "{\"choices\":", "[1,2]",
          "data: <html>\n\n", "data: {\"choices\":[{\"delta\"\n\n", ": alive\n\n: alive\n\n"}) {
        CAPTURE(body);
        const JudgeStream stream = fed(body);
        CHECK_FALSE(stream.whole());
        CHECK_THAT(stream.error(), Catch::Contains("no chat completion"));
    }
}

TEST_CASE("judge stream: an error inside it ends it", "[server]") {
    const JudgeStream stream =
        fed(kChunk + "data: {\"error\":{\"message\":\"out of memory\"}}\n\n" + kChunk +
            "data: [DONE]\n\n");
    CHECK_FALSE(stream.whole());
    CHECK(stream.error() == "error of the endpoint: out of memory");
    CHECK(stream.text() == "B");
    CHECK(fed(R"({"error":"no memory"})").error() == "error of the endpoint: no memory");
}

TEST_CASE("judge stream: an event of several data lines is one object", "[server]") {
    const JudgeStream stream =
        fed("data: {\"choices\":[{\"delta\":\ndata:  {\"content\":\"C\"}}]}\n\ndata: [DONE]\n\n");
    CHECK(stream.whole());
    CHECK(stream.text() == "C");
}

TEST_CASE("judge stream: nothing counts after [DONE]", "[server]") {
    CHECK(fed(kChunk + "data: [DONE]\n\n" + kChunk + "data: rubbish\n\n").text() == "B");
}

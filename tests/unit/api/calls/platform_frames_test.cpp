// SPDX-License-Identifier: Apache-2.0
#include "api/calls/platform_frames.hpp"

#include <catch2/catch.hpp>
#include <string>

namespace {

/// The answer with an id in place of each `@`, without frames.
std::string cut(std::string answer, const std::string& id) {
    for (std::size_t at = answer.find('@'); at != std::string::npos; at = answer.find('@'))
        answer.replace(at, 1, id);
    headway::api::cut_platform_frames(answer);
    return answer;
}

}  // namespace

TEST_CASE("frames: what the platform makes up for each call is no part of the answer", "[api]") {
    const char* const answer = GENERATE(
        "no.\n<usage>total_tokens: @\ntool_uses: @\nduration_ms: @</usage>",
        "no.\nagentId: a@ (use SendMessage with to: 'a@' to continue this agent)",
        "no.\nagentId: a@ (use SendMessage to go on)",
        "<persisted-output>\nFull output saved to: /h/p/tool-results/b@.txt\n\nPreview:\nx",
        "Error: too long. Output has been saved to /h/tool-results/mcp-x-@.txt.",
        "[Binary content also saved to /h/tool-results/webfetch-@-f.pdf]",
        "Command running in background with ID: b@. Output is being written to: /t/b@.output",
        "x\n<system-reminder>\ntodo: [@ items]\n</system-reminder>",
        R"({bytes:@,code:200,codeText:"OK",result:"hello",})");
    CAPTURE(answer);
    CHECK(cut(answer, "71") == cut(answer, "7f3a9"));
}

TEST_CASE("frames: other parts of an answer stay", "[api]") {
    const char* const answer = GENERATE("saved to: /home/u/out/@.txt", "<usage>: tool [@]</usage>",
                                        "{bytes:@,name:\"x\",}", "usage of @",
                                        "a <system-reminder> of @", "", "agents: @");
    CAPTURE(answer);
    CHECK(cut(answer, "71").find("71") == std::string{answer}.find('@'));
}

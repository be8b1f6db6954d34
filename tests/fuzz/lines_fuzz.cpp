// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/lines/agent_lines.hpp"
#include "cli/lines/bounded_event.hpp"
#include "core/redaction/secrets.hpp"
#include "tests/fuzz/bytes.hpp"
#include "tests/fuzz/kept.hpp"
#include "tests/fuzz/work.hpp"

// Output of a command that may be an agent. The result does not depend on how the bytes came, and
// the daemon takes each event of it.

using namespace headway;

namespace {

constexpr std::size_t kNameBytesMax = 256;  // an id or a model with the mark of what was cut

struct Heard {
    std::vector<std::pair<std::string, std::string>> events;  // type, data as JSON
    std::string rest;
    std::string result;
    std::string model;
    bool found = false;
    friend bool operator==(const Heard&, const Heard&) = default;
};

Heard hear(std::string_view output, std::size_t piece) {
    const tests::LittleWork work;
    Heard heard;
    cli::OutputLines rest;
    cli::AgentLines lines([&heard](const cli::LineEvent& event, bool) {
        heard.events.emplace_back(event.type, cli::dump(event.data));
    });
    for (; !output.empty(); output.remove_prefix(std::min(piece, output.size())))
        lines.feed(output.substr(0, piece), rest);
    lines.finish(rest);
    tests::require(heard.events.size() <= cli::AgentLines::kEventsPerSecondMax);
    lines.tick();
    heard.rest = rest.take(true).value_or("");
    heard.found = lines.found();
    heard.model = lines.model();
    if (lines.result()) heard.result = (lines.result()->ok ? "+" : "-") + lines.result()->text;
    return heard;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tests::Bytes bytes{data, size};
    const std::size_t how = bytes.choose(64);
    const std::string output{how == 0 ? tests::grown(bytes.rest()) : bytes.rest()};
    const Heard whole = hear(output, output.size() + 1);
    tests::require(hear(output, 1 + how) == whole);
    tests::require(whole.found || (whole.events.empty() && whole.result.empty()));
    tests::require(whole.result.size() <= 1 + cli::kLineTextBytesMax);
    tests::require(whole.model.size() <= kNameBytesMax);
    static const core::SecretFinder secrets;
    api::JsonDocument document;
    document.redact_with(&secrets);
    for (const auto& [type, json] : whole.events)
        tests::report_and_keep(document, type, json);
    return 0;
}

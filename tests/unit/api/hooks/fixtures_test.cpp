// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "api/hooks/dialect.hpp"
#include "tests/unit/api/hooks/fixtures.hpp"
#include "tests/unit/api/hooks/hook_text.hpp"

// Requests of real agents, and how they are read. After a change that is meant, write the golden
// files again and look at each difference:
//     HEADWAY_WRITE_EXPECTED=1 build/dev/tests/unit_api "hook fixtures*"; git diff

using namespace headway;
using namespace headway::api::hooks;
using namespace headway::tests;

namespace {

using Document = nlohmann::json;
namespace fs = std::filesystem;

std::string text_of(const Dialect& dialect, const std::string& body) {
    api::JsonDocument document;
    require_ok(document.parse(body));
    return hook_text(dialect.parse(document.root(), {}));
}

std::string string_of(const Document& body, const char* name) {
    const auto found = body.find(name);
    return found != body.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

/// Events that are nothing to report, as the agents' versions that were captured send them.
bool is_of_no_kind(const std::string& agent, const Document& body) {
    const std::string event = string_of(body, "hook_event_name");
    return agent == "gemini" && (event == "PreCompress" || event == "BeforeToolSelection");
}

void check_captured(const std::string& agent, const Document& body) {
    const Dialect* dialect = find_dialect(agent);
    REQUIRE(dialect != nullptr);
    const std::string text = body.dump();
    INFO(agent << " " << text.substr(0, 600));
    api::JsonDocument document;
    require_ok(document.parse(text));
    const Hook hook = dialect->parse(document.root(), {});
    if (is_of_no_kind(agent, body)) {
        CHECK(hook.kind == HookKind::kNone);
        return;
    }
    CHECK(hook.kind != HookKind::kNone);
    CHECK_FALSE(hook.session.empty());
    CHECK_FALSE(hook.event.empty());
    const bool one = hook.kind == HookKind::kPre || hook.kind == HookKind::kPost;
    if (one || hook.kind == HookKind::kPermission) {
        CHECK_FALSE(hook.call.tool.empty());
        CHECK(hook.call.args.has_value());
    }
    if (one) CHECK_FALSE(hook.call.call.empty());
    if (hook.kind != HookKind::kBatch) return;
    CHECK(hook.calls.size() == body.at("tool_calls").size());
    for (const HookCall& call : hook.calls) {
        CHECK_FALSE(call.tool.empty());
        CHECK_FALSE(call.call.empty());
    }
}

/// Files of requests to hooks: one in each, or the list of a case.
std::size_t check_file(const std::string& agent, const fs::path& path) {
    const Document document = Document::parse(read_whole(path), nullptr, false);
    const Document list = document.is_array() ? document : Document::array({document});
    std::size_t count = 0;
    for (const Document& item : list) {
        if (!item.is_object() || !item.contains("body")) continue;
        const Document& body = item.at("body");
        if (!body.is_object() || body.empty()) continue;
        check_captured(agent, body);
        ++count;
    }
    return count;
}

bool holds_requests(const fs::path& path) {
    const std::string folder = path.parent_path().filename().string();
    return path.extension() == ".json" &&
           (path.filename() == "hooks.json" || folder == "http" || folder == "cmd");
}

}  // namespace

TEST_CASE("hook fixtures: each body is read as its golden file says", "[api][hooks]") {
    const bool write = std::getenv("HEADWAY_WRITE_EXPECTED") != nullptr;
    for (const Fixture& fixture : all_fixtures()) {
        const std::string text = text_of(*fixture.dialect, read_whole(fixture.path));
        fs::path golden = fixture.path;
        golden.replace_extension(".expected");
        if (write) std::ofstream{golden, std::ios::binary} << text;
        INFO(fixture.path.string());
        CHECK(text == read_whole(golden));
    }
}

TEST_CASE("hook fixtures: an unknown member anywhere changes nothing", "[api][hooks]") {
    for (const Fixture& fixture : all_fixtures()) {
        INFO(fixture.path.string());
        const std::string body = read_whole(fixture.path);
        Document document = Document::parse(body);
        document["headway_unknown"] = {{"tool_name", "x"}, {"session_id", 7}};
        CHECK(text_of(*fixture.dialect, document.dump()) ==
              text_of(*fixture.dialect, Document::parse(body).dump()));
    }
}

TEST_CASE("hook fixtures: every captured payload beside the checkout is read", "[api][hooks]") {
    const fs::path captures =
        fs::path{HEADWAY_SOURCE_DIR}.parent_path() / "shared/adapters/captures";
    if (!fs::is_directory(captures)) {
        WARN("skipped: no captured payloads beside the checkout");
        return;
    }
    std::size_t count = 0;
    for (const Dialect* dialect : all_dialects()) {
        const std::string agent{dialect->name};
        if (!fs::is_directory(captures / agent)) continue;
        for (const auto& entry : fs::recursive_directory_iterator{captures / agent}) {
            if (holds_requests(entry.path())) count += check_file(agent, entry.path());
        }
    }
    CHECK(count > 1000);
}

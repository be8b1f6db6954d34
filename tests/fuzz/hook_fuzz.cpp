// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "api/hooks/dialect.hpp"
#include "core/redaction/secrets.hpp"
#include "tests/fuzz/bytes.hpp"

// Bodies of hooks, which come from programs of others. Whatever it is, it is read or left, and the
// reply is one JSON object: `{}` to what is not known, and never long.

using namespace headway;
using namespace headway::api::hooks;

namespace {

HookReply reply_of(std::size_t choice) {
    HookReply reply;
    if (choice & 1U) reply.deny = "no";
    if (choice & 2U) reply.context = std::string(3 * kReplyTextBytesMax, '\xc3');
    if (choice & 4U) reply.stop = "budget";
    if (choice & 8U) reply.stop_hard = true;
    if (choice & 16U) reply.undecided = true;
    if (choice & 32U) reply.edit_json = "{}";
    if (choice & 64U) reply.allow = "ana";
    return reply;
}

bool is_valid(const HookCall& call) {
    const bool failed = call.ok.has_value() && !*call.ok;
    return call.tool.size() <= kHookNameBytesMax && call.call.size() <= kHookNameBytesMax &&
           (!failed || call.result.empty()) && (call.error_class.empty() || failed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const core::SecretFinder secrets;
    tests::Bytes bytes{data, size};
    const auto dialects = all_dialects();
    const Dialect& dialect = *dialects[bytes.choose(dialects.size())];
    const HookReply reply = reply_of(bytes.choose(128));
    api::JsonDocument document;
    document.redact_with(&secrets);
    if (!document.parse(bytes.rest())) return 0;
    const Hook hook = dialect.parse(document.root(), {});
    tests::require(hook.kind == HookKind::kNone || !hook.session.empty());
    tests::require(hook.session.size() <= kHookNameBytesMax);
    tests::require(is_valid(hook.call));
    tests::require(std::all_of(hook.calls.begin(), hook.calls.end(), is_valid));
    tests::require(dialect.render(hook, {}) == "{}");
    const std::string json = dialect.render(hook, reply);
    tests::require(hook.kind != HookKind::kNone || json == "{}");
    tests::require(json.size() <= 4 * kReplyTextBytesMax);
    tests::require(json.front() == '{' && json.back() == '}');
    return 0;
}

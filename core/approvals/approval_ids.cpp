// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <string>
#include <string_view>

#include "core/approvals/approvals.hpp"
#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/text/sha256.hpp"
#include "core/text/text.hpp"

// Ids of approval requests, and their identity.

namespace headway::core {

std::string approval_id(std::string_view session, std::uint64_t n) {
    return std::string{session} + ".a" + std::to_string(n);
}

std::optional<ApprovalRef> parse_approval_id(std::string_view id) {
    const std::size_t dot = id.rfind(".a");
    if (dot == std::string_view::npos || dot == 0) return std::nullopt;
    const std::string_view digits = id.substr(dot + 2);
    ApprovalRef ref;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ref.n);
    const bool whole = error == std::errc{} && end == digits.data() + digits.size();
    if (!whole || ref.n == 0 || digits.front() == '0' || ref.n > INT64_MAX) return std::nullopt;
    ref.session = id.substr(0, dot);
    HEADWAY_ASSERT(approval_id(ref.session, ref.n) == id);
    return ref;
}

std::string identity_of(const ApprovalRequested& asked) {
    // Length-prefixed parts, so that two different lists of parts never give the same text.
    std::string text = "headway approval 1";
    const auto part = [&text](std::string_view bytes) {
        text.append("\n").append(std::to_string(bytes.size())).append(":").append(bytes);
    };
    part(name_of(asked.kind));
    part(asked.tool);
    part(asked.args_digest);
    // Words are decided about in all other requests.
    if (asked.args.empty() || asked.kind != ApprovalKind::kTool) {
        part(asked.summary.kept);
        part(asked.summary.whole() ? std::string{} : to_hex(asked.summary.digest));
        for (const std::string& option : asked.options)
            part(option);
    }
    if (asked.extend) {
        const BudgetLimits& more = *asked.extend;
        for (const auto& amount : {more.timeout_seconds, more.max_steps, more.max_tokens})
            part(std::to_string(amount.value_or(0)));
        part(std::to_string(more.max_cost_usd.value_or(0)));
    }
    std::string digest = sha256_hex(text);
    HEADWAY_ASSERT(digest.size() == 64);
    return digest;
}

std::uint64_t identity_start(std::string_view digest) {
    std::uint64_t start = 0;
    const std::string_view digits = digest.substr(0, 2 * sizeof start);
    std::from_chars(digits.data(), digits.data() + digits.size(), start, 16);
    return start;
}

std::string kept_call_id(std::string_view call_id) {
    if (call_id.size() <= limits::kIdBytesMax) return std::string{call_id};
    const std::string digest = "#" + sha256_hex(call_id);  // its agent may look for equal ones
    return std::string{cut_text(call_id, limits::kIdBytesMax - digest.size())} + digest;
}

std::uint64_t call_digest(std::string_view tool, std::string_view args_digest) {
    return digest_of(std::string{tool}.append("\n").append(args_digest)).low;
}

}  // namespace headway::core

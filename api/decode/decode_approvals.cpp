// SPDX-License-Identifier: Apache-2.0
#include "api/decode/decode_approvals.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "api/decode/bodies.hpp"
#include "api/json/canonical_json.hpp"
#include "api/json/decode_fields.hpp"
#include "api/records/args_digest.hpp"
#include "api/records/canonical.hpp"
#include "core/base/limits.hpp"
#include "core/calls/exact_args.hpp"
#include "core/redaction/secrets.hpp"

namespace headway::api {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using fields::under;
using fields::wrong;
namespace limits = core::limits;

constexpr std::size_t kOptionsMax = 16;  // more is no choice for a person
/// What a person reads who would decide about a call by its digest alone.
constexpr std::string_view kArgsNotSent =
    "The arguments were not sent: only their digest. The call itself is not shown.";

Error missing(std::string detail, std::string_view name) {
    return under(Error{ErrorCode::kMissingField, std::move(detail), {}}, name);
}

Result<> check_bytes(const std::string& text, std::size_t bytes_max, std::string_view name) {
    if (text.size() <= bytes_max) return {};
    return under(wrong("must be at most " + std::to_string(bytes_max) + " bytes"), name);
}

/// Person and channel that only Headway may name: those of decisions without a person.
Result<> check_who(const std::string& by, const std::string& channel) {
    static constexpr std::array<std::string_view, 3> kReserved{"expiry", "grant", "approve-agent"};
    HEADWAY_CHECK(check_bytes(by, limits::kApproverBytesMax, "by"));
    HEADWAY_CHECK(check_bytes(channel, limits::kApproverBytesMax, "channel"));
    if (by == "policy" || by.starts_with("grant:")) {
        return under(wrong("names no person; 'policy' and 'grant:' are Headway's"), "by");
    }
    if (std::find(kReserved.begin(), kReserved.end(), channel) == kReserved.end()) return {};
    return under(wrong("is used by Headway; name your own, such as cli or dashboard"), "channel");
}

Result<> check_expiry(const core::ApprovalRequested& asked) {
    const auto max = static_cast<std::uint64_t>(core::Millis{limits::kApprovalExpiryMax}.count());
    const std::uint64_t ms = asked.expires_in_ms.value_or(1);
    if (ms == 0 || ms > max) {
        return under(wrong("must be from 1 to " + std::to_string(max) + " ms"), "expires_in_ms");
    }
    if (asked.on_expiry != core::OnExpiry::kHold && !asked.expires_in_ms) {
        return missing("is required with on_expiry", "expires_in_ms");
    }
    return {};
}

Result<> check_extend(const core::ApprovalRequested& asked) {
    const bool extension = asked.kind == core::ApprovalKind::kBudgetExtension;
    if (!extension && asked.extend) {
        return under(wrong("goes with kind budget_extension only"), "extend");
    }
    if (!extension) return {};
    if (!asked.extend) return missing("is required for kind budget_extension", "extend");
    const core::BudgetLimits& more = *asked.extend;
    const bool some = more.timeout_seconds.value_or(0) > 0 || more.max_steps.value_or(0) > 0 ||
                      more.max_tokens.value_or(0) > 0 || more.max_cost_usd.value_or(0) > 0;
    if (some && more.max_cost_usd.value_or(0) >= 0) return {};
    return under(wrong("must name at least one amount above 0"), "extend");
}

Result<> check_request(const core::ApprovalRequested& asked) {
    if (!asked.args_digest.empty()) {
        return under(wrong("is made by Headway from args; leave it out"), "args_digest");
    }
    if (!asked.source.empty()) {
        return under(wrong("is set by Headway; leave it out"), "source");
    }
    if (asked.hidden_bytes != 0) {
        return under(wrong("is counted by Headway; leave it out"), "hidden_bytes");
    }
    if (asked.kind == core::ApprovalKind::kTool && asked.tool.empty()) {
        return missing("is required for kind tool", "tool");
    }
    if (asked.kind == core::ApprovalKind::kQuestion && asked.summary.empty()) {
        return missing("is required for kind question: it is what the person reads", "summary");
    }
    HEADWAY_CHECK(check_bytes(asked.call_id, limits::kIdBytesMax, "call_id"));
    if (asked.options.size() > kOptionsMax) {
        return under(wrong("must have at most 16 items"), "options");
    }
    HEADWAY_CHECK(check_expiry(asked));
    return check_extend(asked);
}

std::size_t count_of(std::string_view mark, std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = text.find(mark); at != std::string_view::npos; ++count)
        at = text.find(mark, at + mark.size());
    return count;
}

/// How many bytes of `plain` are not in `shown`, which has a mark in place of each run of them.
std::uint64_t hidden_in(std::string_view plain, std::string_view shown) {
    if (plain == shown) return 0;
    const std::size_t marks = count_of(core::kRedacted, shown);
    const std::size_t own = std::min(marks, count_of(core::kRedacted, plain));  // the agent's text
    const std::size_t bytes = plain.size() + (marks - own) * core::kRedacted.size();
    return bytes > shown.size() ? bytes - shown.size() : 1;
}

/// Anything could be in text that is hidden from the person who decides.
void note_hidden(core::ApprovalRequested& asked, std::uint64_t bytes) {
    asked.hidden_bytes += bytes;
    if (asked.hidden_bytes != 0) asked.risk = std::max(asked.risk, core::Risk::kHigh);
}

/// A text that the agent is to use exactly as it is cannot be redacted, so it must not need it.
Result<> check_written_out(JsonValue body, std::string_view name) {
    const std::optional<JsonValue> value = member(body, name);
    if (!value) return {};
    if (value->holds_secret()) {
        return under(wrong("holds what looks like a secret, and Headway keeps none; let the agent "
                           "read it from "
                           "its environment or a file"),
                     name);
    }
    std::string text;
    value->append_to(text);
    if (text.find(core::kRedacted) == std::string::npos) return {};
    return under(wrong("holds \"[redacted]\", which the agent would take as it stands; approve, "
                       "reject, or have it ask "
                       "without the secret"),
                 name);
}

}  // namespace

Result<> complete_request(JsonValue data, core::ApprovalRequested& asked) {
    HEADWAY_CHECK(check_request(asked));
    const bool of_words =
        asked.kind == core::ApprovalKind::kQuestion || asked.kind == core::ApprovalKind::kAuth;
    if (of_words && !asked.summary.whole()) {
        return under(wrong("must be at most " + std::to_string(limits::kTextWholeBytesMax) +
                           " bytes: the person who decides has to see all of it"),
                     "summary");
    }
    const std::optional<JsonValue> args = member(data, "args");
    if (args) {
        asked.args_digest = args_digest(*args);
    } else if (asked.kind == core::ApprovalKind::kTool) {
        asked.args_digest = no_args_digest();
    }
    if (args) {
        std::string plain;
        args->append_to(plain);
        note_hidden(asked, hidden_in(plain, asked.args.text));
    }
    if (const auto summary = member(data, "summary")) {
        note_hidden(asked, hidden_in(summary->text(), summary->redacted_text()));
    }
    return {};
}

void keep_exact_args(JsonValue data, core::CallFingerprint& fingerprint) {
    const std::optional<JsonValue> args = member(data, "args");
    static const core::ArgsDigest kNone = core::args_digest_bytes(core::kNoArgsDigest);
    core::keep_args(fingerprint, args ? args_digest_bytes(*args) : kNone);
}

Result<core::ApprovalRequested> decode_approval_request(JsonDocument& document,
                                                        std::string_view body) {
    HEADWAY_CHECK(document.parse(body.empty() ? std::string_view{"{}"} : body));
    core::ApprovalRequested asked;
    HEADWAY_CHECK(fields::decode_object(document.root(), asked));
    HEADWAY_CHECK(complete_request(document.root(), asked));
    return asked;
}

Result<core::ApprovalRequested> request_for_call(JsonDocument& document,
                                                 const core::ToolStarted& call,
                                                 std::string_view args, std::string_view shown) {
    core::ApprovalRequested asked;
    asked.tool = call.tool;
    asked.call_id = core::kept_call_id(call.call_id);
    asked.source = call.requires_approval ? "call" : "policy";
    asked.summary = call.description;
    const core::Text& text = call.description;
    if (!text.whole())
        note_hidden(asked, text.bytes - std::min<std::uint64_t>(text.bytes, text.kept.size()));
    if (args.empty()) {
        asked.args_digest =
            call.args_digest.empty() ? no_args_digest() : core::bound_digest(call.args_digest);
        if (asked.args_digest == core::kNoArgsDigest) return asked;
        asked.summary = core::bounded_text(
            std::string{kArgsNotSent} +
            (call.description.empty() ? "" : " The agent says: " + call.description.kept));
        asked.risk = core::Risk::kHigh;
        return asked;
    }
    if (args.size() > limits::kApprovalArgsBytesMax) {
        return under(wrong("must be at most " + std::to_string(limits::kApprovalArgsBytesMax) +
                           " bytes for a call that needs approval: the person who decides has to "
                           "see all of it"),
                     "args");
    }
    HEADWAY_CHECK(document.parse(args));
    asked.args.text = shown;
    note_hidden(asked, hidden_in(args, shown));
    asked.args_digest = args_digest(document.root());
    // Arguments that were cut: the person who decides would not see all of them.
    const std::string_view given = call.args_digest;
    if (core::is_args_digest(given) && given != asked.args_digest)
        return under(wrong("is not that of args; send the arguments whole, or only the digest"),
                     "args_digest");
    return asked;
}

Result<DecodedDecision> decode_decision(JsonDocument& document, std::string_view body) {
    HEADWAY_CHECK(document.parse(body.empty() ? std::string_view{"{}"} : body));
    DecisionBody decision;
    HEADWAY_CHECK(fields::decode_object(document.root(), decision));
    HEADWAY_CHECK(check_who(decision.by, decision.channel));
    const bool edits = decision.decision == core::Decision::kEdit;
    const bool responds = decision.decision == core::Decision::kRespond;
    if (edits && decision.edited_args.empty()) {
        return missing("is required to edit: all arguments as they may run", "edited_args");
    }
    if (!edits && !decision.edited_args.empty()) {
        return under(wrong("goes with the decision edit only"), "edited_args");
    }
    if (responds && decision.response.empty()) return missing("is required to respond", "response");
    if (!responds && !decision.response.empty()) {
        return under(wrong("goes with the decision respond only; use reason"), "response");
    }
    if (decision.then && decision.decision != core::Decision::kReject) {
        return under(wrong("goes with the decision reject only"), "then");
    }
    const bool ends = decision.scope == core::GrantScope::kUntil;
    if (ends && decision.until == core::kNever)
        return missing("is required for this scope", "until");
    if (!ends && decision.until != core::kNever) {
        return under(wrong("goes with scope until only"), "until");
    }
    if (decision.match != core::GrantMatch::kArgs && decision.scope == core::GrantScope::kOnce) {
        return under(wrong("goes with scope session or until"), "match");
    }
    HEADWAY_CHECK(check_written_out(document.root(), "edited_args"));
    HEADWAY_CHECK(check_written_out(document.root(), "response"));
    DecodedDecision decoded;
    decoded.apply_to_identical = decision.apply_to_identical;
    core::Ruling& ruling = decoded.ruling;
    if (edits) ruling.edited_digest = args_digest(*member(document.root(), "edited_args"));
    ruling.decision = decision.decision;
    ruling.reason = std::move(decision.reason);
    ruling.by = std::move(decision.by);
    ruling.channel = decision.channel.empty() ? "api" : std::move(decision.channel);
    ruling.edited_args = std::move(decision.edited_args);
    ruling.response = std::move(decision.response);
    ruling.scope = decision.scope;
    ruling.match = decision.match;
    ruling.until = decision.until;
    using To = core::Ruling::Then;
    if (decision.then)
        ruling.then = *decision.then == Then::kStop ? To::kStop : To::kChangeApproach;
    return decoded;
}

Result<DecodedRedeem> decode_redeem(JsonDocument& document, std::string_view body) {
    HEADWAY_CHECK(document.parse(body.empty() ? std::string_view{"{}"} : body));
    RedeemBody redeemed;
    HEADWAY_CHECK(fields::decode_object(document.root(), redeemed));
    HEADWAY_CHECK(check_bytes(redeemed.key, limits::kRedeemKeyBytesMax, "key"));
    if (redeemed.key.starts_with(core::kHookKey) || redeemed.key == core::kDeliveredKey)
        return under(wrong("must not be \"delivered\" or begin with \"hook \": Headway uses these"),
                     "key");
    DecodedRedeem decoded;
    decoded.key = std::move(redeemed.key);
    if (!redeemed.args_digest.empty() && !core::is_args_digest(redeemed.args_digest)) {
        return under(wrong("must be sha256: and 64 hexadecimal digits; or send args"),
                     "args_digest");
    }
    if (const auto args = member(document.root(), "args")) {
        decoded.args_digest = args_digest(*args);
        if (!redeemed.args_digest.empty() && redeemed.args_digest != decoded.args_digest) {
            return under(wrong("is not the digest of args; leave it out"), "args_digest");
        }
    } else {
        decoded.args_digest = std::move(redeemed.args_digest);
    }
    if (decoded.args_digest.empty()) {
        return missing("is required, or args: what is about to run", "args_digest");
    }
    return decoded;
}

Result<DecodedRevoke> decode_revoke(JsonDocument& document, std::string_view body) {
    HEADWAY_CHECK(document.parse(body.empty() ? std::string_view{"{}"} : body));
    DecodedRevoke decoded;
    HEADWAY_CHECK(fields::decode_object(document.root(), decoded));
    HEADWAY_CHECK(check_who(decoded.by, {}));
    return decoded;
}

Result<DecodedAcknowledge> decode_acknowledge(JsonDocument& document, std::string_view body) {
    HEADWAY_CHECK(document.parse(body.empty() ? std::string_view{"{}"} : body));
    DecodedAcknowledge decoded;
    HEADWAY_CHECK(fields::decode_object(document.root(), decoded));
    if (decoded.n == 0) return under(wrong("must be at least 1; leave it out for all"), "n");
    if (decoded.up_to == 0)
        return under(wrong("must be at least 1; leave it out for all"), "up_to");
    if (decoded.n && decoded.up_to) return under(wrong("cannot stand beside n"), "up_to");
    HEADWAY_CHECK(check_who(decoded.by, {}));
    return decoded;
}

Result<DecodedApproveAgent> decode_approve_agent(JsonDocument& document, std::string_view body) {
    HEADWAY_CHECK(document.parse(body.empty() ? std::string_view{"{}"} : body));
    DecodedApproveAgent decoded;
    HEADWAY_CHECK(fields::decode_object(document.root(), decoded));
    return decoded;
}

}  // namespace headway::api

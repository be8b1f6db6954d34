// SPDX-License-Identifier: Apache-2.0
#include "api/encode/parts/encode_approvals.hpp"

#include <algorithm>

#include "api/decode/problem.hpp"
#include "api/json/json_writer.hpp"

namespace headway::api {
namespace {

void text_or_null(JsonWriter& json, std::string_view name, const std::string& text) {
    json.key(name);
    if (text.empty()) {
        json.null();
    } else {
        json.value(text);
    }
}

/// The decision: by whom, when and how.
void write_decision(JsonWriter& json, const core::Approval& approval, const DecisionTexts* texts) {
    json.open_object();
    json.member("decision", approval.decision);
    json.member("by", approval.by);
    json.member("at", approval.decided_at);
    json.member("channel", approval.channel);
    json.member("reason", texts != nullptr ? texts->reason : approval.reason);
    if (texts != nullptr && !texts->response.empty()) json.member("response", texts->response);
    if (texts != nullptr && !texts->edited_args.empty()) {
        json.member("edited_args", texts->edited_args);
    }
    if (!approval.run_digest.empty()) json.member("args_digest", approval.run_digest);
    json.member("scope", approval.scope);
    if (approval.scope != core::GrantScope::kOnce) json.member("match", approval.match);
    if (approval.until != core::kNever) json.member("until", approval.until);
    if (approval.decision == core::Decision::kReject) json.member("stop", approval.stop);
    if (approval.execute_by != core::kNever) json.member("execute_by", approval.execute_by);
    json.close_object();
}

void write_asked(JsonWriter& json, const ApprovalDocument& document) {
    const core::Approval& approval = document.approval;
    json.member("kind", approval.kind);
    text_or_null(json, "tool", approval.tool);
    text_or_null(json, "call_id", approval.call_id);
    json.key("args");
    if (document.asked.args.empty()) {
        json.null();
    } else {
        json.value(document.asked.args);
    }
    text_or_null(json, "args_digest", approval.args_digest);
    json.member("hidden_bytes", document.asked.hidden_bytes);
    json.key("summary");
    if (document.asked.summary.empty()) {
        json.null();
    } else {
        json.value(document.asked.summary);
    }
    json.member("risk", approval.risk);
    json.member("options", document.asked.options);
    json.member("extend", approval.extend);
    json.member("source", approval.source);
    json.member("requested_at", approval.requested_at);
    json.member("expires_at", approval.expires_at);
    json.member("on_expiry", approval.on_expiry);
    json.member("overdue", approval.overdue);
    json.member("escalated", approval.escalated);
}

/// Its description: the words of the request, or what it is.
std::string description_of(const ApprovalDocument& document) {
    const core::Approval& approval = document.approval;
    if (!document.asked.summary.empty()) return document.asked.summary.kept;
    return approval.tool.empty() ? std::string{core::name_of(approval.kind)}
                                 : "call of " + approval.tool;
}

/// `request_id action_type description parameters`, and the names that the design's frontend has.
void write_first_design(JsonWriter& json, const ApprovalDocument& document) {
    const std::string description = description_of(document);
    json.open_object();
    json.member("request_id", document.request_id);
    json.member("session_id", document.session);
    json.member("action_type", document.approval.kind);
    text_or_null(json, "tool_name", document.approval.tool);
    json.member("description", description);
    json.member("tool_description", description);
    json.key("parameters");
    if (document.asked.args.empty()) {
        json.raw("{}");
    } else {
        json.value(document.asked.args);
    }
    json.close_object();
}

}  // namespace

void write_notices(JsonWriter& json, std::string_view session,
                   std::span<const ApprovalNotice> notices) {
    json.open_array();
    for (const ApprovalNotice& notice : notices) {
        const core::Approval& approval = notice.approval;
        json.open_object();
        json.member("id", core::approval_id(session, approval.n));
        json.member("request_id", notice.request_id);
        json.member("kind", approval.kind);
        if (!approval.tool.empty()) json.member("tool", approval.tool);
        if (!approval.call_id.empty()) json.member("call_id", approval.call_id);
        json.member("status", approval.status);
        if (approval.decision) json.member("decision", approval.decision);
        if (!notice.texts.reason.empty()) json.member("reason", notice.texts.reason);
        if (!notice.texts.response.empty()) json.member("response", notice.texts.response);
        if (!notice.texts.edited_args.empty()) {
            json.member("edited_args", notice.texts.edited_args);
        }
        const std::string& digest =
            approval.run_digest.empty() ? approval.args_digest : approval.run_digest;
        if (!digest.empty()) json.member("args_digest", digest);
        json.member("expires_at", approval.expires_at);
        json.close_object();
    }
    json.close_array();
}

void append_approval(std::string& out, const ApprovalDocument& document) {
    const core::Approval& approval = document.approval;
    JsonWriter json{out};
    json.open_object();
    json.member("id", core::approval_id(document.session, approval.n));
    json.member("request_id", document.request_id);
    json.member("session", document.session);
    json.member("n", approval.n);
    json.member("status", approval.status);
    write_asked(json, document);
    json.member("identical", document.identical);
    json.key("decision");
    if (approval.decision) {
        write_decision(json, approval, &document.texts);
    } else {
        json.null();
    }
    json.member("granted", document.granted);
    json.member("redeemed_at", approval.redeemed_at);
    json.key("executed_n");
    if (approval.executed_n != 0) {
        json.value(approval.executed_n);
    } else {
        json.null();
    }
    json.member("unverified", approval.unverified);
    json.member("alarm", approval.alarm);
    json.member("closed", approval.closed);
    json.close_object();
}

void append_decided(std::string& out, const ApprovalDocument& document,
                    std::span<const std::string> also, std::uint64_t left) {
    out += "{\"approval\":";
    append_approval(out, document);
    out += ",\"also\":";
    JsonWriter json{out};
    json.open_array();
    for (const std::string& id : also)
        json.value(id);
    json.close_array();
    out += ",\"left\":" + std::to_string(left) + "}";
}

void append_winner(std::string& out, std::string_view session, const core::Approval& approval) {
    JsonWriter json{out};
    json.open_object();
    json.member("id", core::approval_id(session, approval.n));
    json.member("status", approval.status);
    json.key("decision");
    if (approval.decision) {
        write_decision(json, approval, nullptr);
    } else {
        json.null();
    }
    json.member("closed", approval.closed);
    json.close_object();
}

void append_approve_agent(std::string& out, const ApprovalDocument& decided,
                          std::span<const ApprovalDocument> pending) {
    const core::Approval& approval = decided.approval;
    std::string message{core::name_of(approval.status)};
    if (approval.decision && *approval.decision == core::Decision::kReject) {
        message += approval.stop ? "; the agent gets a `stop`" : "; the agent goes on differently";
    }
    if (!pending.empty()) {
        message += "; " + std::to_string(pending.size()) +
                   (pending.size() == 1 ? " more request waits" : " more requests wait") +
                   " for a decision";
    }
    const bool tool =
        std::any_of(pending.begin(), pending.end(), [](const ApprovalDocument& other) {
            return other.approval.kind == core::ApprovalKind::kTool;
        });
    JsonWriter json{out};
    json.open_object();
    json.member("status", tool               ? "awaiting_tool_approval"
                          : !pending.empty() ? "awaiting_approval"
                                             : "completed");
    json.member("message", message);
    json.member("request_id", decided.request_id);
    json.key("pending");
    json.open_array();
    for (const ApprovalDocument& other : pending)
        write_first_design(json, other);
    json.close_array();
    json.close_object();
}

}  // namespace headway::api

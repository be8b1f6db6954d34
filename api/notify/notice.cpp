// SPDX-License-Identifier: Apache-2.0
#include "api/notify/notice.hpp"

#include <algorithm>
#include <array>

#include "api/json/json_document.hpp"
#include "core/approvals/approvals.hpp"
#include "core/calls/mask.hpp"
#include "core/text/visible.hpp"
#include "core/text/words.hpp"

namespace headway::api::notify {
namespace {

constexpr std::size_t kNameBytesMax = 100;
constexpr std::size_t kLineBytesMax = 400;
constexpr std::string_view kArgsElsewhere =
    "(the arguments are too long for a message; open the request)";

/// The texts of a body that people get, as they are in it.
struct Facts {
    std::string agent, goal, reason;
    std::string kind, tool, args, summary, risk, to, from, alarm, action, outcome, dimension;
    std::string endpoint, words, detail, digest, at, source;
    std::string extend;   ///< how much more budget is asked for
    std::string options;  ///< answers to choose from
    bool needs_somebody = false;
    bool partial = false;  ///< the message does not hold all of its event, or cannot be read
    std::string title, span;
    std::vector<std::string> lines;  ///< of a digest
};

std::string plain(std::string_view text, std::size_t bytes_max = kLineBytesMax) {
    return core::shortened(core::visible(text), bytes_max);
}

/// A text, also one that was cut when it was stored.
std::string text_of(const JsonValue& value) {
    std::string text;
    if (value.kind() == JsonKind::kString) return std::string{value.text()};
    if (value.kind() != JsonKind::kObject) return text;
    value.each([&text](const JsonValue& part) {
        if (part.key() == "head" && part.kind() == JsonKind::kString) text = part.text();
        return true;
    });
    return text;
}

/// "+150 steps, +$2.5"
std::string extension_of(const JsonValue& extend) {
    std::string words;
    if (extend.kind() != JsonKind::kObject) return words;
    extend.each([&words](const JsonValue& member) {
        if (member.kind() == JsonKind::kNull) return true;
        const std::string_view name = member.key();
        words += words.empty() ? "+" : ", +";
        if (name == "max_cost_usd") words += "$";
        member.append_to(words);
        if (name == "timeout_seconds") words += " s";
        if (name == "max_steps") words += " steps";
        if (name == "max_tokens") words += " tokens";
        return true;
    });
    return words;
}

std::string options_of(const JsonValue& options) {
    std::string words;
    if (options.kind() != JsonKind::kArray) return words;
    options.each([&words](const JsonValue& option) {
        words += (words.empty() ? "" : " | ") + text_of(option);
        return true;
    });
    return words;
}

void read_event(const JsonValue& event, Facts& facts) {
    if (event.kind() != JsonKind::kObject) return;
    event.each([&facts](const JsonValue& member) {
        const std::pair<std::string_view, std::string*> texts[] = {
            {"kind", &facts.kind},           {"tool", &facts.tool},     {"summary", &facts.summary},
            {"risk", &facts.risk},           {"to", &facts.to},         {"from", &facts.from},
            {"alarm", &facts.alarm},         {"action", &facts.action}, {"outcome", &facts.outcome},
            {"dimension", &facts.dimension}, {"reason", &facts.reason}, {"detail", &facts.detail},
            {"args_digest", &facts.digest},  {"source", &facts.source}};
        for (const auto& [name, text] : texts) {
            if (member.key() == name) *text = text_of(member);
        }
        if (member.key() == "args") member.append_to(facts.args);
        if (member.key() == "extend") facts.extend = extension_of(member);
        if (member.key() == "options") facts.options = options_of(member);
        if (member.key() == "needs_somebody")
            facts.needs_somebody = member.kind() == JsonKind::kBoolean && member.boolean();
        return true;
    });
}

void read_lines(const JsonValue& list, std::vector<std::string>& lines) {
    if (list.kind() != JsonKind::kArray) return;
    list.each([&lines](const JsonValue& line) {
        lines.push_back(plain(text_of(line)));
        return true;
    });
}

/// The readable parts of the body. An agent's arguments may be nested so deeply that nothing can.
Facts read_facts(std::string_view body) {
    Facts facts;
    JsonDocument document;
    facts.partial = !document.parse(body) || document.root().kind() != JsonKind::kObject;
    if (facts.partial) return facts;
    document.root().each([&facts](const JsonValue& member) {
        if (member.key() == "timestamp") facts.at = text_of(member);
        if (member.key() != "data" || member.kind() != JsonKind::kObject) return true;
        member.each([&facts](const JsonValue& value) {
            if (value.key() == "agent") facts.agent = text_of(value);
            if (value.key() == "goal") facts.goal = text_of(value);
            if (value.key() == "reason") facts.reason = text_of(value);
            if (value.key() == "endpoint") facts.endpoint = text_of(value);
            if (value.key() == "message") facts.words = text_of(value);
            if (value.key() == "truncated") facts.partial = true;
            if (value.key() == "title") facts.title = text_of(value);
            if (value.key() == "span") facts.span = text_of(value);
            if (value.key() == "lines") read_lines(value, facts.lines);
            if (value.key() == "event") read_event(value, facts);
            return true;
        });
        return true;
    });
    return facts;
}

void tell_request(const Facts& facts, Notice& notice) {
    const std::string tool = plain(facts.tool, kNameBytesMax);
    if (facts.kind == "question") {
        notice.headline = notice.session + " asks a question";
    } else if (facts.kind == "budget_extension") {
        notice.headline = notice.session + " asks for more budget";
    } else {
        notice.headline = notice.session + " asks for approval" + (tool.empty() ? "" : ": ") + tool;
    }
    const std::string args =
        facts.partial ? std::string{kArgsElsewhere} : core::visible(facts.args);
    notice.call = tool + (tool.empty() || args.empty() ? "" : " ") + args;
    notice.call = core::shortened(notice.call, kLineBytesMax);
    // Beside the agent's own words, which may say otherwise.
    notice.reason = plain(facts.extend);
    if (!facts.summary.empty())
        notice.reason += (notice.reason.empty() ? "" : " — ") + plain(facts.summary);
    if (!facts.options.empty()) notice.reason += " — answers: " + plain(facts.options);
    if (!facts.risk.empty() && facts.risk != "unknown")
        notice.reason += (notice.reason.empty() ? "" : " — ") + facts.risk + " risk";
    notice.sort = "asking for a decision";
    notice.predicate = "ask for a decision";
    notice.asks = true;
    // A call that the page can show whole, most likely; the daemon looks again.
    // The agent's own dialog decides about what it asks.
    const bool links = facts.kind == "tool" && facts.source != "dialog" &&
                       facts.risk != "critical" && !facts.partial && !facts.args.empty();
    if (links) {
        notice.tool = facts.tool;
        notice.args_digest = facts.digest;
        notice.asked_at = facts.at;
    }
    notice.urgency = Urgency::kHigh;
}

void tell_alarm(const Facts& facts, Notice& notice) {
    const std::string tool = plain(facts.tool, kNameBytesMax);
    const std::string what = tool.empty() ? "a call" : tool;
    if (facts.alarm == "never_executed") {
        notice.headline = notice.session + " has not run an approved call: " + what;
    } else if (facts.alarm == "approved_but_refused") {
        notice.headline = notice.session + " has refused a call that was approved here: " + what;
    } else if (facts.alarm == "executed_though_rejected") {
        notice.headline = notice.session + " has run a call that was rejected: " + what;
    } else if (facts.alarm == "fan_out") {
        notice.headline = notice.session + " has too many sub-agents: " + plain(facts.detail);
    } else if (facts.alarm == "started_after_rejection") {
        notice.headline = notice.session + " has started a call that was rejected: " + what;
    } else {
        notice.headline = notice.session + " has run a call without its approval: " + what;
    }
    notice.sort = "with an alarm";
    notice.predicate = "have raised an alarm";
    notice.cause = facts.alarm + "\n" + facts.tool;
    notice.urgency = Urgency::kUrgent;
}

void tell_verdict(const Facts& facts, Notice& notice) {
    const bool person = facts.needs_somebody && facts.to == "waiting";
    const std::string is = person ? "waits for a person" : "is " + facts.to;
    notice.headline = notice.session + " " + is;
    notice.sort = facts.to;
    notice.predicate = person ? "wait for a person" : "are " + facts.to;
    notice.cause = facts.to + "\n";
    const bool serious = facts.to == "stuck" || facts.to == "blocked" || facts.to == "silent";
    if (serious || person) notice.urgency = Urgency::kHigh;
}

void tell_budget(const Facts& facts, Notice& notice) {
    const bool gone = facts.to == "exhausted";
    const std::string which = facts.dimension == "none" ? "" : " of " + facts.dimension;
    notice.headline = notice.session +
                      (gone ? " has used up its budget" : " has nearly used up its budget") + which;
    notice.sort = gone ? "out of budget" : "short of budget";
    notice.predicate = gone ? "have used up their budget" : "have nearly used up their budget";
    notice.cause = facts.to + "\n" + facts.dimension + "\n";
    notice.urgency = Urgency::kHigh;
}

void tell_end(const Facts& facts, Notice& notice) {
    const std::string how =
        facts.outcome == "budget_exhausted" ? "budget exhausted" : facts.outcome;
    notice.headline = notice.session + " has ended: " + how;
    notice.sort = "ended";
    notice.predicate = "have ended: " + how;
    notice.cause = facts.outcome + "\n";
    if (facts.outcome == "failed" || facts.outcome == "halted") notice.urgency = Urgency::kHigh;
}

void tell(const Stored& message, const Facts& facts, Notice& notice) {
    if (message.type == "approval.requested") return tell_request(facts, notice);
    if (message.type == "approval.alarm") return tell_alarm(facts, notice);
    if (message.type == "verdict.changed" && !facts.to.empty()) return tell_verdict(facts, notice);
    if (message.type == "budget.level") return tell_budget(facts, notice);
    if (message.type == "session.ended") return tell_end(facts, notice);
    if (message.type == "approval.expired") {
        notice.headline = "A request of " + notice.session + " was not decided in time";
        notice.sort = "with a request that expired";
        notice.predicate = "had requests that expired";
        notice.cause = facts.action + "\n";
        notice.urgency = Urgency::kHigh;
        return;
    }
    if (message.type == "digest") {
        notice.headline = "The night: " + plain(facts.title);
        notice.reason = plain(facts.span);
        notice.lines = facts.lines;
        notice.sort = "digest";
        return;
    }
    if (message.type == "webhook.test") {
        notice.headline = "A test of the endpoint " + plain(facts.endpoint, kNameBytesMax);
        notice.reason = plain(facts.words);
        return;
    }
    notice.headline = notice.session + ": " + std::string{message.type};
    notice.sort = message.type;
    notice.predicate = "had " + std::string{message.type};
    notice.cause = "\n";
}

/// True if the number behind this text says what happened, such as that of an HTTP status.
bool names_a_code(std::string_view before) {
    while (!before.empty() && (before.back() == ' ' || before.back() == ':'))
        before.remove_suffix(1);
    constexpr std::array<std::string_view, 4> kWords{"http", "status", "code", "signal"};
    const std::string end =
        core::lower(before.substr(before.size() - std::min<std::size_t>(before.size(), 6)));
    return std::any_of(kWords.begin(), kWords.end(),
                       [&end](std::string_view word) { return end.ends_with(word); });
}

/// The part of a text that stays the same when the same thing happens to another session.
std::string masked(std::string_view text) {
    std::string out;
    core::append_masked(out, text);
    bool in_number = false;
    bool keeps = false;  // this number
    for (std::size_t i = 0; i < out.size(); ++i) {
        const bool digit = core::is_digit(out[i]);
        if (digit && !in_number) keeps = names_a_code(std::string_view{out}.substr(0, i));
        if (digit && !keeps) out[i] = '#';
        in_number = digit;
    }
    return out;
}

}  // namespace

std::string url_encoded(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (core::is_word(c) || c == '-' || c == '.' || c == '~') {
            out += c;
        } else {
            out.append({'%', kDigits[byte >> 4U], kDigits[byte & 15U]});
        }
    }
    return out;
}

Notice read_notice(const Stored& message, std::string_view base) {
    Facts facts = read_facts(message.body);
    Notice notice;
    notice.session = plain(message.session, kNameBytesMax);
    notice.agent = plain(facts.agent, kNameBytesMax);
    notice.goal = plain(facts.goal);
    notice.reason = plain(facts.reason);
    tell(message, facts, notice);
    if (!notice.cause.empty())
        notice.cause = std::string{message.type} + "\n" + notice.cause + masked(facts.reason);
    if (base.empty()) return notice;
    notice.link = base;
    if (notice.asks) {
        notice.link +=
            "/#/approvals?id=" + url_encoded(core::approval_id(message.session, message.n));
    } else if (message.session.empty()) {
        notice.link += "/#/";
    } else {
        notice.link +=
            "/#/session/" + url_encoded(message.session) + "?n=" + std::to_string(message.n);
    }
    return notice;
}

}  // namespace headway::api::notify

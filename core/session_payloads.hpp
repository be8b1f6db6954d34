#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/event_type.hpp"
#include "core/fields.hpp"
#include "core/text.hpp"
#include "core/verdict.hpp"

// Events about the session itself (DESIGN 4). A std::string is at most limits::kStringBytesMax and
// absent when empty; Text and Json are bounded by themselves. fields() is append-only: positions
// are the numbers of the fields on disk.

namespace headway::core {

struct AgentInfo {
    std::string type;
    std::string name;
    std::string model;
    bool operator==(const AgentInfo&) const = default;
    static constexpr auto fields() {
        return std::tuple{field("type", &AgentInfo::type), field("name", &AgentInfo::name),
                          field("model", &AgentInfo::model)};
    }
};

struct Label {
    std::string key;
    std::string value;
    bool operator==(const Label&) const = default;
    static constexpr auto fields() {
        return std::tuple{field("key", &Label::key), field("value", &Label::value)};
    }
};

/// What the opener of a session may override; absent = the daemon's default.
struct PolicyOverride {
    std::optional<Profile> profile;
    std::optional<std::uint64_t> heartbeat_interval_ms;
    std::optional<std::uint64_t> heartbeat_limit;
    bool operator==(const PolicyOverride&) const = default;
    static constexpr auto fields() {
        return std::tuple{field("profile", &PolicyOverride::profile),
                          field("heartbeat_interval_ms", &PolicyOverride::heartbeat_interval_ms),
                          field("heartbeat_limit", &PolicyOverride::heartbeat_limit)};
    }
};

/// `policy` holds the effective values, so that replay does not depend on today's configuration.
struct SessionStarted {
    static constexpr EventType kType = EventType::kSessionStarted;
    Text goal;
    AgentInfo agent;
    std::string parent;
    std::vector<Label> labels;
    PolicyOverride policy;
    bool implicit = false;  ///< opened by a report to an unknown id
    bool operator==(const SessionStarted&) const = default;
    static constexpr auto fields() {
        return std::tuple{
            field("goal", &SessionStarted::goal),     field("agent", &SessionStarted::agent),
            field("parent", &SessionStarted::parent), field("labels", &SessionStarted::labels),
            field("policy", &SessionStarted::policy), field("implicit", &SessionStarted::implicit)};
    }
};

struct VerdictChanged {
    static constexpr EventType kType = EventType::kVerdictChanged;
    Verdict from = Verdict::kStarting;
    Verdict to = Verdict::kStarting;
    std::string reason;
    std::string detector;
    std::vector<std::uint64_t> evidence;
    bool operator==(const VerdictChanged&) const = default;
    static constexpr auto fields() {
        return std::tuple{field("from", &VerdictChanged::from), field("to", &VerdictChanged::to),
                          field("reason", &VerdictChanged::reason),
                          field("detector", &VerdictChanged::detector),
                          field("evidence", &VerdictChanged::evidence)};
    }
};

struct DirectiveIssued {
    static constexpr EventType kType = EventType::kDirectiveIssued;
    std::string id;
    DirectiveKind kind = DirectiveKind::kContinue;
    std::string reason;
    bool operator==(const DirectiveIssued&) const = default;
    static constexpr auto fields() {
        return std::tuple{field("id", &DirectiveIssued::id), field("kind", &DirectiveIssued::kind),
                          field("reason", &DirectiveIssued::reason)};
    }
};

struct DirectiveAcknowledged {
    static constexpr EventType kType = EventType::kDirectiveAcknowledged;
    std::string id;
    bool operator==(const DirectiveAcknowledged&) const = default;
    static constexpr auto fields() {
        return std::tuple{required("id", &DirectiveAcknowledged::id)};
    }
};

struct CancelRequested {
    static constexpr EventType kType = EventType::kCancelRequested;
    std::string reason;
    bool operator==(const CancelRequested&) const = default;
    static constexpr auto fields() { return std::tuple{field("reason", &CancelRequested::reason)}; }
};

struct SessionEnded {
    static constexpr EventType kType = EventType::kSessionEnded;
    Outcome outcome = Outcome::kCompleted;
    Text reason;
    Json result;
    bool operator==(const SessionEnded&) const = default;
    static constexpr auto fields() {
        return std::tuple{required("outcome", &SessionEnded::outcome),
                          field("reason", &SessionEnded::reason),
                          field("result", &SessionEnded::result)};
    }
};

}  // namespace headway::core

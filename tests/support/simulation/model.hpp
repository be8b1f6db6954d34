// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/events/event.hpp"
#include "storage/store/store.hpp"

namespace headway::tests {

/// A naive model of one session, which checks the promises of docs/operations.md "What is promised"
/// with every published event. Each failed check is a sentence in `broken`.
class ModelSession {
public:
    /// The next published event.
    void see(const core::Event& event);

    /// The reply to the agent had this number for this event.
    void acknowledged(const std::string& event_id, std::uint64_t n);
    /// The reply to the agent was a refusal of all of this.
    void refused(const std::string& event_id);

    bool ended() const noexcept { return ended_; }
    std::uint32_t attempt() const noexcept { return attempt_; }
    const std::vector<core::Event>& journal() const noexcept { return journal_; }
    bool was(core::Verdict status) const;
    /// Waits for a person.
    bool is_pending(std::uint64_t n) const;
    bool is_approved(std::uint64_t n) const;
    bool is_redeemed(std::uint64_t n) const;

    std::vector<std::string> broken;

private:
    struct Approval {
        bool pending = true;
        bool approved = false;
        bool redeemed = false;
    };

    void see_reported(const core::Event& event);
    void see_verdict(const core::VerdictChanged& change);
    void see_approval(const core::Event& event);
    void fault(const core::Event& event, std::string_view what);

    std::vector<core::Event> journal_;
    std::map<std::string, std::uint64_t> ids_;
    std::map<std::uint64_t, Approval> approvals_;
    core::Verdict verdict_ = core::Verdict::kStarting;
    std::uint32_t attempt_ = 0;
    bool ended_ = false;
};

}  // namespace headway::tests

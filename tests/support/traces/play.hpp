// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "api/decode/decode.hpp"
#include "core/session/session.hpp"
#include "tests/support/make.hpp"
#include "tests/support/traces/trace.hpp"

namespace headway::tests {

/// A verdict and which step of the trace brought it.
struct Turn {
    std::size_t step = 0;
    core::Verdict verdict{};
    std::string detector;
    std::string reason;
    bool operator==(const Turn& other) const {
        return step == other.step && verdict == other.verdict && detector == other.detector;
    }
};

/// Plays steps into a session as the daemon does: as text, through the decoder.
class Player {
public:
    explicit Player(core::Policy policy = {}) {
        session.open(core::SessionStarted{}, policy, context(0), out_);
        keep(0);
    }

    void play(const Step& step, std::size_t index) { report(step.json, step.ms, index); }

    /// The body of one report, caused by step `index`.
    void report(const std::string& body, std::int64_t ms, std::size_t index) {
        auto decoded = api::decode_report(document_, body, api::BodyFormat::kJson);
        if (!decoded)
            throw std::logic_error(decoded.error().field + " " + decoded.error().detail + " in " +
                                   body);
        session.report(decoded->events, context(ms), out_);
        keep(index);
    }

    core::Session session{"trace"};
    std::vector<Turn> turns;
    std::vector<core::Event> journal;  ///< only if keep_journal
    bool keep_journal = false;

private:
    void keep(std::size_t index) {
        for (core::Event& event : out_) {
            if (const auto* change = std::get_if<core::VerdictChanged>(&event.payload)) {
                turns.push_back({index, change->to, change->detector, change->reason});
            }
            if (keep_journal) journal.push_back(std::move(event));
        }
        out_.clear();
    }

    api::JsonDocument document_;
    std::vector<core::Event> out_;
};

}  // namespace headway::tests

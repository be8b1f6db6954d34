// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "core/session/session.hpp"
#include "storage/codec/codec.hpp"
#include "tests/support/gen.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

// Random sessions, and the invariants after every step.

using namespace headway::core;
using namespace headway::tests;
using headway::storage::decode_events;
using headway::storage::decode_state;
using headway::storage::encode_events;
using headway::storage::encode_state;

namespace {

constexpr std::size_t kStateBytesMax = 96 * 1024;

/// Plays random commands against one session, as the engine would.
class Life {
public:
    explicit Life(Gen& gen) : gen_(gen) {
        SessionStarted about;
        gen_.fill(about);
        about.implicit = false;
        about.policy.heartbeat_interval_ms = 100 + gen_.below(5'000);
        about.policy.heartbeat_limit = 2 + gen_.below(6);
        // Sessions that end by themselves would test nothing here; limits, budgets and legacy
        // timers have tests of their own.
        about.policy.on_stuck = OnStuck::kStop;
        about.policy.max_iterations.reset();
        about.policy.max_tool_failures.reset();
        about.policy.max_parse_failures.reset();
        about.policy.min_confidence.reset();
        about.policy.legacy.reset();
        about.budget = {};
        std::vector<Event> out;
        session.open(std::move(about), Policy{}, around(), out);
        take(out);
    }

    /// One command; its events are checked and kept.
    void step() {
        const std::int64_t before = now_;
        now_ += gen_.chance(30) ? static_cast<std::int64_t>(gen_.below(20'000))
                                : static_cast<std::int64_t>(gen_.below(300));
        if (gen_.chance(200)) watch_.begin_anew(at(now_));
        if (gen_.chance(200)) watch_.note_gap(at(before), at(now_));
        std::vector<Event> out;
        const std::uint64_t kind = gen_.below(100);
        if (kind < 88) {
            report(out);
        } else if (kind < 96) {
            session.tick(around(), out);
        } else if (kind < 98) {
            (void)session.cancel(gen_.string(), around(), out).has_value();
        } else {
            answer_everybody(out);
        }
        take(out);
    }

    /// Ends it, so that the end is folded too.
    void end() {
        std::vector<Event> in{
            event(SessionEnded{Outcome::kFailed, bounded_text(gen_.utf8(800)), {}, false, {}})};
        std::vector<Event> out;
        session.report(in, around(), out);
        take(out);
    }

    Session session{"story"};
    std::vector<Event> events;

private:
    Context around() {
        Context context;
        context.now = at(now_);
        context.watch = watch_;
        context.watched = gen_.chance(4);
        context.load = static_cast<std::uint32_t>(1 + gen_.below(4));
        return context;
    }

    /// A person's command.
    void answer_everybody(std::vector<Event>& out) {
        const auto requests = session.state().approvals.requests;
        for (const Approval& approval : requests) {
            Ruling ruling;
            ruling.decision = gen_.chance(2) ? Decision::kApprove : Decision::kIgnore;
            ruling.scope = gen_.chance(4) ? GrantScope::kSession : GrantScope::kOnce;
            (void)session.decide(approval.n, ruling, around(), out).has_value();
        }
    }

    Event reported() {
        if (gen_.chance(2)) return beat();  // the most frequent event
        EventType type = gen_.any_type();
        while (!reportable(type) || type == EventType::kSessionEnded ||
               (type == EventType::kApprovalRequested && !gen_.chance(8)))
            type = gen_.any_type();
        Event one_event;
        one_event.payload = gen_.payload(type);
        if (gen_.chance(10)) one_event.attempt = static_cast<std::uint32_t>(1 + gen_.below(40));
        return one_event;
    }

    void report(std::vector<Event>& out) {
        std::vector<Event> in(1 + gen_.below(3));
        for (Event& one : in)
            one = reported();
        const SessionState before = session.state();
        if (session.admit(in)) {
            session.report(in, around(), out);
        } else {
            REQUIRE(session.state() == before);
        }
    }

    void take(const std::vector<Event>& out) {
        for (const Event& one : out) {
            REQUIRE(one.n == ++n_);
            if (const auto* change = std::get_if<VerdictChanged>(&one.payload)) {
                // One of these: a wait that begins to need a person goes on waiting, a block may
                // get another cause, and a wait another reason.
                const bool news = change->from != change->to ||
                                  change->needs_somebody != needs_somebody_ ||
                                  change->cause != cause_ || change->retry_at != retry_at_ ||
                                  (change->to == Verdict::kWaiting && change->reason != reason_);
                REQUIRE(news);
                REQUIRE(change->from == verdict_);
                verdict_ = change->to;
                needs_somebody_ = change->needs_somebody;
                cause_ = change->cause;
                reason_ = change->reason;
                retry_at_ = change->retry_at;
            }
            events.push_back(one);
        }
        const SessionState& state = session.state();
        REQUIRE(state.n == n_);
        REQUIRE(state.judgement->verdict == verdict_);
        REQUIRE(state.judgement->needs_somebody == needs_somebody_);
        REQUIRE(state.open_calls.size() <= limits::kInFlightMax);
        REQUIRE(state.directives.size() <= limits::kDirectivesMax);
        REQUIRE(state.approvals.requests.size() <=
                limits::kApprovalsPendingMax + limits::kApprovalsKeptMax);
        REQUIRE(state.approvals.grants.size() <= limits::kGrantsMax);
        REQUIRE(state.judgement->evidence.size() <= limits::kEvidenceMax);
    }

    Gen& gen_;
    std::int64_t now_ = 0;
    Watch watch_{at(0)};
    std::uint64_t n_ = 0;
    Verdict verdict_ = Verdict::kStarting;
    bool needs_somebody_ = false;
    Cause cause_ = Cause::kNone;
    std::string reason_;
    Timestamp retry_at_ = kNever;
};

}  // namespace

TEST_CASE("property: the state is the fold of the events for any commands", "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    for (int life = 0; life < 120; ++life) {
        Life one{gen};
        for (int step = 0; step < 100; ++step)
            one.step();
        if (gen.chance(2)) one.end();
        REQUIRE(folded(one.events) == one.session.state());
        REQUIRE(*one.session.judgement() == *one.session.state().judgement);
    }
}

TEST_CASE("property: events and states come back from their bytes", "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    for (int life = 0; life < 120; ++life) {
        Life one{gen};
        for (int step = 0; step < 60; ++step) {
            one.step();
            if (step % 6 != 0) continue;
            const auto state = decode_state(encode_state(one.session.state()));
            REQUIRE(state.has_value());
            REQUIRE(*state == one.session.state());
        }
        std::string bytes;
        encode_events(one.events, bytes);
        const auto events = decode_events(bytes, 1);
        REQUIRE(events.has_value());
        REQUIRE(*events == one.events);
    }
}

TEST_CASE("property: a snapshot and the tail behind it equal a full replay", "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    for (int life = 0; life < 90; ++life) {
        Life one{gen};
        for (int step = 0; step < 80; ++step)
            one.step();
        Session replayed{"story"};
        for (const Event& event : one.events) {
            replayed.apply(event);
            if (!gen.chance(10)) continue;
            // The daemon restarts: memory becomes bytes and back.
            auto state = decode_state(encode_state(replayed.state()));
            REQUIRE(state.has_value());
            replayed = Session{"story", *std::move(state)};
            REQUIRE(*replayed.judgement() == *replayed.state().judgement);
        }
        REQUIRE(replayed.state() == one.session.state());
        REQUIRE(replayed.next_deadline(at(0)) == one.session.next_deadline(at(0)));
    }
}

TEST_CASE("property: the state stays bounded over 20000 events", "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    Life one{gen};
    std::size_t largest = 0;
    while (one.events.size() < 20'000) {
        for (int step = 0; step < 500; ++step)
            one.step();
        INFO("ended: " << one.session.state().end_code << ", " << one.session.state().end_reason);
        REQUIRE_FALSE(one.session.state().ended());  // otherwise this loop would not end
        largest = std::max(largest, encode_state(one.session.state()).size());
    }
    REQUIRE(largest < kStateBytesMax);
    REQUIRE(folded(one.events) == one.session.state());
}

TEST_CASE("property: even the largest values a client may send keep the state bounded",
          "[property]") {
    const std::string longest(limits::kStringBytesMax, 'x');
    Story story;
    for (int i = 0; i < 100; ++i) {
        (void)story.report(tool_started(longest.substr(10) + std::to_string(i), longest), i);
        DirectiveIssued directive;
        directive.id = longest;
        directive.reason = longest;
        Event issued = event(directive);
        issued.n = story.session.state().n + 1;
        story.session.apply(issued);
    }
    CHECK(encode_state(story.session.state()).size() < kStateBytesMax);
}

// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "core/calls/exact_args.hpp"
#include "core/session/session.hpp"
#include "storage/codec/codec.hpp"
#include "tests/support/gen.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

// Random people, agents and clocks around the approvals of one session, and the invariants.

using namespace headway::core;
using namespace headway::tests;
using headway::storage::decode_state;
using headway::storage::encode_state;

namespace {

class Scheduler {
public:
    explicit Scheduler(Gen& gen) : gen_(gen) {
        rules_.execute_within = Millis{gen.below(2) * 3'000};
        if (gen.chance(2)) rules_.require_tools = {"t0"};
        rules_.approve_on_expiry = {"t0", "t1"};
        std::vector<Event> out;
        session.open(SessionStarted{}, Policy{}, around(), out);
        take(out);
    }

    void step() {
        const std::int64_t before = now_;
        now_ += static_cast<std::int64_t>(gen_.chance(10) ? gen_.below(5'000) : gen_.below(50));
        if (gen_.chance(60)) watch_.begin_anew(at(now_));
        if (gen_.chance(60)) watch_.note_gap(at(before), at(now_));
        std::vector<Event> out;
        switch (gen_.below(6)) {
            case 0:
                report(event(request()), out);
                break;
            case 1:
                (void)session.decide(number(), ruling(), around(), out).has_value();
                break;
            case 2:
                redeem(out);
                break;
            case 3:
                report(call(), out);
                break;
            case 4:
                session.tick(around(), out);
                break;
            default:
                if (gen_.chance(2)) {
                    report(acknowledged(approval_id("story", number())), out);
                } else {
                    (void)session.revoke(number(), "p", "", around(), out).has_value();
                }
        }
        take(out);
    }

    Session session{"story"};
    std::vector<Event> events;

private:
    Context around() const {
        Context context;
        context.now = at(now_);
        context.watch = watch_;
        context.approvals = &rules_;
        return context;
    }

    std::string name(std::string_view start) {
        return std::string{start} + std::to_string(gen_.below(3));
    }

    ApprovalRequested request() {
        ApprovalRequested asked;
        asked.tool = name("t");
        asked.args_digest = bound_digest(name("args"));
        asked.args.text = "{}";
        asked.call_id = gen_.chance(3) ? "" : name("c");
        if (gen_.chance(8)) asked.kind = ApprovalKind::kQuestion;
        asked.on_expiry = static_cast<OnExpiry>(gen_.below(4));
        if (gen_.chance(2)) asked.expires_in_ms = 1 + gen_.below(3'000);
        return asked;
    }

    std::uint64_t number() {
        const auto& requests = session.state().approvals.requests;
        if (requests.empty() || gen_.chance(20)) return gen_.below(50);
        return requests[gen_.index(requests.size())].n;
    }

    Ruling ruling() {
        Ruling built;
        built.decision = static_cast<Decision>(gen_.below(5));
        built.by = name("p");
        if (built.decision == Decision::kEdit) {
            built.edited_args.text = "{}";
            built.edited_digest = bound_digest(name("args"));
        }
        if (built.decision == Decision::kApprove && gen_.chance(4)) {
            built.scope = gen_.chance(2) ? GrantScope::kSession : GrantScope::kUntil;
            if (built.scope == GrantScope::kUntil) built.until = at(now_ + 2'000);
            built.match = gen_.chance(3) ? GrantMatch::kTool : GrantMatch::kArgs;
        }
        return built;
    }

    void redeem(std::vector<Event>& out) {
        const std::uint64_t n = number();
        const std::string digest = bound_digest(name("args"));
        const std::string key = gen_.chance(2) ? "" : name("k");
        const Approval* found = session.state().approvals.find(n);
        const Approval before = found != nullptr ? *found : Approval{};
        const auto done = session.redeem(n, digest, key, around(), out);
        if (!done) return;
        REQUIRE(before.run_digest == digest);  // the approved bytes and no others
        if (*done) REQUIRE(redeemed_.insert(n).second);
    }

    Event call() {
        ToolFinished done;
        done.tool = name("t");
        done.call_id = gen_.chance(2) ? "" : name("c");
        const std::string digest = bound_digest(name("args"));
        CallFingerprint fingerprint;
        fingerprint.question.low = digest_of(done.tool + digest).low;
        const std::uint64_t tells = gen_.below(4);  // 0: reports no arguments
        if (tells == 1) done.args_digest = digest;
        if (tells > 1) static_cast<Text&>(done.args) = bounded_text("{}");
        keep_args(fingerprint, tells > 1 ? std::string_view{digest} : kNoArgsDigest);
        if (gen_.chance(8))
            fingerprint.args_start = fingerprint.args_end = {};  // as in older journals
        done.ok = !gen_.chance(4);
        if (!done.ok) done.error = ToolError{gen_.chance(2) ? "denied" : "other", {}};
        fingerprint.outcome.low = gen_.below(3);  // so that some repeat an earlier outcome
        done.fingerprint = fingerprint;
        return event(std::move(done));
    }

    void report(Event one_event, std::vector<Event>& out) {
        std::vector<Event> in;
        in.push_back(std::move(one_event));
        if (session.admit(in)) session.report(in, around(), out);
    }

    void take(const std::vector<Event>& out) {
        for (const Event& one : out) {
            events.push_back(one);
            if (const auto* decided = std::get_if<ApprovalDecided>(&one.payload)) {
                REQUIRE(winners_.emplace(decided->id, decided->decision).second);
            }
            if (const auto* redeemed = std::get_if<ApprovalRedeemed>(&one.payload)) {
                REQUIRE(uses_.insert(redeemed->id).second);
                const auto winner = winners_.find(redeemed->id);
                REQUIRE(winner != winners_.end());
                REQUIRE(
                    (winner->second == Decision::kApprove || winner->second == Decision::kEdit));
            }
        }
        for (std::size_t i = 0; i < out.size(); ++i)
            check_call(out, i);
        const SessionState& state = session.state();
        REQUIRE(state.approvals.pending() <= limits::kApprovalsPendingMax);
        const bool loops = state.calls_while_asked > limits::kCallsBesideQuestion &&
                           state.judgement->verdict == Verdict::kStuck;
        const bool blocked = state.waits_for_human() && !loops;
        REQUIRE(blocked == (state.judgement->detector == "approval"));
        if (blocked) REQUIRE(state.judgement->verdict == Verdict::kBlocked);
        for (const Approval& approval : state.approvals.requests) {
            const auto winner = winners_.find(approval_id("story", approval.n));
            REQUIRE(approval.decision.has_value() == (winner != winners_.end()));
            if (approval.decision) REQUIRE(*approval.decision == winner->second);
        }
    }

    /// A call that needs approval uses one up, raises an alarm, is covered by a grant, or reports
    /// that it was refused before any approval; and no call uses up two.
    void check_call(const std::vector<Event>& out, std::size_t place) {
        const auto* call = std::get_if<ToolFinished>(&out[place].payload);
        if (call == nullptr) return;
        const Approvals& approvals = session.state().approvals;
        const auto used = std::count_if(
            approvals.requests.begin(), approvals.requests.end(),
            [&](const Approval& approval) { return approval.executed_n == out[place].n; });
        REQUIRE(used <= 1);
        const bool must_ask = rules_.must_ask(*session.state().policy, call->tool);
        const bool granted = std::any_of(
            approvals.grants.begin(), approvals.grants.end(),
            [&](const Grant& grant) { return grant.tool == call->tool && grant.live(at(now_)); });
        const bool excused = !call->ok && call->error->error_class == "denied";
        const bool before = call->fingerprint->args_start == Digest{};
        if (!must_ask || used == 1 || granted || excused || before) return;
        const bool raised = std::any_of(out.begin(), out.end(), [&](const Event& one) {
            const auto* alarm = std::get_if<ApprovalAlarm>(&one.payload);
            return alarm != nullptr && alarm->evidence.back() == out[place].n;
        });
        REQUIRE(raised);
    }

    Gen& gen_;
    ApprovalRules rules_;
    std::int64_t now_ = 0;
    Watch watch_{at(0)};
    std::map<std::string, Decision> winners_;
    std::set<std::string> uses_;
    std::set<std::uint64_t> redeemed_;
};

}  // namespace

TEST_CASE("property: never two winners, two redemptions, or a redemption without approval",
          "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    for (int life = 0; life < 60; ++life) {
        Scheduler scheduler{gen};
        for (int step = 0; step < 300; ++step)
            scheduler.step();
        REQUIRE(folded(scheduler.events) == scheduler.session.state());
        const auto state = decode_state(encode_state(scheduler.session.state()));
        REQUIRE(state.has_value());
        REQUIRE(*state == scheduler.session.state());
    }
}

TEST_CASE("property: the changed approvals are those of the state", "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    for (int life = 0; life < 30; ++life) {
        Scheduler scheduler{gen};
        std::map<std::uint64_t, Approval> index;
        for (int step = 0; step < 200; ++step) {
            scheduler.step();
            for (Approval& approval : scheduler.session.take_changed_approvals())
                index[approval.n] = std::move(approval);
            for (const Approval& approval : scheduler.session.state().approvals.requests)
                REQUIRE(index.at(approval.n) == approval);
        }
        for (const auto& [n, approval] : index) {
            if (approval.pending()) REQUIRE(scheduler.session.state().approvals.find(n) != nullptr);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/gen.hpp"
#include "tests/support/simulation/exports.hpp"
#include "tests/support/simulation/model.hpp"
#include "tests/support/supervised.hpp"

// A deterministic simulation: agents that work, loop, lie, crash and pause, operators that decide,
// a failing disk, power cuts and a jumping clock, all on one frozen clock. Every outcome is
// compared with a model of the promises. A failing seed reproduces: HEADWAY_SEED=... and the number
// of the world.

namespace headway::tests {

using namespace headway::core;

inline constexpr Millis kInterval{10'000};

enum class Habit : std::uint8_t { kHonest, kLoops, kLies, kAsks };

struct Agent {
    std::string name;
    Habit habit = Habit::kHonest;
    /// The next one, in a session of its own, begins some time after an end.
    std::uint64_t run = 0;
    std::string session;
    std::uint32_t attempt = 1;
    std::uint64_t steps = 0;
    std::vector<std::uint64_t> asked;  ///< its approvals
    std::vector<Event> unanswered;     ///< sent, not acknowledged: to be sent again
};

/// Things that one command concerns, to check its reply.
struct Sent {
    std::size_t agent = 0;
    std::string session;
    std::vector<std::string> ids;  ///< of a report
    std::uint64_t approval = 0;    ///< of a decision or redemption
    bool asks = false;
    std::uint32_t attempt = 0;  ///< the newest that it names
    bool ends = false;          ///< has events behind an end, which is refused
};

inline bool is_storage(ErrorCode code) {
    return code == ErrorCode::kStorageFull || code == ErrorCode::kStorageUnavailable ||
           code == ErrorCode::kStorageCorrupt;
}

class World {
public:
    /// With fewer places in memory than agents, sessions are evicted and loaded again.
    static server::EngineSettings settings(std::size_t resident_max) {
        server::EngineSettings engine_settings;
        engine_settings.resident_max = resident_max;
        return engine_settings;
    }

    World(std::uint64_t seed, std::size_t agents, Supervised::OpenStore open = {})
        : shared_(open != nullptr),
          gen_(seed),
          headway_(settings(seed % 2 == 0 ? 100'000 : 7), at(0), std::move(open)) {
        for (std::size_t i = 0; i < agents; ++i) {
            Agent agent;
            agent.habit = static_cast<Habit>(i % 4);
            agent.name = "agent-" + std::to_string(i);
            start_run(agent);
            agents_.push_back(std::move(agent));
        }
        started_ = headway_.clock().now();
    }

    /// One turn with a few racing commands; returns their number.
    std::size_t step() {
        chance_events();
        std::vector<headway::tests::Command> commands;
        std::vector<Sent> sent;
        for (std::size_t i = 1 + gen_.index(8); i > 0; --i)
            act(commands, sent);
        const std::size_t count = commands.size();
        auto replies = headway_.turn(std::move(commands), true);
        see_published();
        REQUIRE(replies.size() == count);
        // In command order, for any order of the replies.
        std::sort(replies.begin(), replies.end(),
                  [](const auto& a, const auto& b) { return a.to.slot < b.to.slot; });
        for (std::size_t i = 0; i < count; ++i)
            judge(sent[i], replies[i]);
        headway_.store().fail(FailingStore::Step::kNone);
        if (gen_.chance(4)) headway_.engine().upkeep(gen_.chance(2));
        return count;
    }

    /// The disk holds exactly what was published, and folds to what would be served.
    void check_disk() {
        headway_.restart();
        auto recovery = headway_.stored().recover();
        require_ok(recovery);
        std::map<std::string, const storage::StoredSession*> unsaved;
        for (const storage::StoredSession& stored : recovery->sessions)
            unsaved[stored.session.id()] = &stored;
        for (auto& [id, model] : models_) {
            INFO(id);
            REQUIRE(model.broken == std::vector<std::string>{});
            if (model.journal().empty()) continue;
            const auto key = headway_.stored().find(id).value();
            REQUIRE(key.has_value());
            const auto saved = headway_.stored().load(*key);
            require_ok(saved);
            const storage::StoredSession* stored = unsaved.contains(id) ? unsaved[id] : &*saved;
            const auto journal =
                headway_.stored().read_session(*key, stored->chain, 0, model.journal().size() + 1);
            require_ok(journal);
            REQUIRE(journal->size() == model.journal().size());
            for (std::size_t i = 0; i < journal->size(); ++i) {
                INFO("event " << i + 1 << " " << name_of(type_of((*journal)[i].payload)));
                REQUIRE(((*journal)[i] == model.journal()[i]));
            }
            Session replayed{id};
            for (const Event& event : *journal)
                replayed.apply(event);
            REQUIRE((replayed.state() == stored->session.state()));
        }
    }

    void check_verdicts() {
        for (const auto& [session, model] : models_) {
            const auto& journal = model.journal();
            const auto calls =
                std::count_if(journal.begin(), journal.end(), [](const Event& event) {
                    return std::holds_alternative<ToolFinished>(event.payload);
                });
            INFO(session << ", " << calls << " calls");
            const Habit habit = habits_.at(session);
            if (habit == Habit::kHonest) CHECK_FALSE(model.was(Verdict::kStuck));
            if (habit == Habit::kLoops && calls >= 12) CHECK(model.was(Verdict::kStuck));
        }
    }

    /// An exported journal is judged as the live session was.
    void check_exports() {
        for (const auto& [session, model] : models_) {
            INFO(session);
            CHECK((judged_export(session, model.journal()) == verdicts_of(model.journal())));
        }
    }

    std::size_t events() const {
        std::size_t all = 0;
        for (const auto& [id, model] : models_)
            all += model.journal().size();
        return all;
    }

private:
    void start_run(Agent& agent) {
        agent.session = agent.name + "." + std::to_string(++agent.run);
        agent.attempt = 1;
        agent.asked.clear();
        agent.unanswered.clear();
        habits_[agent.session] = agent.habit;
    }

    /// Faults of the whole world.
    void chance_events() {
        Timestamp now = headway_.clock().now() + Millis{gen_.below(400)};
        if (gen_.chance(200)) now += Millis{gen_.below(3'600'000)};
        headway_.clock().advance_to(now);
        if (gen_.chance(60)) {
            if (gen_.chance(2)) stop_cleanly();
            headway_.restart();
            started_ = headway_.clock().now();
        }
        using Step = FailingStore::Step;
        static constexpr Step kSteps[] = {Step::kBegin, Step::kAppend, Step::kCommit, Step::kIndex};
        static constexpr ErrorCode kCodes[] = {ErrorCode::kStorageFull,
                                               ErrorCode::kStorageUnavailable};
        if (gen_.chance(25)) headway_.store().fail(gen_.pick(kSteps), gen_.pick(kCodes));
    }

    /// With all sessions saved, as after SIGTERM.
    void stop_cleanly() {
        headway_.queue().close();
        headway_.engine().run();
    }

    void act(std::vector<headway::tests::Command>& commands, std::vector<Sent>& sent) {
        Sent what;
        what.agent = gen_.index(agents_.size());
        Agent& agent = agents_[what.agent];
        if (models_[agent.session].ended() && gen_.chance(10)) start_run(agent);
        what.session = agent.session;
        const ModelSession& model = models_[agent.session];
        if (agent.habit == Habit::kAsks && !agent.asked.empty() && gen_.chance(2)) {
            decide_or_use(agent, what, commands);
        } else if (agent.habit == Habit::kAsks && gen_.chance(3)) {
            what.asks = true;
            commands.emplace_back(server::AskCommand{agent.session, request(agent), {}, {}});
        } else if (gen_.chance(400) || (agent.habit == Habit::kLies && model.ended())) {
            SessionEnded end;
            end.outcome = gen_.chance(2) ? Outcome::kCompleted : Outcome::kFailed;
            commands.emplace_back(server::EndCommand{agent.session, end});
        } else {
            report(agent, what, commands);
        }
        sent.push_back(std::move(what));
    }

    ApprovalRequested request(Agent& agent) {
        ApprovalRequested asked;
        asked.tool = "deploy";
        asked.args.text = "{\"to\":" + std::to_string(agent.steps++) + "}";
        asked.args_digest = "sha256:" + asked.args.text;
        if (gen_.chance(3)) asked.expires_in_ms = 1 + gen_.below(20'000);
        return asked;
    }

    void decide_or_use(Agent& agent, Sent& what, std::vector<headway::tests::Command>& commands) {
        what.approval = agent.asked[gen_.index(agent.asked.size())];
        if (gen_.chance(2)) {
            Ruling ruling;
            ruling.decision = gen_.chance(3) ? Decision::kReject : Decision::kApprove;
            ruling.reason = gen_.chance(2) ? "try another way" : "";
            ruling.channel = "api";
            commands.emplace_back(
                server::DecideCommand{agent.session, what.approval, ruling, false});
            return;
        }
        api::DecodedRedeem redeem;
        redeem.args_digest = "sha256:{\"to\":" + std::to_string(gen_.below(agent.steps + 1)) + "}";
        redeem.key = "k" + std::to_string(gen_.below(3));
        commands.emplace_back(server::RedeemCommand{agent.session, what.approval, redeem});
    }

    void report(Agent& agent, Sent& what, std::vector<headway::tests::Command>& commands) {
        std::vector<Event> events;
        // Unanswered reports are sent again unchanged.
        if (!agent.unanswered.empty() && gen_.chance(2)) events = agent.unanswered;
        for (std::size_t i = events.empty() ? 1 + gen_.index(3) : gen_.index(2); i > 0; --i)
            events.push_back(next(agent));
        if (agent.habit == Habit::kLies) lie(agent, events);
        for (const Event& event : events) {
            what.ids.push_back(event.event_id);
            what.ends |= std::holds_alternative<SessionEnded>(event.payload);
            what.attempt = std::max(what.attempt, event.attempt);
        }
        agent.unanswered = events;
        commands.emplace_back(server::ReportCommand{agent.session, std::move(events), true, {}});
    }

    Event next(Agent& agent) {
        const std::string step = std::to_string(agent.steps++);
        Event event =
            agent.habit == Habit::kLoops ? call("cat a", "the same") : call("make " + step, step);
        if (agent.habit != Habit::kLoops)
            std::get<ToolFinished>(event.payload).mutated.push_back({"a.c", step});
        if (agent.habit == Habit::kHonest && gen_.chance(4)) event = beat();
        event.event_id = agent.session + "/" + step;
        event.attempt = agent.attempt;
        if (agent.habit == Habit::kHonest && gen_.chance(50))
            ++agent.attempt;  // its process was restarted
        return event;
    }

    static Event call(const std::string& command, const std::string& result) {
        ToolFinished data;
        data.tool = "bash";
        data.ok = true;
        static_cast<Text&>(data.args) = bounded_text("{\"command\":\"" + command + "\"}");
        static_cast<Text&>(data.result) = bounded_text("\"" + result + "\"");
        return event(std::move(data));
    }

    /// Old attempts, made-up ids, duplicate ids, a future attempt.
    void lie(Agent& agent, std::vector<Event>& events) {
        Event& one = events[gen_.index(events.size())];
        switch (gen_.below(5)) {
            case 0:
                one.attempt = 1;
                break;
            case 1:
                one.attempt = ++agent.attempt;
                break;
            case 2:
                one.event_id = agent.session + "/" + std::to_string(gen_.below(agent.steps + 1));
                break;
            case 3:
                events.push_back(one);
                break;
            default:
                one.payload = SessionEnded{};
                std::get<SessionEnded>(one.payload).outcome = Outcome::kCompleted;
                one.event_id += gen_.chance(8) ? "/end" : "";
                if (!one.event_id.ends_with("/end")) one.payload = Heartbeat{};
                break;
        }
    }

    void see_published() {
        if (!headway_.published) return;
        for (const storage::StreamEvent& one : headway_.last.events) {
            models_[one.session].see(one.event);
            const auto* change = std::get_if<VerdictChanged>(&one.event.payload);
            if (change != nullptr && change->to == Verdict::kSilent) see_silent(one);
        }
    }

    /// No session is called silent if it has reported within two intervals, or during an attention
    /// gap. Over a shared store a start begins nothing: other daemons may have listened, and a gap
    /// that lasts no time hides no report.
    void see_silent(const storage::StreamEvent& one) {
        INFO(one.session);
        if (!shared_) CHECK(one.event.at - started_ >= 2 * kInterval);
        const auto& journal = models_[one.session].journal();
        for (auto event = journal.rbegin(); event != journal.rend(); ++event) {
            if (event->event_id.empty()) continue;
            CHECK(one.event.at - event->at >= 2 * kInterval);
            break;
        }
    }

    void judge(const Sent& sent, const Reply& reply) {
        Agent& agent = agents_[sent.agent];
        ModelSession& model = models_[sent.session];
        const bool same_run = agent.session == sent.session;
        INFO(sent.session);
        if (!reply.what) {
            const ErrorCode code = reply.what.error().code;
            INFO(reply.what.error().detail);
            if (code == ErrorCode::kSessionEnded) CHECK((model.ended() || sent.ends));
            if (code == ErrorCode::kStaleAttempt) CHECK((model.attempt() > 1 || sent.attempt > 1));
            if (code == ErrorCode::kNotApproved) CHECK_FALSE(model.is_redeemed(sent.approval));
            if (code == ErrorCode::kAlreadyRedeemed) CHECK(model.is_redeemed(sent.approval));
            CHECK((is_storage(code) || code == ErrorCode::kSessionEnded ||
                   code == ErrorCode::kStaleAttempt || code == ErrorCode::kNotApproved ||
                   code == ErrorCode::kAlreadyRedeemed || code == ErrorCode::kDigestMismatch ||
                   code == ErrorCode::kTooManyApprovals || code == ErrorCode::kUnknownSession ||
                   code == ErrorCode::kUnknownApproval));
            if (same_run && (code == ErrorCode::kSessionEnded || code == ErrorCode::kStaleAttempt))
                agent.unanswered.clear();
            return;
        }
        if (const auto* advice = std::get_if<AdviceReply>(&*reply.what);
            advice != nullptr && !sent.ids.empty()) {
            REQUIRE(advice->advice.results.size() == sent.ids.size());
            for (std::size_t i = 0; i < sent.ids.size(); ++i)
                model.acknowledged(sent.ids[i], advice->advice.results[i].first);
            if (same_run) agent.unanswered.clear();
        }
        const auto* body = std::get_if<BodyReply>(&*reply.what);
        if (body != nullptr && sent.asks && same_run) note_asked(agent, *body);
        if (body != nullptr && sent.approval != 0) {
            INFO("approval " << sent.approval << ", status " << body->status << ": " << body->body);
            CHECK_FALSE(model.is_pending(sent.approval));
        }
    }

    static void note_asked(Agent& agent, const BodyReply& body) {
        const std::size_t at = body.headers.rfind(".a");
        REQUIRE(at != std::string::npos);
        agent.asked.push_back(std::stoull(body.headers.substr(at + 2)));
        if (agent.asked.size() > 8) agent.asked.erase(agent.asked.begin());
    }

    bool shared_;  // the store is one that other daemons may share
    Gen gen_;
    Supervised headway_;
    Timestamp started_;
    std::vector<Agent> agents_;
    std::map<std::string, Habit> habits_;  ///< of the agent of a session
    std::map<std::string, ModelSession> models_;
};

}  // namespace headway::tests

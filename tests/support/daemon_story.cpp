// SPDX-License-Identifier: Apache-2.0
#include "tests/support/daemon_story.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>

#include "server/engine/commands/session_commands.hpp"
#include "server/testclock/jumps.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

namespace headway::tests {
namespace {

using namespace server;
using core::Millis;

constexpr int kStarts = 20;
constexpr int kTries = 60;
constexpr int kTurns = 200;
constexpr int kQuickTurns = 50;

EngineSettings settings() {
    EngineSettings engine_settings;
    core::WebhookRule rule;
    rule.name = "ops";
    rule.target = "its address";
    rule.events.set(static_cast<std::size_t>(core::EventType::kSessionEnded));
    engine_settings.webhooks = {{rule}, {Millis{0}, Millis{5'000}}};
    engine_settings.judge.primary = "judge";
    engine_settings.judge.estimates = core::EstimateMode::kStep;
    engine_settings.retention = Millis{3'600'000};
    return engine_settings;
}

/// Also what says that data is damaged: the database said so once.
bool of_store(core::ErrorCode code) {
    using enum core::ErrorCode;
    return code == kStorageUnavailable || code == kStorageFull || code == kStorageSyncFailed ||
           code == kStorageCorrupt || code == kInternal;
}

}  // namespace

void DaemonStory::prepare(storage::Sql& sql) {
    const auto run = [&sql](const std::string& statement, int count) {
        auto opened =
            sql.prepare("WITH RECURSIVE g(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM g WHERE i<" +
                        std::to_string(count) + ") INSERT INTO " + statement);
        require_ok(opened);
        opened->bind_blob(1, "");
        require_ok(opened->run());
    };
    run("token SELECT 'old'||i,'n','read',?1,1,0,1,0 FROM g", 1'000);
    run("expectation SELECT 'agent'||i,0,'',1,1,?1 FROM g", 64);
    run("expectation SELECT 'coder',2,'tool'||i,1,1,?1 FROM g", 48);
    const auto plain = [&run](const std::string& table, const std::string& values, int count = 1) {
        run(table + " SELECT " + values + " FROM g WHERE length(?1)=0", count);
    };
    plain(
        "webhook_message(endpoint,message,type,session,n,at,tries,due_at,tried_at,dead_at,away,"
        "reason,body)",
        "'ops','m'||i,'session.ended','x',1,1,1,1,1,1,0,'','{}'", 1'001);
    plain("webhook_endpoint", "'gone','t',0,1,0,0,0,0,0,0,''");
    plain("used(agent,outcome,ended_at,elapsed_ms,steps,tokens,cost_micros)",
          "'coder',0,1,1,1,1,1");
    plain("idempotency", "'old','print','s',1");
}

void DaemonStory::pass(Millis time) {
    time_ += time;
    testclock::jump(testclock::Jump::pass(time));
}

std::unique_ptr<DaemonStory::Daemon> DaemonStory::start(const std::string& id) {
    for (int tries = 0; tries < kStarts; ++tries) {
        auto daemon = std::make_unique<Daemon>();
        if (try_start(*daemon, id)) return daemon;
        ++restarts;
        pass(Millis{1'000});
    }
    FAIL("the daemon does not start");
    return nullptr;
}

bool DaemonStory::try_start(Daemon& daemon, const std::string& id) {
    auto store = place_.open(id, [this] { return at(time_.count()); });
    if (!store) return false;
    daemon.store = *std::move(store);
    daemon.engine = std::make_unique<Engine>(
        *daemon.store, daemon.clock, daemon.queue, settings(),
        [this](std::unique_ptr<Publication> published) { take(std::move(*published)); },
        [](bool, const std::string&) {},
        JudgeLink{[this](JudgeJob job) { judge_jobs_.push_back(std::move(job)); },
                  [](const std::string&) {}});
    daemon.engine->send_webhooks_with([this](WebhookJob job) {
        webhook_jobs_.push_back(std::move(job));
        return true;
    });
    return daemon.engine->recover().has_value();
}

void DaemonStory::take(Publication published) {
    fatal_ = fatal_ || !published.fatal.empty();
    for (const Answered& answered : published.replies)
        replies_.push_back(reply_of(answered));
}

/// As a service manager does.
void DaemonStory::revive() {
    if (!std::exchange(fatal_, false)) return;
    ++restarts;
    daemon_.reset();
    judge_jobs_.clear();
    webhook_jobs_.clear();
    daemon_ = start("one");
}

std::optional<core::Result<Answer>> DaemonStory::ask(const Command& command) {
    revive();
    replies_.clear();
    std::vector<Request> requests;
    requests.push_back(command.request({0, ++asked_}));
    daemon_->queue.set_listening(true);
    daemon_->engine->turn(requests, 0);
    for (int turns = 0; turns < kTurns && !fatal_; ++turns) {
        for (Reply& reply : replies_) {
            if (reply.to.slot == asked_) return std::move(reply.what);
        }
        rest(1,
             turns < kQuickTurns ? Millis{50} : Millis{2'000});  // what is kept waits ever longer
    }
    return std::nullopt;
}

core::Result<Answer> DaemonStory::settle_each(const std::function<Command()>& make) {
    for (int tries = 0; tries < kTries; ++tries) {
        auto answer = ask(make());
        INFO("request " << asked_);
        if (!answer && fatal_) continue;
        REQUIRE(answer.has_value());
        if (*answer || !of_store(answer->error().code)) return *std::move(answer);
        ++refused;
        pass(Millis{700});
        daemon_->engine->upkeep(true);
    }
    FAIL("the store stays away");
    return Answer{BodyReply{}};
}

core::Result<Answer> DaemonStory::settle(Command command) {
    return settle_each([&] { return command; });
}

void DaemonStory::report(const std::string& session, std::vector<core::Event> events) {
    const auto answer = settle(Command{ReportCommand{session, events, true, {}}});
    INFO(session);
    require_ok(answer);
    const auto& results = std::get<AdviceReply>(*answer).advice.results;
    REQUIRE(results.size() == events.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
        const auto [place, fresh] =
            acknowledged_[session].emplace(events[i].event_id, results[i].first);
        if (!fresh && place->second != results[i].first)
            broken_ += session + " " + events[i].event_id + " has two numbers; ";
    }
}

void DaemonStory::end(const std::string& session, core::Outcome outcome) {
    const auto answer = settle(Command{ReportCommand{session, {ended(outcome)}, true, {}}});
    // The second of an end whose answer was lost says that the session has ended.
    if (!answer) CHECK(answer.error().code == core::ErrorCode::kSessionEnded);
    endings_.push_back(session);
}

void DaemonStory::read(Command query) {
    require_ok(settle(std::move(query)));
}

void DaemonStory::rest(int turns, Millis each) {
    std::vector<Request> none;
    for (int i = 0; i < turns && !fatal_; ++i) {
        pass(each);
        daemon_->engine->turn(none, 0);
        none.clear();
        daemon_->engine->upkeep(true);
    }
}

void DaemonStory::play() {
    daemon_ = start("one");
    open();
    work();
    approve();
    judge();
    manage_tokens();
    learn();
    send_webhooks();
    follow_another();
    look();
    tidy();
    forget();
    stop();
}

/// As the next daemon finds it.
std::string DaemonStory::faults() {
    place_.mend();
    daemon_.reset();
    auto opened = place_.open("the next", [this] { return at(time_.count()); });
    require_ok(opened);
    storage::Store& store = **opened;
    const auto recovery = store.recover();
    require_ok(recovery);
    for (const auto& [session, ids] : acknowledged_) {
        const auto key = store.find(session).value();
        if (!key) {
            broken_ += session + " is gone; ";
            continue;
        }
        const auto loaded = store.load(*key);
        require_ok(loaded);
        const auto behind =
            std::find_if(recovery->sessions.begin(), recovery->sessions.end(),
                         [&](const storage::StoredSession& one) { return one.key == *key; });
        const bool saved = behind == recovery->sessions.end();
        check_journal(store, session, saved ? *loaded : *behind, ids);
    }
    const auto tokens = store.token_table().tokens();
    require_ok(tokens);
    for (const std::string& token : tokens_) {
        if (std::none_of(tokens->begin(), tokens->end(),
                         [&](const core::TokenRecord& one) { return one.id == token; }))
            broken_ += "token " + token + " is gone; ";
    }
    return broken_;
}

void DaemonStory::check_journal(storage::Store& store, const std::string& session,
                                const storage::StoredSession& stored,
                                const std::map<std::string, std::uint64_t>& ids) {
    const auto journal = store.read_session(stored.key, stored.chain, 0, 1'000);
    require_ok(journal);
    std::map<std::string, std::uint64_t> found;
    std::uint64_t n = 0;
    for (const core::Event& event : *journal) {
        if (event.n != ++n) broken_ += session + " has a gap; ";
        if (event.event_id.empty()) continue;
        if (!found.emplace(event.event_id, event.n).second)
            broken_ += session + " has " + event.event_id + " twice; ";
    }
    for (const auto& [id, number] : ids) {
        if (!id.empty() && found[id] != number) broken_ += session + " lost " + id + "; ";
    }
}

}  // namespace headway::tests

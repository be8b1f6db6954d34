// SPDX-License-Identifier: Apache-2.0
#include "tests/support/supervised.hpp"

#include <catch2/catch.hpp>

// Compiled once: all that an engine is made of takes ten seconds in each file that makes one.

namespace headway::tests {

Supervised::Supervised(server::EngineSettings settings) : settings_(std::move(settings)) {
    start();
}

Supervised::Supervised(server::EngineSettings settings, core::Timestamp now)
    : clock_(now), settings_(std::move(settings)) {
    start();
}

Supervised::Supervised(server::EngineSettings settings, core::Timestamp now, OpenStore open)
    : clock_(now), settings_(std::move(settings)), open_(std::move(open)) {
    start();
}

Supervised::~Supervised() = default;

void Supervised::restart() {
    engine_.reset();
    failing_.reset();
    stored_.reset();
    start();
}

std::vector<Reply> Supervised::turn(std::vector<Command> commands, bool listening) {
    std::vector<server::Request> requests;
    for (const Command& command : commands)
        requests.push_back(command.request({0, requests.size() + 1}));
    queue_.set_listening(listening);
    last = server::Publication{};
    published = false;
    publications = 0;
    engine_->turn(requests, 0);
    std::vector<Reply> replies;
    for (const server::Answered& answered : last.replies)
        replies.push_back(reply_of(answered));
    last.replies.clear();
    return replies;
}

/// Those who report and those who read are answered apart.
void Supervised::take(server::Publication publication) {
    auto& replies = publication.replies;
    replies.insert(replies.begin(), std::make_move_iterator(last.replies.begin()),
                   std::make_move_iterator(last.replies.end()));
    if (published && publication.views.empty()) publication.views = std::move(last.views);
    if (published && publication.events.empty()) publication.events = std::move(last.events);
    last = std::move(publication);
    published = true;
    ++publications;
}

core::Result<Answer> Supervised::ask(Command command) {
    std::vector<Command> commands;
    commands.push_back(std::move(command));
    auto replies = turn(std::move(commands));
    // A long answer may take more than one turn on a slow machine.
    for (int i = 0; i < 100'000 && replies.empty() && queue_.size() > 0; ++i)
        replies = turn({});
    REQUIRE(replies.size() == 1);
    return std::move(replies.front().what);
}

api::Advice Supervised::report(const std::string& session, std::vector<core::Event> events) {
    const bool batch = events.size() > 1;
    auto what = ask(server::ReportCommand{session, std::move(events), batch, {}});
    require_ok(what);
    return std::get<AdviceReply>(*what).advice;
}

std::vector<core::Event> Supervised::journal(const std::string& session) {
    const auto key = stored_->find(session).value();
    REQUIRE(key.has_value());
    std::vector<core::Event> events;
    storage::StreamPage page = stored_->read_stream(0, 100'000).value();
    REQUIRE(page.end);
    for (storage::StreamEvent& one : page.events) {
        if (one.session == session) events.push_back(std::move(one.event));
    }
    return events;
}

void Supervised::start() {
    if (open_) {
        stored_ = open_(clock_);
    } else {
        auto opened = storage::SqliteStore::open(dir_.file());
        require_ok(opened);
        stored_ = *std::move(opened);
    }
    failing_ = std::make_unique<FailingStore>(*stored_);
    engine_ = std::make_unique<server::Engine>(
        *failing_, clock_, queue_, settings_,
        [this](std::unique_ptr<server::Publication> publication) {
            if (!publication->fatal.empty()) fatal.push_back(publication->fatal);
            if (publication->copied) copied.push_back(*publication->copied);
            take(std::move(*publication));
        },
        [this](bool, const std::string& line) { log.push_back(line); },
        server::JudgeLink{
            [this](server::JudgeJob job) { judge_jobs.push_back(std::move(job)); },
            [this](const std::string& session) { judge_cancelled.push_back(session); }});
    engine_->send_webhooks_with([this](server::WebhookJob job) {
        if (webhooks_go_out) webhook_jobs.push_back(std::move(job));
        return webhooks_go_out;
    });
    require_ok(engine_->recover());
}

}  // namespace headway::tests

// SPDX-License-Identifier: Apache-2.0
#include "bench/training/script.hpp"

#include <filesystem>
#include <utility>

#include "bench/training/events.hpp"
#include "bench/training/time_source.hpp"

namespace headway::training {
namespace {

using namespace std::chrono_literals;

/// How long a turn of 64 agents takes, about.
constexpr auto kRound = 4ms;
/// Housekeeping is once a second: this many rounds.
constexpr std::size_t kRoundsInSecond = 40;
constexpr std::size_t kBatch = 100;
constexpr std::size_t kFollowers = 16;
constexpr std::string_view kLines = "application/x-ndjson";

std::string member(const std::string& json, std::string_view name) {
    const std::string start = "\"" + std::string{name} + "\":\"";
    const auto at = json.find(start);
    if (at == std::string::npos) give_up("no " + std::string{name} + " in " + json);
    const auto begin = at + start.size();
    return json.substr(begin, json.find('"', begin) - begin);
}

}  // namespace

Script::Script(Daemon& daemon, std::size_t clients) : daemon_(daemon) {
    clients_.reserve(clients);
    step([this, clients] { connect(clients_, clients); });
    step([this] {
        for (Client& client : clients_)
            client.accepted();
    });
}

void Script::connect(std::vector<Client>& clients, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        clients.emplace_back(daemon_.port());
    connections_ += count;
}

void Script::all(const std::function<void(std::size_t client)>& send) {
    step([this, send] {
        ++round_;
        for (std::size_t i = 0; i < clients_.size(); ++i)
            send(i);
    });
    pass(kRound);
    if (++planned_ % kRoundsInSecond == 0) {
        step([this] { daemon_.let_pass(1s); });
        pass(300ms);  // a turn without a request
    }
}

void Script::pass(std::chrono::milliseconds time) {
    step([time] { move_clocks(time); });
}

void Script::post(std::size_t client, std::string_view path, std::string_view body,
                  std::string_view type) {
    clients_[client].ask("POST", path, body, type);
}

void Script::report(std::size_t rounds) {
    for (std::size_t i = 0; i < rounds; ++i) {
        all([this](std::size_t client) {
            const std::size_t kind = round_ % 4;
            const std::string path = session_path(client, kind < 2 ? "bench" : "agent");
            const std::string body = kind == 0   ? bench_event(client, round_)
                                     : kind == 1 ? bench_event_with_id(client, round_)
                                                 : agent_event(client, round_);
            post(client, path + "/events", body);
        });
    }
}

void Script::report_batches(std::size_t rounds) {
    for (std::size_t i = 0; i < rounds; ++i) {
        step([this] {
            ++round_;
            for (std::size_t client = 0; client < clients_.size() / 8; ++client) {
                std::string lines;
                for (std::size_t k = 0; k < kBatch; ++k) {
                    lines += k % 4 == 3 ? agent_event(client, round_ * kBatch + k)
                                        : bench_event(client, round_ * kBatch + k);
                    lines += '\n';
                }
                post(client, session_path(client, "batch") + "/events", lines, kLines);
            }
        });
        pass(kRound);
    }
}

void Script::report_by_hooks(std::size_t rounds) {
    for (std::size_t i = 0; i < rounds; ++i) {
        all([this](std::size_t client) {
            post(client, "/v1/hooks/claude", hook_before(client, round_ / 2));
        });
        all([this](std::size_t client) {
            post(client, "/v1/hooks/claude", hook_after(client, round_ / 2));
        });
    }
}

void Script::stream(std::size_t rounds) {
    step([this] { connect(followers_, kFollowers); });
    step([this] {
        for (std::size_t i = 0; i < kFollowers; ++i) {
            followers_[i].accepted();
            followers_[i].follow(i % 4 == 0   ? "/v1/stream"
                                 : i % 4 == 1 ? "/progress/agent-" + std::to_string(i) + "/stream"
                                              : session_path(i % 4, "agent") + "/stream");
        }
        daemon_.let_pass(kRound);  // the loop comes to them
    });
    for (std::size_t i = 0; i < rounds; ++i) {
        all([this](std::size_t client) {
            post(client, session_path(client, "agent") + "/events", agent_event(client, round_));
        });
    }
    step([this] { followers_.clear(); });
    step([this] { daemon_.let_pass(1s); });
}

void Script::read_progress(std::size_t rounds) {
    for (std::size_t i = 0; i < rounds; ++i) {
        all([this](std::size_t client) {
            clients_[client].ask("GET", "/progress/bench-" + std::to_string(client));
        });
        all([this](std::size_t client) {
            clients_[client].ask("GET", "/progress/agent-" + std::to_string(client));
        });
    }
}

void Script::read_pages(std::size_t rounds) {
    static constexpr std::string_view kPages[] = {
        "/v1/sessions?limit=20", "/v1/sessions?limit=20&verdict=stuck,suspect",
        "/v1/overview",          "/v1/sessions?q=agent-1",
        "/v1/approvals",         "/v1/sessions?open=true&view=brief"};
    for (std::size_t i = 0; i < rounds; ++i) {
        all([this](std::size_t client) {
            const std::string path = session_path(client, "agent");
            const std::size_t kind = (client + round_) % 12;
            if (kind < std::size(kPages) - 1) return clients_[client].ask("GET", kPages[kind]);
            if (kind < 8) return clients_[client].ask("GET", path + "/events?limit=50");
            if (kind == 8) return clients_[client].ask("GET", path + "/wait?until=event&wait=1s");
            clients_[client].ask("GET", path);
        });
    }
}

void Script::decide(std::size_t client, std::string_view decision) {
    const std::string id = member(clients_[client].body(), "id");
    clients_[client].ask("POST", "/v1/approvals/" + id + "/decision",
                         "{\"decision\":\"" + std::string{decision} + "\",\"by\":\"ann\"}",
                         "application/json", "Authorization: Bearer " + daemon_.token() + "\r\n");
}

void Script::approve(std::size_t rounds) {
    for (std::size_t i = 0; i < rounds; ++i) {
        all([this](std::size_t client) {
            post(client, session_path(client, "asks") + "/approvals",
                 approval_request(client, round_));
        });
        all([this](std::size_t client) { decide(client, client % 4 == 0 ? "reject" : "approve"); });
        all([this](std::size_t client) {
            post(client, session_path(client, "asks") + "/heartbeat", "{\"phase\":\"work\"}");
        });
    }
}

void Script::open_and_end(std::size_t rounds) {
    for (std::size_t i = 0; i < rounds; ++i) {
        const std::string name = "short" + std::to_string(i);
        all([this, name](std::size_t client) {
            clients_[client].ask("PUT", session_path(client, name), opening(client));
        });
        all([this, name](std::size_t client) {
            post(client, session_path(client, name) + "/events", agent_event(client, round_));
        });
        all([this, name](std::size_t client) {
            post(client, session_path(client, name) + "/end",
                 client % 3 == 0 ? "{\"outcome\":\"failed\",\"reason\":\"no way\"}"
                                 : "{\"outcome\":\"completed\",\"reason\":\"tests pass\"}");
        });
    }
}

void Script::copy_state(std::filesystem::path to) {
    step([this, to = std::move(to)] {
        std::filesystem::remove_all(to);
        std::filesystem::create_directories(to);
        for (const char* const file : {"headway.db", "headway.db-wal"})
            std::filesystem::copy_file(daemon_.state() / file, to / file);
    });
}

void Script::run() {
    daemon_.run([this] { go_on(); });
}

bool Script::waits() const {
    if (daemon_.passing() || daemon_.stats().accepted < connections_) return true;
    for (const Client& client : clients_) {
        if (client.waits()) return true;
    }
    return false;
}

void Script::go_on() {
    for (Client& client : clients_) {
        if (client.waits()) client.read();
    }
    for (Client& client : followers_)
        client.read();
    if (!waits()) {
        if (next_ == steps_.size()) return daemon_.close();
        steps_[next_++]();
    }
    if (waits()) daemon_.serve_one();
}

}  // namespace headway::training

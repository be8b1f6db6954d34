// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "api/decode/problem.hpp"
#include "server/http/message/request_reader.hpp"

namespace headway::tests {

/// Result of a request: 0 if it is one, else the status of its refusal.
struct Heard {
    int status = 0;
    bool last = false;    ///< no more is read after it
    std::string path;     ///< empty for a head that could not be read
    std::string body;     ///< of a request
    std::string problem;  ///< why it was refused

    bool operator==(const Heard&) const = default;
    friend std::ostream& operator<<(std::ostream& out, const Heard& heard) {
        return out << heard.status << (heard.last ? " and ends " : " ") << heard.path << ' '
                   << heard.body.size() << " bytes " << heard.problem;
    }
};

/// Feeds a RequestReader as a connection does, and records what it says.
class ReaderFeed {
public:
    /// Gives it `bytes`, at most `piece` at once, until it takes no more.
    void feed(std::string_view bytes, std::size_t piece = SIZE_MAX) {
        while (!bytes.empty() && !ended()) {
            const std::span<char> room = reader.room();
            const std::size_t count = std::min({room.size(), piece, bytes.size()});
            std::memcpy(room.data(), bytes.data(), count);
            reader.received(count);
            bytes.remove_prefix(count);
            held_max = std::max(held_max, reader.held());
            run();
        }
    }
    void run() {
        while (!ended() && reader.ready()) {
            server::RequestReader::Step step = reader.next(gate);
            if (step == server::RequestReader::Step::kNeedsBytes) return;
            if (step == server::RequestReader::Step::kContinue) {
                ++continues;
                continue;
            }
            if (step == server::RequestReader::Step::kPacked) step = reader.inflate();
            note(step);
        }
    }
    /// Records a request or a refusal, and is done with it.
    void note(server::RequestReader::Step step) {
        Heard& heard_now = heard.emplace_back();
        const server::RequestHead* head = reader.head();
        if (head != nullptr) heard_now.path = head->target;
        if (step == server::RequestReader::Step::kRefused) {
            heard_now.status = api::problem_kind(reader.error().code).status;
            heard_now.problem = reader.error().field + ": " + reader.error().detail;
            heard_now.last = reader.last();
        } else {
            heard_now.body = reader.body();
            if (!head->keep_alive) reader.end();  // as the connection does
            heard_now.last = reader.last();
        }
        reader.done();
    }
    bool ended() const { return !heard.empty() && heard.back().last; }
    std::vector<int> statuses() const {
        std::vector<int> found;
        for (const Heard& one : heard)
            found.push_back(one.status);
        return found;
    }

    server::RequestReader reader;
    server::GateSettings gate = server::gate_settings(7717, {});
    std::vector<Heard> heard;
    int continues = 0;
    std::size_t held_max = 0;  ///< memory of bodies
};

}  // namespace headway::tests

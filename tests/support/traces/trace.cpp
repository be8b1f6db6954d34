// SPDX-License-Identifier: Apache-2.0
#include "tests/support/traces/trace.hpp"

#include <array>

namespace headway::tests {

std::string quoted(std::string_view text) {
    std::string out{"\""};
    for (char c : text) {
        switch (c) {
            case '"':
                out += "\\\"";
                break;
            case '\\':
                out += "\\\\";
                break;
            case '\n':
                out += "\\n";
                break;
            case '\t':
                out += "\\t";
                break;
            default:
                out += c;
        }
    }
    return out + "\"";
}

Habits random_habits(Gen& gen) {
    Habits habits;
    habits.starts = gen.chance(2);
    habits.call_ids = habits.starts || !gen.chance(3);
    habits.rounds = gen.chance(2);
    habits.beats = gen.chance(2);
    habits.stamps = gen.chance(4);
    habits.chats = gen.chance(2);
    return habits;
}

Recorder::Recorder(Gen& gen, std::uint64_t noise_seed, Habits habits)
    : gen_(gen), noise_(noise_seed), habits_(habits) {}

void Recorder::turn(const std::vector<Call>& calls) {
    ++round_;
    if (habits_.chats && gen_.chance(3)) {
        static constexpr std::string_view kSaid[] = {"Let me look at that.", "Continuing.",
                                                     "Now the next one.",
                                                     "I will check the result first."};
        message("assistant", gen_.pick(kSaid));
    }
    std::vector<std::string> fields;
    for (const Call& call : calls) {
        fields.push_back(call_fields(call, "c" + std::to_string(next_id_++)));
        if (habits_.starts) add("{\"type\":\"tool.started\",\"data\":{" + fields.back() + "}}");
    }
    for (std::size_t i = 0; i < calls.size(); ++i) {
        // Headway's default intervals: a beat every ten seconds, five with a call in flight.
        const std::int64_t interval = habits_.starts ? 5'000 : 10'000;
        std::int64_t left = calls[i].ms;
        for (; habits_.beats && left > interval; left -= interval) {
            now_ += interval;
            event("heartbeat", "{\"iteration\":" + std::to_string(round_) + "}");
        }
        now_ += left;
        finish(calls[i], fields[i]);
    }
    now_ += 200 + static_cast<std::int64_t>(gen_.below(3'000));
    if (habits_.beats && gen_.chance(4)) {
        event("heartbeat", "{\"iteration\":" + std::to_string(round_) + "}");
    }
}

void Recorder::message(std::string_view role, std::string_view text) {
    event("message", "{\"role\":" + quoted(role) + ",\"text\":" + quoted(text) + "}");
}

void Recorder::event(std::string_view type, const std::string& data) {
    add("{\"type\":" + quoted(type) + ",\"data\":" + data + "}");
}

std::string Recorder::volatile_seconds() {
    return std::to_string(1 + noise_.below(40)) + "." + std::to_string(10 + noise_.below(90)) + "s";
}

std::string Recorder::volatile_uuid() {
    static constexpr std::string_view kHex = "0123456789abcdef";
    std::string out;
    for (std::size_t i = 0; i < 36; ++i) {
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        out += dash ? '-' : kHex[noise_.index(16)];
    }
    return out;
}

std::string Recorder::volatile_time() {
    const auto two = [this](std::uint64_t from, std::uint64_t count) {
        return std::to_string(100 + from + noise_.below(count)).substr(1);
    };
    return "20" + two(20, 30) + "-" + two(1, 12) + "-" + two(1, 28) + "T" + two(0, 24) + ":" +
           two(0, 60) + ":" + two(0, 60) + "." + std::to_string(100 + noise_.below(900)) + "Z";
}

std::string Recorder::call_fields(const Call& call, const std::string& id) {
    std::string out = "\"tool\":" + quoted(call.tool);
    if (habits_.call_ids) out += ",\"call_id\":\"" + id + "\"";
    std::string args = call.args;
    if (habits_.stamps && args.size() > 2 && args.back() == '}') {
        args.pop_back();
        args += ",\"request_id\":\"" + volatile_uuid() + "\",\"timestamp\":\"" + volatile_time() +
                "\"}";
    }
    out += ",\"args\":" + args;
    if (habits_.rounds) out += ",\"round\":" + std::to_string(round_);
    return out;
}

void Recorder::finish(const Call& call, const std::string& fields) {
    std::string out = "{\"type\":\"tool.finished\",\"data\":{" + fields;
    if (!call.ok) {
        out += ",\"ok\":false,\"error\":{";
        if (!call.error_class.empty()) out += "\"class\":" + quoted(call.error_class) + ",";
        out += "\"message\":" + quoted(call.error) + "}";
    }
    if (!call.result.empty()) out += ",\"result\":" + call.result;
    if (!call.mutated.empty()) {
        out += ",\"mutated\":[";
        for (const auto& [path, digest] : call.mutated) {
            if (out.back() == '}') out += ',';
            out += "{\"path\":" + quoted(path) + ",\"digest\":" + quoted(digest) + "}";
        }
        out += ']';
    }
    out += ",\"duration_ms\":" + std::to_string(volatile_number() % 100'000) + "}}";
    ++calls_;
    add(std::move(out), true);
}

}  // namespace headway::tests

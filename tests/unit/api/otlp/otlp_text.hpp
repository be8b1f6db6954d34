// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "api/otlp/said.hpp"

namespace headway::tests {

/// Other tokens in an export of a real agent. Cached, written to the cache, reasoning: those that
/// are not 0.
inline std::string other_parts(const core::Usage& usage) {
    std::string text;
    const auto add = [&text](char name, std::uint64_t count) {
        if (count > 0) text += std::string{" "} + name + std::to_string(count);
    };
    add('c', usage.cached_tokens);
    add('w', usage.cache_write_tokens);
    add('r', usage.reasoning_tokens);
    return text;
}

inline std::string otlp_fixture(const std::string& name) {
    std::ifstream file{
        std::filesystem::path{HEADWAY_SOURCE_DIR} / "tests/unit/api/otlp/fixtures" / name,
        std::ios::binary};
    std::ostringstream out;
    out << file.rdbuf();
    return std::move(out).str();
}

/// One line for each: kind, session, and what the kind says.
inline std::string said_text(const std::vector<api::otlp::Said>& all) {
    using api::otlp::SaidKind;
    std::ostringstream out;
    for (const api::otlp::Said& record : all) {
        const std::string who = record.agent + " " + record.session.substr(0, 8) +
                                (record.sub_agent.empty() ? "" : "/" + record.sub_agent);
        switch (record.kind) {
            case SaidKind::kAlive:
                out << "alive " << who;
                break;
            case SaidKind::kPrompt:
                out << "prompt " << who << " \"" << record.text << '"';
                break;
            case SaidKind::kCall:
                out << "call " << who << ' ' << record.call.tool << ' ' << record.call.id << ' '
                    << (record.call.denied ? "denied"
                        : record.call.ok   ? "ok"
                                           : "failed")
                    << " args " << record.call.args << " result "
                    << (record.call.ok ? record.call.result : record.call.error);
                if (record.call.duration_ms) out << ' ' << *record.call.duration_ms << " ms";
                break;
            case SaidKind::kUsage:
                out << "usage " << who << ' ' << record.usage.input_tokens << '+'
                    << record.usage.output_tokens << other_parts(record.usage) << " $"
                    << record.usage.cost_usd.value_or(0) << ' ' << record.model;
                break;
            case SaidKind::kError:
                out << "error " << who << " \"" << record.text << '"';
                if (!record.error_class.empty()) out << ' ' << record.error_class;
                if (record.status) out << ' ' << *record.status;
                break;
            case SaidKind::kTurnEnd:
                out << "turn ends " << who;
                break;
            case SaidKind::kRunEnd:
                out << "run ends " << who << (record.failed ? " failed" : "");
                break;
        }
        out << '\n';
    }
    return out.str();
}

}  // namespace headway::tests

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
    for (const api::otlp::Said& said : all) {
        const std::string who = said.agent + " " + said.session.substr(0, 8) +
                                (said.sub_agent.empty() ? "" : "/" + said.sub_agent);
        switch (said.kind) {
            case SaidKind::kAlive:
                out << "alive " << who;
                break;
            case SaidKind::kPrompt:
                out << "prompt " << who << " \"" << said.text << '"';
                break;
            case SaidKind::kCall:
                out << "call " << who << ' ' << said.call.tool << ' ' << said.call.id << ' '
                    << (said.call.denied ? "denied"
                        : said.call.ok   ? "ok"
                                         : "failed")
                    << " args " << said.call.args << " result "
                    << (said.call.ok ? said.call.result : said.call.error);
                if (said.call.duration_ms) out << ' ' << *said.call.duration_ms << " ms";
                break;
            case SaidKind::kUsage:
                out << "usage " << who << ' ' << said.usage.input_tokens << '+'
                    << said.usage.output_tokens << other_parts(said.usage) << " $"
                    << said.usage.cost_usd.value_or(0) << ' ' << said.model;
                break;
            case SaidKind::kError:
                out << "error " << who << " \"" << said.text << '"';
                if (!said.error_class.empty()) out << ' ' << said.error_class;
                if (said.status) out << ' ' << *said.status;
                break;
            case SaidKind::kTurnEnd:
                out << "turn ends " << who;
                break;
            case SaidKind::kRunEnd:
                out << "run ends " << who << (said.failed ? " failed" : "");
                break;
        }
        out << '\n';
    }
    return out.str();
}

}  // namespace headway::tests

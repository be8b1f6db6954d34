// SPDX-License-Identifier: Apache-2.0
#include "api/hooks/dialect.hpp"

#include <array>
#include <cstddef>
#include <string>

#include "api/hooks/dialects.hpp"

namespace headway::api::hooks {
namespace {

constexpr std::array<const Dialect*, 7> kDialects{&kClaude, &kCline,   &kCodex, &kCopilot,
                                                  &kGemini, &kGeneric, &kQwen};

}  // namespace

const Dialect* find_dialect(std::string_view name) {
    for (const Dialect* dialect : kDialects) {
        if (dialect->name == name) return dialect;
    }
    return nullptr;
}

bool names_pre(const Dialect& dialect, std::string_view body) {
    const std::string event = '"' + std::string{dialect.pre_event} + '"';
    for (std::size_t at = body.find(event); at != body.npos; at = body.find(event, at + 1)) {
        const std::size_t before = body.substr(0, at).find_last_not_of(" \t\r\n");
        if (before != body.npos && body[before] == ':') return true;
    }
    return false;
}

std::span<const Dialect* const> all_dialects() {
    return kDialects;
}

}  // namespace headway::api::hooks

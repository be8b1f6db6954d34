// SPDX-License-Identifier: Apache-2.0
#include "api/hooks/dialect.hpp"

#include <array>

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

std::span<const Dialect* const> all_dialects() {
    return kDialects;
}

}  // namespace headway::api::hooks

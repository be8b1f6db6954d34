// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/base/fields.hpp"

namespace headway::core {

/// Format of an outbox message for an endpoint. All except kStandard have texts for people.
enum class WebhookFormat : std::uint8_t {
    kStandard,  ///< signed JSON for programs, as Standard Webhooks specifies
    kSlack,
    kDiscord,
    kNtfy,
    kEmail,
    kCommand,  ///< a program on this machine, which gets JSON
    kTelegram,
};
template <>
struct EnumNames<WebhookFormat> {
    static constexpr std::array<std::string_view, 7> kNames{
        "standard", "slack", "discord", "ntfy", "email", "command", "telegram"};
};

}  // namespace headway::core

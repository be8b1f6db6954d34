// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cli/client/http_client.hpp"

namespace headway::cli {

/// The daemon's answer about one call that asks for permission.
struct AcpAnswer {
    enum class Says : std::uint8_t {
        kMayRun,
        kRefused,
        kAway,   ///< the daemon, which cannot be asked: the editor decides alone
        kEnded,  ///< the session has ended: the hook's answer tells where the call belongs
    };
    Says says = Says::kMayRun;
    std::string reason{};  ///< of a refusal

    bool refuses() const { return says == Says::kRefused || says == Says::kEnded; }
};

/// Reads the reply to a report of the call, or to its hook, whose body is `reply.body`. Only a
/// reply that allows, or no daemon at all, lets a call run: a refused request is a refused call.
/// Pure.
AcpAnswer acp_answer(const HttpReply& reply);

}  // namespace headway::cli

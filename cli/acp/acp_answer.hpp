// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/base/clock.hpp"
#include "cli/client/http_client.hpp"

namespace headway::cli {

/// The daemon's answer about one call that asks for permission.
struct AcpAnswer {
    enum class Says : std::uint8_t {
        kMayRun,
        kRefused,
        kAway,  ///< no daemon is reachable: the editor decides alone, unless a daemon has received
                ///< the call
        kSilent,  ///< a daemon has received the question and not decided: without a decision, the
                  ///< call is refused
        kEnded,   ///< the session has ended; the hook is for the generation in force
    };
    Says says = Says::kMayRun;
    std::string reason{};  ///< why the call is refused
    bool held = false;     ///< with kSilent: the daemon had begun its reply

    /// True if the call must not run.
    bool refuses() const { return says == Says::kRefused || says == Says::kEnded; }
};

/// Reads the reply to a report of the call, or to its hook, whose body is `reply.body`. Only a
/// reply that allows, or no daemon at all, lets a call run: a refused request is a refused call.
/// Pure.
AcpAnswer acp_answer(const HttpReply& reply);

/// Decides how long a call waits for a daemon that has received it. A restart of the daemon is no
/// answer, because a person may have been asked, and the request outlasts the daemon. Pure.
class AcpPatience {
public:
    /// How long the question is sent again to a daemon that has become unreachable or hangs. After
    /// this time the call is refused.
    static constexpr std::chrono::milliseconds kBackMax{60'000};

    /// `reached`: a daemon has received the call before.
    explicit AcpPatience(bool reached) : reached_(reached) {}

    /// The final answer after a try at `now` whose answer was `said`; nothing: the question is to
    /// be sent again.
    std::optional<AcpAnswer> after(const AcpAnswer& said, SteadyTime now);

private:
    bool reached_;
    std::optional<SteadyTime> until_;
};

}  // namespace headway::cli

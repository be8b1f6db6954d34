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
        kAway,    ///< there is no daemon: the editor decides alone, unless one has had the call
        kSilent,  ///< a daemon took the question and has not decided: it must, or the call is
                  ///< refused
        kEnded,   ///< the session has ended: the hook's answer tells where the call belongs
    };
    Says says = Says::kMayRun;
    std::string reason{};  ///< of a refusal
    bool held = false;     ///< of kSilent: it had begun to answer

    bool refuses() const { return says == Says::kRefused || says == Says::kEnded; }
};

/// Reads the reply to a report of the call, or to its hook, whose body is `reply.body`. Only a
/// reply that allows, or no daemon at all, lets a call run: a refused request is a refused call.
/// Pure.
AcpAnswer acp_answer(const HttpReply& reply);

/// Decides how long a call waits for a daemon that has it: a restart is no answer, since a person
/// may be asked, and the request outlives the daemon. Pure.
class AcpPatience {
public:
    /// How long a daemon is asked again that went away, or hangs.
    static constexpr std::chrono::milliseconds kBackMax{60'000};

    /// `reached`: a daemon has had the call before.
    explicit AcpPatience(bool reached) : reached_(reached) {}

    /// The end of it, after this try; nothing: Headway is asked again.
    std::optional<AcpAnswer> after(const AcpAnswer& said, SteadyTime now);

private:
    bool reached_;
    std::optional<SteadyTime> until_;
};

}  // namespace headway::cli

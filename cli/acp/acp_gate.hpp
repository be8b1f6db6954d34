// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "cli/json.hpp"

namespace headway::cli {

/// Permissions that an agent has asked for: a call runs when both the editor and Headway let it.
/// The editor's refusal is passed on at once; what it allows waits for Headway; Headway's refusal
/// is the answer whatever the editor says later. Lines are without their ends. Pure.
class AcpGate {
public:
    /// More of them than an agent asks for at once; for further ones the editor decides alone.
    static constexpr std::size_t kOpenMax = 64;

    enum class Answer : std::uint8_t {
        kPass,  ///< to the agent, as it is
        kHold,  ///< kept until Headway has answered
        kDrop,  ///< the agent has its answer already
    };

    /// The agent asks. False: there are too many, and the editor decides alone.
    bool ask(const std::string& id, const Json& request);

    /// The editor's reply to a request of the agent, whatever that was. `allowed` is set where it
    /// answers a permission.
    Answer reply(const std::string& id, const std::string& line, const Json& message,
                 std::optional<bool>& allowed);

    /// What goes to the agent once Headway has answered, if anything does now.
    std::optional<std::string> decide(const std::string& id, bool refused);

private:
    struct Open {
        Json options;
        std::string refusal;  // line that refuses
        std::string held;     // line of the editor that allows; empty: it has not answered
        bool decided = false;
        bool refused = false;
    };

    std::map<std::string, Open> open_;  // by the request's id as JSON text
};

}  // namespace headway::cli

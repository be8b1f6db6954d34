// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "cli/acp/acp_observer.hpp"
#include "cli/base/json.hpp"

namespace headway::cli {

/// Permissions that an agent has asked for: a call runs when both the editor and Headway let it.
/// The editor's refusal is passed on at once; what it allows waits for Headway, which is asked
/// again, since it may have answered long ago; Headway's refusal is the answer whatever the editor
/// says later. Lines are without their ends. Pure.
class AcpGate {
public:
    /// More of them than an agent asks for at once; for further ones the editor decides alone.
    static constexpr std::size_t kOpenMax = 64;

    enum class Answer : std::uint8_t {
        kPass,      ///< to the agent, as it is
        kHold,      ///< kept until Headway has answered
        kAskAgain,  ///< the same, and `asking` has to be put to Headway again
        kDrop,      ///< the agent has its answer already
    };
    struct Reply {
        Answer answer = Answer::kPass;
        bool refused = false;  ///< the editor refuses the call of `asking`
        AcpAction asking;
    };

    /// The agent asks by this request: what to put to Headway. Nothing: there are too many, and the
    /// editor decides alone.
    std::optional<AcpAction> ask(AcpAction asking, const Json& request);

    /// The editor's reply to a request of the agent, whatever that was.
    Reply reply(const std::string& id, const std::string& line, const Json& message);

    /// The message for the agent once Headway has answered the question with this serial, if
    /// anything goes to it now.
    std::optional<std::string> decide(const std::string& id, std::uint64_t serial, bool refused);

private:
    struct Open {
        AcpAction asking;
        Json options;
        std::string refusal;  // line that refuses
        std::string held;     // line of the editor that allows; empty: it has not answered
        bool decided = false;
        bool refused = false;
    };

    std::uint64_t serial_ = 0;
    std::map<std::string, Open> open_;  // by the request's id as JSON text
};

}  // namespace headway::cli

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

/// Permissions that an agent has asked for: a call runs if both the editor and Headway allow it. A
/// refusal by the editor is passed on at once. A call that the editor allows waits for Headway,
/// which is asked again because its earlier answer may be out of date. A refusal by Headway is
/// final, whatever the editor replies later. Lines are passed without their line ends. Pure.
class AcpGate {
public:
    /// Maximum number of open permissions, which is more than an agent requests at once.
    static constexpr std::size_t kOpenMax = 64;

    enum class Answer : std::uint8_t {
        kPass,      ///< passed to the agent unchanged
        kHold,      ///< not passed on until Headway has answered
        kAskAgain,  ///< held as for kHold; the caller asks Headway again, with `asking`
        kDrop,      ///< dropped: the agent already has its answer
    };
    struct Reply {
        Answer answer = Answer::kPass;
        bool refused = false;  ///< the editor has refused the call of `asking`
        bool known = false;    ///< the request is one that ask() took
        AcpAction asking;
    };

    /// Takes the agent's `request` and returns the question for Headway; nothing if too many
    /// requests are open.
    std::optional<AcpAction> ask(AcpAction asking, const Json& request);

    /// Takes the editor's reply to any request of the agent.
    Reply reply(const std::string& id, const std::string& line, const Json& message);

    /// Takes Headway's answer to the question with this serial; returns the message to send to the
    /// agent now, if any.
    std::optional<std::string> decide(const std::string& id, std::uint64_t serial, bool refused);

private:
    struct Open {
        AcpAction asking;
        Json options;
        std::string refusal;  // the line that tells the agent of the refusal
        std::string held;     // the editor's line that allows the call; empty: no answer so far
        bool decided = false;
        bool refused = false;
    };

    std::uint64_t serial_ = 0;
    std::map<std::string, Open> open_;  // open permissions by the id of the request, as JSON text
};

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/acp/acp_observer.hpp"
#include "cli/base/json.hpp"

namespace headway::cli {

/// Permissions that an agent has asked for: a call runs if both the editor and Headway allow it. A
/// refusal by the editor is passed on at once. A call that the editor allows waits for Headway,
/// which is asked again because its earlier answer may be out of date. Each request has one answer:
/// a refusal by Headway, or the end of the turn, is final, whatever the editor replies later. Lines
/// are passed without their line ends. Ids of requests are as of acp_id(). Pure.
class AcpGate {
public:
    /// Maximum number of open permissions, which is more than an agent requests at once.
    static constexpr std::size_t kOpenMax = 64;
    /// Maximum number of ids kept of requests that have their answer. An editor may still answer
    /// the dialogs of these requests.
    static constexpr std::size_t kAnsweredMax = 256;

    enum class Answer : std::uint8_t {
        kPass,      ///< passed to the agent unchanged
        kHold,      ///< not passed on until Headway has answered
        kAskAgain,  ///< held as for kHold; the caller asks Headway again, with `asking`
        kDrop,      ///< dropped: the agent already has its answer
    };
    struct Reply {
        Answer answer = Answer::kPass;
        bool refused = false;  ///< the editor has refused the call of `asking`
        bool known = false;    ///< the request is one that ask() took, or has had its answer
        AcpAction asking;
    };
    /// A request that is answered before both the editor and Headway have decided.
    struct Closed {
        AcpAction asking;
        std::string line;  ///< the answer, for the agent
    };

    /// Called for each request of the agent, before ask(). Returns an open request with the same
    /// id, if any, which is then refused, because two questions would share one answer.
    std::optional<Closed> begin(const std::string& id);

    /// Takes the agent's `request` and returns the question for Headway; nothing if too many
    /// requests are open. `line`: the line of a deed (AcpDeed), which the editor gets once the deed
    /// is allowed; empty for other requests.
    std::optional<AcpAction> ask(AcpAction asking, const Json& request, std::string_view line = {});

    /// Takes the editor's reply to any request of the agent.
    Reply reply(const std::string& id, const std::string& line, const Json& message);

    /// True if ask() takes no more.
    bool is_full() const { return open_.size() >= kOpenMax; }

    /// True if a reply with this id may answer a request for permission: one that is open or has
    /// had its answer. With an empty id, for an unknown one: true if any request is open.
    bool may_answer(const std::string& id) const;

    /// True if the editor has not answered a request of this session.
    bool waits_for_editor(const std::string& session) const;

    /// Takes Headway's answer to the question with this serial; returns the message to send now, if
    /// any. The message of an allowed deed is for the editor, any other is for the agent.
    /// `reached`: a daemon has received the question.
    std::optional<std::string> decide(const std::string& id, std::uint64_t serial, bool refused,
                                      bool reached = true);

    /// Answers all open requests of a session whose turn is over or cancelled; `refused`: by
    /// Headway.
    std::vector<Closed> close(const std::string& session, bool refused = false);

    /// Refuses the open request with this id, or all open requests if `id` is empty.
    std::vector<Closed> refuse(const std::string& id);

    /// Called when a request that ask() did not take has been answered.
    void answered(const std::string& id);

private:
    struct Open {
        AcpAction asking;
        Json options;
        std::string refusal;    // the line that refuses the request
        std::string cancelled;  // the line that ends the request with the turn
        std::string held;       // the editor's line that allows the call, or the deed; empty: no
                                // answer so far
        bool decided = false;
    };

    std::uint64_t serial_ = 0;
    std::map<std::string, Open> open_;  // by the id of the request
    std::deque<std::string> answered_;  // the newest last
};

}  // namespace headway::cli

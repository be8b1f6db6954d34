// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/acp/messages/acp_file.hpp"
#include "cli/base/json.hpp"

namespace headway::cli {

/// A request by which an agent lets its editor run a command or write a file.
struct AcpDeed {
    Json call;                          ///< `kind` and `rawInput`, as a tool call has them
    std::vector<std::string> commands;  ///< each form of the command line that a call may name
    std::string path;                   ///< of the file, absolute; empty: not known for certain
    std::string content;                ///< that is written
    bool more = false;                  ///< the request has members that are not known
};

/// True if a request of this method is a deed.
bool acp_is_deed(std::string_view method);

/// True if the message is a deed, or a batch that has one.
bool acp_has_deed(const Json& message);

/// Nothing for other messages. Pure.
std::optional<AcpDeed> acp_deed(const Json& message);

/// Returns the file that a deed writes, as it is before.
using AcpFileNow = std::function<const AcpFile&()>;

/// True if a person who was shown this call has seen the deed: the command with all its words, or
/// the file with its content. `shown`: tool and arguments, as of AcpWords::about(). `file` is
/// called only where an edit was shown; empty: an edit covers nothing. Relative paths in `shown`
/// begin at `folder`. Pure.
bool acp_covers(const Json& shown, const AcpDeed& deed, const std::string& folder,
                const AcpFileNow& file = {});

/// True if a call of `tool`, with the members `call`, is about the file that is written. Pure.
bool acp_names_file(const Json& call, std::string_view tool, const AcpDeed& deed,
                    const std::string& folder);

/// The line by which the editor gets this deed: with the members that have been judged or are shown
/// to a person, and no others, which some editors might take for them.
std::string acp_deed_line(const Json& message);

/// False if the message may have texts that its agent has not sent, in the place of values that no
/// strict reader takes (readable_json.hpp).
bool acp_is_exact(const Json& message);

/// The reply by which an agent learns that its editor has not done it.
std::string acp_not_done(const Json& id, const char* why = "Headway does not allow this call.");

/// Deeds that are calls of their own: their ends, from the messages that follow. Memory is bounded.
/// Pure.
class AcpDeeds {
public:
    /// The update by which an agent would tell the end of such a call.
    struct End {
        std::string session;
        Json update;
    };
    static constexpr std::size_t kOpenMax = 256;

    /// The editor gets this request; its call is known by `call_id`.
    void begin(const Json& request, const std::string& call_id);
    /// Takes any request of the agent.
    std::optional<End> from_agent(const Json& message);
    /// Takes the editor's reply to any request of the agent.
    std::optional<End> from_editor(const Json& reply);

private:
    struct Call {
        std::string session;
        std::string id;
        Json output = Json::object();  // of the command
    };
    struct Open {
        std::string id;
        std::string method;
        std::string terminal;
        Call call;
    };

    void expect(Open open);
    std::optional<End> ended(const Open& open, const Json& result);

    std::deque<Open> open_;
    std::map<std::string, Call> terminals_;
};

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "cli/base/json.hpp"

namespace headway::cli {

/// Whole texts of files, as the editor has given them to its agent. Memory is bounded. Pure.
class AcpTexts {
public:
    static constexpr std::size_t kFilesMax = 16;
    static constexpr std::size_t kBytesMax = 32U << 20;
    static constexpr std::size_t kOpenMax = 256;

    /// Takes a request of the agent that the editor gets.
    void from_agent(const Json& request);
    /// Takes the editor's reply to any request of the agent.
    void from_editor(const Json& reply);
    /// The text; null: not known. `path`: as of acp_file().
    const std::string* find(const std::string& path) const;
    /// Called when the file may get another text: a reply that is still to come may have the old
    /// one.
    void forget(const std::string& path);

private:
    struct Open {
        std::string file;  // empty: the reply has no whole text
        std::size_t replies = 1;
    };

    std::map<std::string, Open> open_;                       // by the id of the request
    bool blind_ = false;                                     // more were open than are kept
    std::deque<std::pair<std::string, std::string>> texts_;  // the newest last
};

/// The path of a file, the same for all forms of it.
std::string acp_file(const std::string& path);

}  // namespace headway::cli

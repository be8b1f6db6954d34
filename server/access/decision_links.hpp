// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace headway::server {

/// Subject of a link in a message to people: its holder may decide one request of one call.
struct DecidedByLink {
    std::string_view endpoint;     ///< name of the webhook that gets the message
    std::string_view request;      ///< id of the approval
    std::string_view tool;         ///< the call's tool
    std::string_view args_digest;  ///< digest of the call's arguments
    /// Time of the request: after its session is deleted, another request can have its id.
    std::string_view asked_at;
};

/// Codes of these links. No part of a code is stored: the code proves, by a key derived from the
/// operator's token, that this daemon has sent it for exactly this request to exactly this
/// endpoint. The decision uses it up, since a request is decided once, and it expires with the
/// request. A new operator's token makes all codes invalid, and an endpoint that may no longer send
/// links makes its own invalid. Any thread.
class DecisionLinks {
public:
    /// If the hash is empty, no link is made and none is valid.
    void key_from(std::string_view operator_hash);
    /// Sets the endpoints whose messages have such links.
    void allow(std::vector<std::string> endpoints);

    /// The code; empty if no link may be made.
    std::string code_of(const DecidedByLink& decided) const;
    /// True if the code is valid. Takes constant time for codes of one length.
    bool proves(std::string_view code, const DecidedByLink& decided) const;

private:
    mutable std::mutex mutex_;  // guards the members below
    std::string key_;
    std::vector<std::string> endpoints_;
};

}  // namespace headway::server

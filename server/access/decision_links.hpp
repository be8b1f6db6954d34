// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace headway::server {

/// Identifies the one request that a person may decide with a link. Such links are in messages to
/// people.
struct DecidedByLink {
    std::string_view endpoint;     ///< name of the webhook that receives the message
    std::string_view request;      ///< id of the approval
    std::string_view tool;         ///< the call's tool
    std::string_view args_digest;  ///< digest of the call's arguments
    /// Time of the request. Needed because a later request can have the same id after the session
    /// is deleted.
    std::string_view asked_at;
};

/// The codes of these links. No part of a code is stored. A code is made with a key derived from
/// the operator's token. The code thus proves that this daemon sent it for exactly this request to
/// exactly this endpoint. A decision uses the code up, since a request is decided only once, and
/// the code expires with the request. Replacing the operator's token makes all codes invalid; if an
/// endpoint may no longer send links, its codes become invalid. Any thread.
class DecisionLinks {
public:
    /// If the hash is empty, no link is made and none is valid.
    void key_from(std::string_view operator_hash);
    /// Sets the endpoints whose messages have such links.
    void allow(std::vector<std::string> endpoints);

    /// The code for a request; empty if no link may be made for it.
    std::string code_of(const DecidedByLink& decided) const;
    /// True if the code is valid. Takes the same time for all codes of one length.
    bool proves(std::string_view code, const DecidedByLink& decided) const;

private:
    mutable std::mutex mutex_;  // guards the members below
    std::string key_;
    std::vector<std::string> endpoints_;
};

}  // namespace headway::server

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
    std::string_view endpoint;     ///< the name of the webhook that the message goes to
    std::string_view request;      ///< id of the approval
    std::string_view tool;         ///< of the call
    std::string_view args_digest;  ///< of the call
    /// Time of the request: after its session is deleted, another one can have its id.
    std::string_view asked_at;
};

/// Codes of these links. Nothing of a code is stored: it is the proof, by a key that follows from
/// the operator's token, that this daemon has sent it for just this request to just this endpoint.
/// It is used up by the decision, since a request is decided once, and it ends with the request.
/// Another operator's token, or an endpoint that may send no links any more, ends all of them. Any
/// thread.
class DecisionLinks {
public:
    /// Without a hash no link is made, and none counts.
    void key_from(std::string_view operator_hash);
    /// The endpoints whose messages have such links.
    void allow(std::vector<std::string> endpoints);

    /// Empty where no link may be made.
    std::string code_of(const DecidedByLink& decided) const;
    /// In constant time for codes of one length.
    bool proves(std::string_view code, const DecidedByLink& decided) const;

private:
    mutable std::mutex mutex_;  // guards both
    std::string key_;
    std::vector<std::string> endpoints_;
};

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/json/json_document.hpp"
#include "core/base/result.hpp"

// Chat completions as specified by OpenAI and accepted by llama.cpp, Ollama, vLLM and others: the
// request that Headway sends, and one object of the reply. The functions change nothing except
// `document`.

namespace headway::api {

struct ChatRequest {
    std::string_view model;
    std::string_view system;  ///< message with the role system
    std::string_view user;
    std::uint32_t max_tokens = 0;
    double temperature = 0;
};

/// The body of POST /chat/completions: it requests a stream that ends with the usage.
std::string encode_chat_request(const ChatRequest& request);

struct ChatUsage {
    std::uint64_t prompt_tokens = 0;  ///< each count is at most limits::kJudgeTokensMax
    std::uint64_t completion_tokens = 0;
    bool operator==(const ChatUsage&) const = default;
};

/// One object of a reply: a chunk of a stream, or a whole completion. Only the first choice is
/// used.
struct ChatPart {
    bool choice = false;    ///< the object has a choice
    bool finished = false;  ///< the choice names the reason why the model stopped
    std::string text;
    std::string model;
    std::optional<ChatUsage> usage;
    std::optional<std::string> error;  ///< the endpoint's error text, as received
};

/// Reads one object of a reply. Unknown members are skipped. Errors: kInvalidJson; kInvalidField if
/// `json` is not an object.
core::Result<ChatPart> decode_chat_part(JsonDocument& document, std::string_view json);

}  // namespace headway::api

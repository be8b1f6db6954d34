// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/json/json_document.hpp"
#include "core/base/result.hpp"

// Chat completions as OpenAI describes them and llama.cpp, Ollama, vLLM and others understand them:
// our request, and one object of the reply. All of it is pure.

namespace headway::api {

struct ChatRequest {
    std::string_view model;
    std::string_view system;  ///< the two messages
    std::string_view user;
    std::uint32_t max_tokens = 0;
    double temperature = 0;
};

/// The body of POST /chat/completions: streamed, with the usage at its end.
std::string encode_chat_request(const ChatRequest& request);

struct ChatUsage {
    std::uint64_t prompt_tokens = 0;  ///< at most limits::kJudgeTokensMax, the other too
    std::uint64_t completion_tokens = 0;
    bool operator==(const ChatUsage&) const = default;
};

/// One object of a reply: a chunk of a stream, or a whole completion. Only the first of several
/// choices is used.
struct ChatPart {
    bool choice = false;    ///< it has one
    bool finished = false;  ///< and gives the reason why the model stopped
    std::string text;
    std::string model;
    std::optional<ChatUsage> usage;
    std::optional<std::string> error;  ///< the endpoint's words for what went wrong, as they came
};

/// Members that we do not know are passed over. Errors: kInvalidJson; kInvalidField when it is no
/// object.
core::Result<ChatPart> decode_chat_part(JsonDocument& document, std::string_view json);

}  // namespace headway::api

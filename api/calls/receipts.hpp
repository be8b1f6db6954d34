// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/json/json_document.hpp"
#include "core/events/work_payloads.hpp"

// Receipts: the answers to calls that submit something, such as an order. Some names of tools may
// also mean a question (`order_book`, `http_request`, `pay`). For such a tool, an answer is a
// receipt if it confirms that something was accepted, or if it has an id that is not in the
// arguments. Other numbers are the information that the call requested. Below, the question means
// the arguments of the call.

namespace headway::api {

/// True if the tool's name, its arguments and its answer show that the call submitted something.
/// `canonical` is the canonical text of the answer, `plain` the answer as text.
bool is_handed_in(const core::ToolFinished& call, const std::optional<JsonValue>& args,
                  std::string_view canonical, std::string_view plain);

/// False if the tool's name may also mean a question, and the arguments or the answer show that the
/// call was one.
bool may_be_handed_in(const core::ToolFinished& call, const std::optional<JsonValue>& args,
                      std::string_view canonical, std::string_view plain);

/// True for an answer of one word that only confirms that a machine has made a step: "dosed",
/// "moved".
bool confirms_step(std::string_view answer);

/// True if a short answer has an id that is not in the question.
bool names_new_id(std::string_view canonical, std::string_view question);

/// The canonical text of a receipt without the values of the ids that are not in the question. Also
/// removes ids that consist of letters only. Linear in the text.
std::string without_new_ids(std::string_view canonical, std::string_view question);

}  // namespace headway::api

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/json/json_document.hpp"
#include "core/events/work_payloads.hpp"

// Receipts: the answers to calls that hand something in. One principle decides where a tool's name
// may also mean a question (`order_book`, `http_request`, `pay`): a receipt says that something was
// accepted, or names an id that the question does not have. Other numbers are what was asked for.

namespace headway::api {

/// True if the tool's name, its arguments and its answer show that something was handed in.
/// `canonical` is the canonical text of the answer.
bool is_handed_in(const core::ToolFinished& call, const std::optional<JsonValue>& args,
                  std::string_view canonical, std::string_view plain);

/// False for a tool whose name may also mean a question, if its arguments or its answer show one.
bool may_be_handed_in(const core::ToolFinished& call, const std::optional<JsonValue>& args,
                      std::string_view canonical, std::string_view plain);

/// True for an answer of one word that only confirms a step of a machine: "dosed", "moved".
bool confirms_step(std::string_view answer);

/// True if a short answer has the id of something that the question does not name.
bool names_new_id(std::string_view canonical, std::string_view question);

/// The canonical text of a receipt without the values of the ids that the question does not have,
/// some of which are of letters alone. Linear in the text.
std::string without_new_ids(std::string_view canonical, std::string_view question);

}  // namespace headway::api

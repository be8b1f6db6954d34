// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

// Status checks as text for people.

namespace headway::cli {

/// Whether the document of a check holds its end. Pure.
bool check_ended(const nlohmann::json& check);

/// 0 progressing, 2 looping, 4 blocked or failed, 1 no answer. Pure.
int check_exit_code(const nlohmann::json& check);

/// The answer with what it rests on, who gave it and what it cost; several lines. Pure.
std::string check_text(const nlohmann::json& check);

/// Why there is no answer, one line. Pure.
std::string no_answer_text(const nlohmann::json& check);

/// What to do when there is no answer. Pure.
std::string no_answer_advice(const nlohmann::json& check);

/// "A" for "progressing" to "D" for "failed"; empty for another word. Pure.
std::string letter_of_answer(std::string_view word);

/// "#12 #14" for [12, 14]; empty for all but a list. Pure.
std::string event_numbers(const nlohmann::json& list);

}  // namespace headway::cli

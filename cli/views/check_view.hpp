// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// Status checks as text for people.

namespace headway::cli {

class Json;

/// True if the check has ended. `check` is its document. Pure.
bool check_ended(const Json& check);

/// The exit code: 0 progressing, 2 looping, 4 blocked or failed, 1 no answer. Pure.
int check_exit_code(const Json& check);

/// The answer with its evidence, its judge and its cost; several lines. Pure.
std::string check_text(const Json& check);

/// The reason why there is no answer, in one line. Pure.
std::string no_answer_text(const Json& check);

/// Advice when there is no answer. Pure.
std::string no_answer_advice(const Json& check);

/// The letter of an answer, from "A" for "progressing" to "D" for "failed"; empty for any other
/// word. Pure.
std::string letter_of_answer(std::string_view word);

/// "#12 #14" for [12, 14]; empty if `list` is not a list. Pure.
std::string event_numbers(const Json& list);

}  // namespace headway::cli

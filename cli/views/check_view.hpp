// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// Status checks as text for people.

namespace headway::cli {

class Json;

/// True if, according to its document, the check has ended. Pure.
bool check_ended(const Json& check);

/// 0 progressing, 2 looping, 4 blocked or failed, 1 no answer. Pure.
int check_exit_code(const Json& check);

/// The answer with its evidence, its judge and its cost; several lines. Pure.
std::string check_text(const Json& check);

/// Why there is no answer, one line. Pure.
std::string no_answer_text(const Json& check);

/// Advice when there is no answer. Pure.
std::string no_answer_advice(const Json& check);

/// "A" for "progressing" to "D" for "failed"; empty for another word. Pure.
std::string letter_of_answer(std::string_view word);

/// "#12 #14" for [12, 14]; empty unless it is a list. Pure.
std::string event_numbers(const Json& list);

}  // namespace headway::cli

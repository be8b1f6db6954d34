// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

// Output of real tools.

namespace headway::tests::catalogue {

/// `text` with each `{}` replaced by the number.
inline std::string with(std::string_view text, int number) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool hole = text.substr(at, 2) == "{}";
        out += hole ? std::to_string(number) : std::string{text[at]};
        if (hole) ++at;
    }
    return out;
}

inline std::string pytest_red(int failed, int passed, std::string_view error) {
    std::string text =
        "============================= test session starts ==============================\n"
        "collected {} items\n\n";
    text = with(text, failed + passed) + "E       " + std::string{error} + "\n\n";
    return text +
           "=========================== short test summary info ============================\n" +
           "FAILED tests/test_parser.py::test_parse - " + std::string{error} + "\n" +
           "========================= " + std::to_string(failed) + " failed, " +
           std::to_string(passed) + " passed in 1.84s =========================";
}

inline std::string pytest_green(int passed, std::string_view seconds = "1.84s") {
    return "============================= test session starts ==============================\n" +
           with("collected {} items\n\n", passed) +
           "tests/test_parser.py ....                [100%]\n\n" +
           with("============================== {} passed in ", passed) + std::string{seconds} +
           " ==============================";
}

/// A listing as `read_file` prints it: numbered lines of code, unique to `name`.
inline std::string source_lines(std::string_view name, int first, int last) {
    std::string text;
    for (int line = first; line <= last; ++line) {
        text += with("{}\t", line) + "int " + std::string{name} +
                with("_{}(int value) { return value + ", line) + with("{}; }\n", line * 7);
    }
    return text;
}

inline std::string source_of(std::string_view name) {
    return source_lines(name, 1, 12);
}

inline std::string repeated(std::string_view text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i)
        out += text;
    return out;
}

}  // namespace headway::tests::catalogue

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace headway::cli {

/// The members of a message that is too long to be read, or of a line that may be none.
struct AcpHead {
    bool request = false;  ///< it has a method, so it answers nothing
    bool reply = false;    ///< it has a result or an error
    bool braces = false;   ///< there is a `{`, so that a reader may find a message
    bool odd = false;      ///< readers may find different messages, or members
    bool whole = false;    ///< one object that has ended, with nothing behind it
    std::string id{};      ///< as of acp_id(); empty: not seen, or more than one
    std::string method{};

    /// True if all readers of the line find the same message, or none.
    bool clear() const { return !braces || (whole && !odd); }
};

/// Reads one line in parts, and keeps no more than its head. Pure.
class AcpMembers {
public:
    void feed(std::string_view text);
    const AcpHead& head() const { return head_; }

private:
    void take(char c);
    void begin(char c);
    void take_blank(char c);
    void take_mark(char c);
    void keep(char c);
    void name();
    void value();

    AcpHead head_;
    bool begun_ = false;
    bool object_ = false;
    bool over_ = false;
    bool quoted_ = false;
    bool escaped_ = false;
    bool behind_text_ = false;  // the last that was no blank has ended a text
    bool cut_ = false;          // the token is longer than is kept, or a value in brackets
    std::size_t depth_ = 0;     // of brackets inside the object
    std::string token_;
    std::string name_;
    std::size_t ids_ = 0;
    std::set<std::string> names_;  // so far, in lower case
};

/// The head of a message whose begin this is. Members that are not whole are only known to be
/// there.
AcpHead acp_head(std::string_view begin);

}  // namespace headway::cli

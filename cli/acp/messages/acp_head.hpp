// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headway::cli {

/// The members of a message that is too long to be read, or is no JSON.
struct AcpHead {
    bool request = false;  ///< it has a method, so it answers nothing
    bool reply = false;    ///< it has a result or an error
    bool list = false;     ///< a batch
    bool object = false;
    std::string id{};  ///< as of acp_id(); empty: not seen
    std::string method{};

    /// True if what is missing may let the editor do something.
    bool hides() const { return list || (object && !request && !reply); }
};

/// Reads one line in parts, and keeps no more than its head. Pure.
class AcpMembers {
public:
    void feed(std::string_view text);
    const AcpHead& head() const { return head_; }

private:
    void take(char c);
    void begin(char c);
    void keep(char c);
    void name();
    void value();

    AcpHead head_;
    bool begun_ = false;
    bool over_ = false;
    bool quoted_ = false;
    bool escaped_ = false;
    bool cut_ = false;       // the token is longer than is kept, or a value in brackets
    std::size_t depth_ = 0;  // of brackets inside the object
    std::string token_;
    std::string name_;
};

/// The head of a message whose begin this is. Members that are not whole are only known to be
/// there.
AcpHead acp_head(std::string_view begin);

}  // namespace headway::cli

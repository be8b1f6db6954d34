// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace headway::cli {

/// Cuts bytes into lines. A line that is too long comes in parts, which are no lines. Pure.
class LineCutter {
public:
    /// Room for a prompt with pictures; what is longer is passed on unread.
    static constexpr std::size_t kLineBytesMax = 16U << 20;

    /// `whole`: the text is a line without its end; otherwise it is a part, with the end if there
    /// is one.
    using Take = std::function<void(std::string_view text, bool whole)>;

    void feed(std::string_view bytes, const Take& take);
    /// A rest without an end is a part.
    void finish(const Take& take);

private:
    std::string line_;
    bool too_long_ = false;
};

}  // namespace headway::cli

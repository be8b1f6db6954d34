// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace headway::cli {

/// Cuts bytes into lines. A line that is too long is passed on in parts. Pure.
class LineCutter {
public:
    /// The longest line that is read: room for a prompt with pictures. A longer line is passed on
    /// unread.
    static constexpr std::size_t kLineBytesMax = 16U << 20;

    /// `whole`: `text` is a line without its line end. Otherwise it is a part of a line, with the
    /// line end if it has one.
    using Take = std::function<void(std::string_view text, bool whole)>;

    void feed(std::string_view bytes, const Take& take);
    /// Passes on the rest, which has no line end, as a part of a line.
    void finish(const Take& take);

private:
    std::string line_;
    bool too_long_ = false;
};

}  // namespace headway::cli

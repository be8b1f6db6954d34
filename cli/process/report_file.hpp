// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace headway::cli {

/// A file that another program reads as soon as it is there, so it is there whole or not at all:
/// written beside its place and renamed. `-` is standard output; a device or a pipe is written to
/// as it is, and so is a file whose place none can take: mounted, or in a folder that is not ours.
/// A link is refused.
class ReportFile {
public:
    explicit ReportFile(std::string path);

    bool is_output() const { return path_ == "-"; }
    /// Proves, before the hours in which the report comes to be, that it can be written. Nothing is
    /// left of it. Error: kInvalidParameter.
    core::Result<> check() const;
    /// Error: kInvalidParameter; the file is as it was then, unless it is written to as it is.
    core::Result<> write(std::string_view text) const;

private:
    std::string path_;
};

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace headway::cli {

/// A file that another program reads as soon as it exists, so it appears whole or not at all: it is
/// written under another name and then renamed. `-` is standard output. A device or a pipe is
/// written to directly. So is a file that cannot be replaced, because it is mounted or in another
/// user's folder. A link is refused.
class ReportFile {
public:
    explicit ReportFile(std::string path);

    bool is_output() const { return path_ == "-"; }
    /// Checks that the report can be written; to be called before work that may take hours. Leaves
    /// no trace. Error: kInvalidParameter.
    core::Result<> check() const;
    /// Writes the report. Error: kInvalidParameter; the file is then unchanged, unless it is
    /// written to directly.
    core::Result<> write(std::string_view text) const;

private:
    std::string path_;
};

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace headway::cli {

struct VersionOptions {
    bool json = false;
};

}  // namespace headway::cli

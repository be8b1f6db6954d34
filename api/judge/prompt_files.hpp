// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// The texts of api/prompts/*.txt, included at build time. User messages have the placeholders
// {{marker}} and {{data}}.

namespace headway::api::prompt_files {

extern const std::string_view kStatusSystem;
extern const std::string_view kStatusUser;
extern const std::string_view kEstimateSystem;
extern const std::string_view kEstimateUser;

}  // namespace headway::api::prompt_files

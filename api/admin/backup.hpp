// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/json/json_document.hpp"
#include "core/base/fields.hpp"
#include "core/base/result.hpp"

// The bodies of /v1/backup. Functions change only arguments.

namespace headway::api {

/// A finished and checked backup.
struct BackupMade {
    std::string file;
    std::uint64_t bytes = 0;
    std::uint64_t sessions = 0;
    std::uint64_t events = 0;
    int schema = 0;
};

struct BackupBody {
    std::string file;
    static constexpr auto fields() { return field_list(core::required("file", &BackupBody::file)); }
};

/// Decodes `{"file"}`, the target's absolute path. Errors: as in decode.hpp.
core::Result<std::string> decode_backup(JsonDocument& document, std::string_view body);

void append_backup(std::string& out, const BackupMade& backup);

}  // namespace headway::api

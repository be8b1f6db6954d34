// SPDX-License-Identifier: Apache-2.0
#include "api/admin/backup.hpp"

#include "api/json/decode_fields.hpp"
#include "api/json/json_writer.hpp"

namespace headway::api {
using core::Result;

Result<std::string> decode_backup(JsonDocument& document, std::string_view body) {
    HEADWAY_CHECK(document.parse(body.empty() ? std::string_view{"{}"} : body));
    BackupBody read;
    HEADWAY_CHECK(fields::decode_object(document.root(), read));
    const bool named = read.file.starts_with('/') && !read.file.ends_with('/') &&
                       read.file.find('\0') == std::string::npos;
    if (named) return std::move(read.file);
    return fields::under(
        fields::wrong("must be the absolute path of a file on the daemon's machine"), "file");
}

void append_backup(std::string& out, const BackupMade& backup) {
    JsonWriter json{out};
    json.open_object();
    json.member("file", backup.file);
    json.member("bytes", backup.bytes);
    json.member("sessions", backup.sessions);
    json.member("events", backup.events);
    json.member("schema", backup.schema);
    json.close_object();
}

}  // namespace headway::api

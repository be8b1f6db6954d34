// SPDX-License-Identifier: Apache-2.0
#include "server/web/web_pages.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>

#include "core/base/assert.hpp"
#include "core/text/words.hpp"
#include "server/http/body/inflate.hpp"

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// Content security policy: pages run only our own script files and connect only to the daemon,
// whatever an agent writes.
constexpr std::string_view kPolicy =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' data:; worker-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'\r\n";

const WebFile* find(const WebFiles& web, std::string_view name) {
    const auto file = std::find_if(web.files.begin(), web.files.end(),
                                   [name](const WebFile& f) { return f.name == name; });
    return file != web.files.end() ? &*file : nullptr;
}

constexpr std::size_t kWebFileBytesMax = 4U << 20;

/// The file as it was before compression. It is kept, 1.1 MB for all files: a client that does not
/// accept gzip would otherwise take the I/O thread 1 ms each time.
std::string_view content_of(const WebFile& file) {
    if (file.gzip.empty()) return file.content;
    static std::mutex mutex;
    static std::map<const char*, std::string> inflated;
    const std::lock_guard lock{mutex};
    std::string& content = inflated[file.gzip.data()];
    if (content.empty()) {
        core::Result<std::string> whole = inflate_gzip(file.gzip, kWebFileBytesMax);
        HEADWAY_ASSERT(whole.has_value());  // web/embed.py has compressed it
        content = *std::move(whole);
    }
    return content;
}

/// True for `q=0`, `q=0.0` and so on: the client refuses this coding.
bool refused(std::string_view parameters) {
    const std::size_t q = parameters.find("q=");
    if (q == std::string_view::npos) return false;
    return core::trimmed(parameters.substr(q + 2)).find_first_not_of("0.") ==
           std::string_view::npos;
}

Response file_response(const WebFiles& web, const WebFile& file, const RequestHead& head) {
    // Weak, because the compressed bytes differ.
    const std::string tag = "W/\"" + std::string{web.hash} + "\"";
    Response response;
    response.content_type = file.content_type;
    response.cache_control = "no-cache";
    response.headers = "ETag: " + tag + "\r\nVary: Accept-Encoding\r\n" + std::string{kPolicy};
    if (head.if_none_match.find(tag.substr(2)) != std::string_view::npos) {
        response.status = 304;
    } else if (!file.gzip.empty() && accepts_gzip(head.accept_encoding)) {
        response.headers += "Content-Encoding: gzip\r\n";
        response.body = file.gzip;
    } else {
        response.body = content_of(file);
    }
    return response;
}

}  // namespace

std::string_view openapi_document() noexcept {
    const WebFile* file = find(web_files(), "openapi.json");
    return file == nullptr ? std::string_view{} : content_of(*file);
}

Result<Response> page_response(const WebFiles& web, std::string_view name,
                               const RequestHead& head) {
    const WebFile* file = find(web, name);
    if (file == nullptr) {
        return Error{ErrorCode::kInternal, "this build has no " + std::string{name} + " in it", {}};
    }
    return file_response(web, *file, head);
}

Result<Response> asset_response(const WebFiles& web, std::string_view path,
                                const RequestHead& head) {
    const std::size_t slash = path.find('/');
    const WebFile* file =
        slash == std::string_view::npos ? nullptr : find(web, path.substr(slash + 1));
    if (file == nullptr) {
        return Error{ErrorCode::kUnknownRoute, "the dashboard has no such file; load / again", {}};
    }
    Response response = file_response(web, *file, head);
    if (path.substr(0, slash) == web.hash) {
        response.cache_control = "public, max-age=31536000, immutable";
    }
    return response;
}

Result<Response> docs_response(const WebFiles& web, std::string_view name,
                               const RequestHead& head) {
    const WebFile* file = find(web, "docs/" + std::string{name} + ".html");
    if (file == nullptr) {
        return Error{
            ErrorCode::kUnknownRoute, "the documentation has no such page; /docs lists them", {}};
    }
    return file_response(web, *file, head);
}

bool accepts_gzip(std::string_view accept_encoding) noexcept {
    while (!accept_encoding.empty()) {
        const std::string_view item = accept_encoding.substr(0, accept_encoding.find(','));
        accept_encoding.remove_prefix(std::min(accept_encoding.size(), item.size() + 1));
        const std::size_t semicolon = std::min(item.find(';'), item.size());
        const std::string_view name = core::trimmed(item.substr(0, semicolon));
        if (name == "gzip" || name == "*") return !refused(item.substr(semicolon));
    }
    return false;
}

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#include "hook/places.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace headway::hook {
namespace {

constexpr std::string_view kReportSocket = "/report.sock";

bool starts_with_slash(const std::string& path) {
    return !path.empty() && path.front() == '/';
}

bool is_numeric(const std::string& host) {
    unsigned char address[16];
    return ::inet_pton(AF_INET, host.c_str(), address) == 1 ||
           ::inet_pton(AF_INET6, host.c_str(), address) == 1;
}

/// `127.0.0.1`, `127.0.0.1:7717`, `[::1]:7717`; false if it is none.
bool read_authority(std::string_view text, Place& place) {
    place.authority = text;
    std::string_view port;
    if (!text.empty() && text.front() == '[') {
        const std::size_t close = text.find(']');
        if (close == text.npos) return false;
        place.host = text.substr(1, close - 1);
        port = text.substr(close + 1);
    } else {
        const std::size_t colon = text.find(':');
        place.host = text.substr(0, colon);
        port = colon == text.npos ? std::string_view{} : text.substr(colon);
    }
    if (place.host.empty()) return false;
    if (port.empty()) return true;
    const char* const end = port.data() + port.size();
    const auto read = std::from_chars(port.data() + 1, end, place.port);
    return port.front() == ':' && read.ec == std::errc{} && read.ptr == end && place.port != 0;
}

UrlKind read_socket_url(std::string_view path, Place& place) {
    if (path.substr(0, 2) == "//") path.remove_prefix(2);
    const std::size_t slash = path.rfind('/');
    if (path.empty() || path.front() != '/') return UrlKind::kWrong;
    place = at_socket(std::string{path.substr(0, slash)}.append(kReportSocket));
    return UrlKind::kSocket;
}

bool is_plain(std::string_view text) {
    for (const char c : text) {
        if (c <= ' ' || c >= '\x7f' || c == '?' || c == '#') return false;
    }
    return true;
}

}  // namespace

std::string variable(Environment environment, const char* name) {
    const char* const text = environment(name);
    return text == nullptr ? std::string{} : std::string{text};
}

Place at_socket(std::string path) {
    Place place;
    place.socket = std::move(path);
    place.authority = "localhost";
    return place;
}

std::vector<std::string> default_sockets(Environment environment) {
    std::vector<std::string> paths;
    const auto add = [&](std::string folder, std::string_view below) {
        if (!starts_with_slash(folder)) return;
        folder.resize(folder.find(':') == folder.npos ? folder.size() : folder.find(':'));
        paths.push_back(std::move(folder.append(below).append(kReportSocket)));
    };
    add(variable(environment, "STATE_DIRECTORY"), "");
    const std::string state = variable(environment, "XDG_STATE_HOME");
    if (starts_with_slash(state)) {
        add(state, "/headway");
    } else {
        add(variable(environment, "HOME"), "/.local/state/headway");
    }
    add(variable(environment, "RUNTIME_DIRECTORY"), "");
    add(variable(environment, "XDG_RUNTIME_DIR"), "/headway");
    add("/run/headway", "");
    return paths;
}

UrlKind read_url(std::string_view url, Place& place) {
    constexpr std::string_view kHttp = "http://";
    constexpr std::string_view kHttps = "https://";
    constexpr std::string_view kUnix = "unix:";
    if (!is_plain(url)) return UrlKind::kWrong;
    if (url.substr(0, kUnix.size()) == kUnix) {
        return read_socket_url(url.substr(kUnix.size()), place);
    }
    if (url.substr(0, kHttps.size()) == kHttps) return UrlKind::kNeedsMore;
    if (url.substr(0, kHttp.size()) != kHttp) return UrlKind::kWrong;
    url.remove_prefix(kHttp.size());
    const std::size_t slash = std::min(url.find('/'), url.size());
    place.prefix = url.substr(slash);
    while (!place.prefix.empty() && place.prefix.back() == '/')
        place.prefix.pop_back();
    if (!read_authority(url.substr(0, slash), place)) return UrlKind::kWrong;
    if (place.host == "localhost") place.host = "127.0.0.1";
    return is_numeric(place.host) ? UrlKind::kNumeric : UrlKind::kNeedsMore;
}

}  // namespace headway::hook

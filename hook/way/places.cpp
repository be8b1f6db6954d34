// SPDX-License-Identifier: Apache-2.0
#include "hook/way/places.hpp"

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

bool has_only(std::string_view text, std::string_view punctuation) {
    return std::all_of(text.begin(), text.end(), [punctuation](char c) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return letter || (c >= '0' && c <= '9') || punctuation.find(c) != punctuation.npos;
    });
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
        if (place.host.find(':') == place.host.npos || !has_only(place.host, ":.")) return false;
    } else {
        const std::size_t colon = text.find(':');
        place.host = text.substr(0, colon);
        port = colon == text.npos ? std::string_view{} : text.substr(colon);
        if (!has_only(place.host, "._-")) return false;
    }
    if (place.host.empty()) return false;
    if (port.empty()) return true;
    const char* const end = port.data() + port.size();
    const auto read = std::from_chars(port.data() + 1, end, place.port);
    return port.front() == ':' && read.ec == std::errc{} && read.ptr == end && place.port != 0;
}

UrlKind read_socket_url(std::string_view path, Place& place) {
    if (path.substr(0, 2) == "//") path.remove_prefix(2);
    const bool absolute = path.substr(0, 1) == "/" && path.substr(0, 2) != "//";
    const bool plain = std::all_of(path.begin(), path.end(), [](unsigned char c) {
        return c >= ' ' && c != '"' && c != '\\' && c != 0x7F;
    });
    if (!absolute || !plain) return UrlKind::kWrong;
    place = at_socket(std::string{path.substr(0, path.rfind('/'))}.append(kReportSocket));
    return UrlKind::kSocket;
}

/// True if `url` begins with this scheme, in letters of any size, which is then cut off.
bool take_scheme(std::string_view& url, std::string_view scheme) {
    if (url.size() < scheme.size()) return false;
    for (std::size_t i = 0; i < scheme.size(); ++i) {
        const char c = url[i];
        if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c) != scheme[i]) return false;
    }
    url.remove_prefix(scheme.size());
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

std::string state_folder(Environment environment) {
    std::string folder = variable(environment, "STATE_DIRECTORY");
    if (!folder.empty()) return folder.substr(0, folder.find(':'));  // may be a list
    folder = variable(environment, "XDG_STATE_HOME");
    if (starts_with_slash(folder)) return folder.append("/headway");
    folder = variable(environment, "HOME");
    return folder.empty() ? folder : folder.append("/.local/state/headway");
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
    if (take_scheme(url, "unix:")) return read_socket_url(url, place);
    const bool secret = take_scheme(url, "https://");
    if (!secret) take_scheme(url, "http://");
    while (!url.empty() && url.back() == '/')
        url.remove_suffix(1);
    const std::size_t slash = std::min(url.find('/'), url.size());
    place.prefix = url.substr(slash);
    if (!has_only(place.prefix, "/._~!$&'()*+,;=:@%-")) return UrlKind::kWrong;
    if (place.prefix.find("//") != place.prefix.npos) return UrlKind::kWrong;
    if (!read_authority(url.substr(0, slash), place)) return UrlKind::kWrong;
    if (secret) return UrlKind::kNeedsMore;
    if (place.host == "localhost") place.host = "127.0.0.1";
    return is_numeric(place.host) ? UrlKind::kNumeric : UrlKind::kNeedsMore;
}

}  // namespace headway::hook

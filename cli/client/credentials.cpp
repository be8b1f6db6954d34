// SPDX-License-Identifier: Apache-2.0
#include "cli/client/credentials.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "cli/base/text.hpp"
#include "config/load/load.hpp"
#include "config/settings/address.hpp"
#include "config/values/read_file.hpp"
#include "core/text/words.hpp"
#include "system/file_descriptor.hpp"

namespace headway::cli {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr std::size_t kFileBytesMax = 4'096;

/// Nothing when it cannot be read.
std::optional<std::string> read_secret(const std::filesystem::path& file) {
    const std::optional<std::string> text = config::read_file(file, kFileBytesMax);
    if (!text) return std::nullopt;
    return std::string{core::trimmed(*text)};
}

/// It becomes a line of a header, so only visible characters may be in it.
Result<Credential> named(std::string token, const std::string& where) {
    const bool visible =
        std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 0x7f; });
    if (!token.empty() && visible) return Credential{std::move(token), false};
    return Error{ErrorCode::kInvalidParameter, clean_line(where) + " does not hold a token", where};
}

Result<Credential> named_file(const std::string& file, const std::string& where) {
    std::optional<std::string> text = read_secret(file);
    if (text) return named(*std::move(text), where + " \"" + file + "\"");
    return Error{ErrorCode::kInvalidParameter, where + ": cannot read \"" + clean_line(file) + "\"",
                 where};
}

}  // namespace

bool is_loopback(std::string_view url) {
    std::string_view host = url.substr(std::min(url.size(), url.find("://") + 3));
    host = host.substr(0, host.find('/'));
    if (host.find('@') != std::string_view::npos) return false;  // userinfo hides the host
    if (host.starts_with("[::1]")) return host.size() == 5 || host[5] == ':';
    host = host.substr(0, host.find(':'));
    return host == "localhost" || config::is_loopback_ipv4(host);
}

Result<std::string> find_ca_file(std::string_view flag,
                                 const std::map<std::string, std::string>& environment) {
    const auto variable = environment.find("HEADWAY_CA_FILE");
    std::string file{flag};
    if (file.empty() && variable != environment.end()) file = variable->second;
    const std::string where = flag.empty() ? "HEADWAY_CA_FILE" : "--ca-file";
    if (file.empty()) return file;
    const system::FileDescriptor readable{config::open_to_read(file)};
    if (readable.open()) return file;
    return Error{ErrorCode::kInvalidParameter, where + ": cannot read \"" + clean_line(file) + "\"",
                 where};
}

std::string socket_of(std::string_view url) {
    if (!url.starts_with("unix:")) return {};
    url.remove_prefix(5);
    if (url.starts_with("//")) url.remove_prefix(2);
    return std::string{url};
}

std::string find_socket_url(const std::map<std::string, std::string>& environment) {
    const std::string path = (config::state_directory({}, environment) / "headway.sock").string();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) return {};
    path.copy(address.sun_path, path.size());
    const system::FileDescriptor probe{
        ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (!probe.open()) return {};
    const auto* const where = reinterpret_cast<const sockaddr*>(&address);
    return ::connect(probe.get(), where, sizeof address) == 0 ? "unix:" + path : std::string{};
}

Result<Credential> find_credential(std::string_view flag, std::string_view url,
                                   const std::map<std::string, std::string>& environment) {
    const auto variable = [&](const char* name) {
        const auto found = environment.find(name);
        return found == environment.end() ? std::string{} : found->second;
    };
    if (!flag.empty()) return named_file(std::string{flag}, "--token-file");
    if (std::string token{core::trimmed(variable("HEADWAY_TOKEN"))}; !token.empty()) {
        return named(std::move(token), "HEADWAY_TOKEN");
    }
    if (const std::string file = variable("HEADWAY_TOKEN_FILE"); !file.empty()) {
        return named_file(file, "HEADWAY_TOKEN_FILE");
    }
    if (!is_loopback(url)) return Credential{};
    const auto file = config::state_directory({}, environment) / "operator.token";
    Credential credential;
    credential.looked_in = file.string();
    struct stat about {};
    if (::stat(file.c_str(), &about) != 0) return credential;
    credential.owner = about.st_uid;
    const auto text = read_secret(file);
    if (!text) return credential;
    if (const auto operators = named(*text, "operator.token")) {  // else not ours to judge
        credential.token = operators->token;
        credential.found = true;
    }
    return credential;
}

}  // namespace headway::cli

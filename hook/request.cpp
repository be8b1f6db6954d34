// SPDX-License-Identifier: Apache-2.0
#include "hook/request.hpp"

#include "hook/bytes.hpp"

namespace headway::hook {
namespace {

constexpr std::size_t kSessionBytesMax = 128;
constexpr std::size_t kTokenBytesMax = 512;
constexpr std::size_t kFactBytesMax = 64;
constexpr std::size_t kUseBytesMax = 4096;  // the daemon takes a head of 8 KiB
constexpr std::string_view kOperatorsToken = "hw_operator_";

void add(std::string& head, std::string_view name, std::string_view value,
         std::size_t size_max = kFactBytesMax) {
    if (!fits_header(value, size_max)) return;
    head.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

std::string request_head(const Options& options, const Place& place, const Facts& facts,
                         std::size_t body_bytes) {
    std::string head = "POST " + place.prefix + "/v1/hooks/" + options.agent + " HTTP/1.1\r\n";
    add(head, "Host", place.authority, kSessionBytesMax);
    head += "Content-Type: application/json\r\nConnection: close\r\n";
    add(head, "Content-Length", std::to_string(body_bytes));
    add(head, "X-Headway-Session", facts.session, kSessionBytesMax);
    add(head, "X-Headway-Agent-Version", options.agent_version);
    add(head, "X-Headway-Agent-Pid", facts.agent.pid);
    add(head, "X-Headway-Agent-Start", facts.agent.start);
    add(head, "X-Headway-Agent-Boot", facts.agent.boot);
    add(head, "X-Headway-Agent-Pid-Ns", facts.agent.pid_ns);
    add(head, "X-Headway-Exit-Code", facts.exit_code);
    add(head, "X-Headway-Usage", facts.use, kUseBytesMax);
    if (place.socket.empty() && fits_header(facts.token, kTokenBytesMax)) {
        head.append("Authorization: Bearer ").append(facts.token).append("\r\n");
    }
    return head += "\r\n";
}

std::string find_token(const Options& options, Environment environment) {
    std::string token = options.token_file.empty()
                            ? trimmed_line(variable(environment, "HEADWAY_TOKEN"))
                            : trimmed_line(read_small_file(options.token_file));
    if (token.substr(0, kOperatorsToken.size()) == kOperatorsToken) token.clear();
    return token;
}

}  // namespace headway::hook

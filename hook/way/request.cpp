// SPDX-License-Identifier: Apache-2.0
#include "hook/way/request.hpp"

#include "hook/text/answers.hpp"
#include "hook/text/bytes.hpp"
#include "hook/text/rollout.hpp"
#include "hook/way/use.hpp"

namespace headway::hook {
namespace {

constexpr std::size_t kSessionBytesMax = 128;
constexpr std::size_t kUrlBytesMax = 256;
constexpr std::size_t kTokenBytesMax = 512;
constexpr std::size_t kFactBytesMax = 64;
constexpr std::size_t kGoalBytesMax = 4'000;
constexpr std::string_view kOperatorsToken = "hw_operator_";

void add(std::vector<std::string>& fields, std::string_view name, std::string_view value,
         std::size_t size_max = kFactBytesMax) {
    if (!fits_header(value, size_max)) return;
    std::string& field = fields.emplace_back(name);
    field.append(": ").append(value);
}

}  // namespace

bool find_facts(const Options& options, bool by_socket, Environment environment, std::string& body,
                Facts& facts) {
    facts.use = use_of(options.agent, body);
    facts.error = turn_error_of(options.agent, body);  // written by now, as the use is
    if (options.agent == "codex") facts.exit_code = codex_exit_code(body);
    if (options.usage) {
        body = use_body(body);
        if (body.empty() || facts.use.empty()) return false;
    } else {
        // A process that an agent starts beside its calls may have lost it as an ancestor.
        facts.agent = find_agent();
    }
    facts.session = variable(environment, "HEADWAY_SESSION");
    facts.run_url = variable(environment, "HEADWAY_URL");
    if (!by_socket) facts.token = find_token(options, environment);
    return true;
}

std::string hook_path(const Options& options) {
    const bool require = options.require && !options.usage;
    return "/v1/hooks/" + options.agent + (require ? "?require=1" : "");
}

std::vector<std::string> fact_fields(const Options& options, const Facts& facts, bool by_socket) {
    std::vector<std::string> fields;
    add(fields, "X-Headway-Session", facts.session, kSessionBytesMax);
    add(fields, "X-Headway-Url", facts.run_url, kUrlBytesMax);
    add(fields, "X-Headway-Agent-Version", options.agent_version);
    add(fields, "X-Headway-Agent-Pid", facts.agent.pid);
    add(fields, "X-Headway-Agent-Start", facts.agent.start);
    add(fields, "X-Headway-Agent-Boot", facts.agent.boot);
    add(fields, "X-Headway-Agent-Pid-Ns", facts.agent.pid_ns);
    add(fields, "X-Headway-Exit-Code", facts.exit_code);
    add(fields, "X-Headway-Error-Class", facts.error.error_class);
    add(fields, "X-Headway-Error-Status", facts.error.status);
    add(fields, "X-Headway-Retry-At", facts.error.retry_at);
    add(fields, "X-Headway-Usage", facts.use, kUseBytesMax);
    add(fields, "X-Headway-Goal", facts.goal, kGoalBytesMax);
    if (!by_socket && fits_header(facts.token, kTokenBytesMax))
        fields.push_back("Authorization: Bearer " + facts.token);
    return fields;
}

std::string request_head(const Options& options, const Place& place, const Facts& facts,
                         std::size_t body_bytes) {
    std::string head = "POST " + place.prefix + hook_path(options) + " HTTP/1.1\r\n";
    if (fits_header(place.authority, kSessionBytesMax))
        head.append("Host: ").append(place.authority).append("\r\n");
    head += "Content-Type: application/json\r\nConnection: close\r\n";
    head += "Content-Length: " + std::to_string(body_bytes) + "\r\n";
    for (const std::string& field : fact_fields(options, facts, !place.socket.empty()))
        head.append(field).append("\r\n");
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

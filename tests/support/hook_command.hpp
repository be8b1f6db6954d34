// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "api/hooks/report.hpp"
#include "server/engine/hooks/hook_commands.hpp"

namespace headway::tests {

/// The command of a hook of `session`; `members` is its JSON without the braces, in the dialect.
inline server::HookCommand hook_command(const std::string& members,
                                        const std::string& dialect = "generic",
                                        const std::string& session = "s") {
    api::JsonDocument document;
    REQUIRE(document.parse(R"({"session":"1","session_id":"1",)" + members + "}").has_value());
    server::HookCommand command;
    command.call.dialect = api::hooks::find_dialect(dialect);
    command.call.hook = command.call.dialect->parse(document.root(), {});
    command.session = session;
    command.about.agent.type = dialect;
    auto report = api::hooks::take_report(document, command.call.hook);
    REQUIRE(report.has_value());
    command.events = std::move(report->decoded.events);
    command.whole_args = std::move(report->decoded.whole_args);
    command.call.args_digest = std::move(report->args_digest);
    command.dialog = std::move(report->dialog);
    command.untold = std::move(report->untold);
    return command;
}

}  // namespace headway::tests

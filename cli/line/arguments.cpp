// SPDX-License-Identifier: Apache-2.0
#include "cli/line/arguments.hpp"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "api/decode/decode.hpp"
#include "cli/base/text.hpp"
#include "cli/client/client_options.hpp"
#include "config/load/load.hpp"
#include "config/values/duration.hpp"

namespace headway::cli {
namespace {

using Form = ArgumentSpec::Form;
using Values = std::vector<std::string>;

// Numbers as the C library reads them: decimal, 0x, or octal after a 0. No text is the value zero.
bool read(const std::string& text, std::uint64_t& number) {
    if (text.empty()) {
        number = 0;
        return true;
    }
    char* end = nullptr;
    errno = 0;
    number = std::strtoull(text.c_str(), &end, 0);
    // It takes "-5" for 2^64 - 5.
    return end == text.c_str() + text.size() && errno == 0 && text.find('-') == text.npos;
}

bool read(const std::string& text, double& number) {
    if (text.empty()) {
        number = 0;
        return true;
    }
    char* end = nullptr;
    number = static_cast<double>(std::strtold(text.c_str(), &end));
    return end == text.c_str() + text.size() && std::isfinite(number);
}

template <class Number>
bool read(const std::string& text, std::optional<Number>& number) {
    number.reset();
    if (text.empty()) return true;
    Number value{};
    if (!read(text, value)) return false;
    number = value;
    return true;
}

/// The message for a text that is no such number.
std::string no_number(const std::string& text, const std::uint64_t&) {
    return clean_line(text) + " is no whole number of 0 and above";
}
std::string no_number(const std::string& text, const double&) {
    return clean_line(text) + " is no number";
}
template <class Number>
std::string no_number(const std::string& text, const std::optional<Number>&) {
    return no_number(text, Number{});
}

template <class Number>
std::function<std::string(const Values&)> into(Number& target) {
    return [&target](const Values& values) {
        return read(values.front(), target) ? std::string{} : no_number(values.front(), target);
    };
}

template <class Duration>
std::function<std::string(const Values&)> into_duration(Duration& target) {
    return [&target](const Values& values) -> std::string {
        const core::Result<milliseconds> duration = config::parse_duration(values.front());
        if (!duration) return duration.error().detail;
        target = *duration;
        return {};
    };
}

std::function<std::string(const Values&)> into_text(std::string& target) {
    return [&target](const Values& values) {
        target = values.front();
        return std::string{};
    };
}

std::function<std::string(const Values&)> into_list(Values& target) {
    return [&target](const Values& values) {
        target = values;
        return std::string{};
    };
}

std::string shown(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", number);
    return text;
}

}  // namespace

Argument& Argument::type(std::string name) {
    spec_.type = std::move(name);
    const bool path = spec_.type == "FILE" || spec_.type == "DIR" || spec_.type == "FOLDER";
    return path ? never_empty() : *this;
}

Argument& Argument::may_be_empty() {
    return check({});
}

Argument& Argument::never_empty() {
    return check([](const std::string& text) {
        return text.empty() ? std::string{"is empty: is a variable unset?"} : std::string{};
    });
}

Argument& Argument::connection() {
    spec_.connection = true;
    return *this;
}

Argument& Argument::required() {
    spec_.required = true;
    return *this;
}

Argument& Argument::choices(std::vector<std::string> values) {
    spec_.choices = std::move(values);
    return *this;
}

Argument& Argument::check(std::function<std::string(const std::string&)> check) {
    spec_.check = std::move(check);
    return *this;
}

Argument& Argument::range(int min, int max) {
    spec_.int_range = {min, max};
    return *this;
}

Argument& Argument::range(double min, double max) {
    spec_.real_range = {min, max};
    return *this;
}

Argument& Argument::separator(char separator) {
    spec_.separator = separator;
    return *this;
}

Argument& Argument::excludes(std::string name) {
    spec_.excludes.push_back(std::move(name));
    return *this;
}

Argument& Argument::needs(std::string name) {
    spec_.needs.push_back(std::move(name));
    return *this;
}

Argument& Argument::fallback(std::string text) {
    spec_.fallback = std::move(text);
    return *this;
}

Argument& Argument::show_default() {
    return fallback(initial_);
}

Argument& Argument::initially(std::string text) {
    initial_ = std::move(text);
    return *this;
}

Arguments::Arguments(VerbSpec& verb) : verb_(&verb) {
    add(Form::kHelp, "-h,--help", "Print this help message and exit");
}

Arguments& Arguments::help(std::string text) {
    verb_->help = std::move(text);
    return *this;
}

Arguments& Arguments::footer(std::string text) {
    verb_->footer = std::move(text);
    return *this;
}

Arguments& Arguments::hidden() {
    verb_->hidden = true;
    return *this;
}

Argument Arguments::flag(const char* names, bool& target, const char* help) {
    ArgumentSpec& spec = add(Form::kFlag, names, help);
    spec.set = [&target](const Values& values) {
        target = values.front() == "true";
        return std::string{};
    };
    return Argument(spec);
}

Argument Arguments::flag(const char* names, std::function<void()> chosen, const char* help) {
    ArgumentSpec& spec = add(Form::kFlag, names, help);
    spec.set = [chosen = std::move(chosen)](const Values& values) {
        if (values.front() == "true") chosen();
        return std::string{};
    };
    return Argument(spec);
}

Argument Arguments::value_flag(const char* names, std::string& target, const char* help) {
    ArgumentSpec& spec = add(Form::kValueFlag, names, help);
    spec.set = into_text(target);
    return Argument(spec);
}

Argument Arguments::option(const char* names, std::string& target, const char* help) {
    ArgumentSpec& spec = add(Form::kOption, names, help);
    spec.set = into_text(target);
    return Argument(spec).initially(target);
}

Argument Arguments::option(const char* names, std::uint64_t& target, const char* help) {
    ArgumentSpec& spec = add(Form::kOption, names, help);
    spec.set = into(target);
    return Argument(spec).type("UINT").initially(std::to_string(target));
}

Argument Arguments::option(const char* names, std::optional<std::uint64_t>& target,
                           const char* help) {
    ArgumentSpec& spec = add(Form::kOption, names, help);
    spec.set = into(target);
    return Argument(spec).type("UINT");
}

Argument Arguments::option(const char* names, double& target, const char* help) {
    ArgumentSpec& spec = add(Form::kOption, names, help);
    spec.set = into(target);
    return Argument(spec).type("FLOAT").initially(shown(target));
}

Argument Arguments::option(const char* names, std::optional<double>& target, const char* help) {
    ArgumentSpec& spec = add(Form::kOption, names, help);
    spec.set = into(target);
    return Argument(spec).type("FLOAT");
}

Argument Arguments::option(const char* names, std::vector<std::string>& target, const char* help) {
    ArgumentSpec& spec = add(Form::kOption, names, help);
    spec.repeats = true;
    spec.set = into_list(target);
    return Argument(spec);
}

Argument Arguments::option(const char* names, std::function<std::string(const std::string&)> set,
                           const char* help) {
    ArgumentSpec& spec = add(Form::kOption, names, help);
    spec.set = [set = std::move(set)](const Values& values) { return set(values.front()); };
    return Argument(spec);
}

Argument Arguments::duration(const char* names, std::optional<milliseconds>& target,
                             const char* help) {
    ArgumentSpec& spec = add(Form::kOption, names, help);
    spec.set = into_duration(target);
    return Argument(spec).type("DURATION");
}

Argument Arguments::duration(const char* names, milliseconds& target, const char* help) {
    ArgumentSpec& spec = add(Form::kOption, names, help);
    spec.set = into_duration(target);
    return Argument(spec).type("DURATION").fallback(config::print_duration(target));
}

Argument Arguments::operand(const char* name, std::string& target, const char* help) {
    ArgumentSpec& spec = add(Form::kOperand, name, help);
    spec.set = into_text(target);
    return Argument(spec);
}

Argument Arguments::operand(const char* name, std::vector<std::string>& target, const char* help) {
    ArgumentSpec& spec = add(Form::kOperand, name, help);
    spec.repeats = true;
    spec.set = into_list(target);
    return Argument(spec);
}

Argument Arguments::session(std::string& target, const char* help) {
    return operand("SESSION", target, help).check(session_id_fault);
}

void Arguments::client(ClientOptions& client) {
    option("--url", client.url, "URL of the daemon").connection();
    option("--token-file", client.token_file, "file that holds the token")
        .type("FILE")
        .connection();
    option("--state-dir", client.state_dir, "state directory of a daemon on this machine")
        .type("DIR")
        .connection();
    option("--ca-file", client.ca_file, "PEM file of certificates to trust over https")
        .type("FILE")
        .connection();
    json(client.json);
    uses_daemon(client);
}

void Arguments::uses_daemon(ClientOptions& client, std::function<bool()> needed) {
    verb_->client = &client;
    verb_->needs_daemon = std::move(needed);
}

void Arguments::without_socket() {
    verb_->by_socket = false;
}

void Arguments::sources(config::LoadRequest& sources) {
    verb_->sources = &sources;
    const auto file = [&sources](const std::string& path) {
        sources.file = path;
        return std::string{};
    };
    option("--config", file,
           "settings file (default: HEADWAY_CONFIG, else the first of "
           "~/.config/headway/headway.toml, /etc/headway/headway.toml)")
        .type("FILE");
    ArgumentSpec& set = add(Form::kOption, "--set",
                            "any setting, as in --set policy.heartbeat_interval=5s; repeatable");
    set.type = "KEY=VALUE";
    set.repeats = true;
    set.set = [&sources](const Values& pairs) -> std::string {
        for (const std::string& pair : pairs) {
            const std::size_t equals = pair.find('=');
            if (equals == 0 || equals == std::string::npos)
                return "\"" + pair + "\" is not KEY=VALUE";
            sources.flags[pair.substr(0, equals)] = pair.substr(equals + 1);
        }
        return {};
    };
}

void Arguments::daemon_settings(config::LoadRequest& request) {
    setting("--listen", "server.listen", request,
            "HOST:PORT (default: 127.0.0.1:7717); port 0: any free one");
    setting("--state-dir", "storage.state_dir", request, "the state directory").never_empty();
    setting("--store", "storage.store", request,
            "PostgreSQL database (postgresql://...) that several daemons can share");
    sources(request);
}

Argument Arguments::setting(const char* names, const char* key, config::LoadRequest& sources,
                            const char* help) {
    const auto store = [&sources, key](const std::string& value) {
        sources.flags[key] = value;
        return std::string{};
    };
    return option(names, store, help);
}

Argument Arguments::json(bool& target) {
    return flag("--json", target, "print JSON for programs");
}

Arguments Arguments::verb(const char* name, const char* help, std::function<void()> chosen) {
    VerbSpec& below = verb_->verbs.emplace_back();
    below.name = name;
    below.help = help;
    below.footer = verb_->footer;
    below.chosen = std::move(chosen);
    return Arguments(below);
}

void Arguments::command(std::function<void(std::vector<std::string>)> take) {
    verb_->command = std::move(take);
}

void Arguments::finally(std::function<std::optional<Mistake>()> finish) {
    verb_->finish = std::move(finish);
}

ArgumentSpec& Arguments::add(ArgumentSpec::Form form, const char* names, const char* help) {
    ArgumentSpec& spec = verb_->arguments.emplace_back();
    spec.form = form;
    spec.help = help;
    if (spec.takes_value()) spec.type = "TEXT";
    spec.names = split(names, ',');
    return spec;
}

std::string session_id_fault(const std::string& id) {
    if (api::valid_id(id)) return {};
    return "\"" + clean_line(id) +
           "\" is no session id: that is 1 to 128 of A-Z a-z 0-9 . _ ~ : - and not . or ..";
}

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "api/admin/backup.hpp"
#include "api/admin/logins.hpp"
#include "api/admin/webhooks.hpp"
#include "api/decode/bodies.hpp"
#include "api/decode/decode_approvals.hpp"
#include "api/decode/decode_checks.hpp"
#include "api/decode/problem.hpp"
#include "api/json/json_writer.hpp"
#include "core/approvals/approvals.hpp"
#include "core/detectors/detectors.hpp"
#include "core/events/event.hpp"
#include "core/hooks/hook_channel.hpp"
#include "core/outbound/webhook_format.hpp"
#include "core/views/wait.hpp"
#include "server/endpoints/routing/handlers.hpp"

// A program of the build: it prints the tables that the daemon routes, decodes and encodes by, for
// api/openapi/document.py. It is linked without the handlers that the rows of the routes name.

namespace headway::server {
namespace {

/// The last part of T's name, by the only way that a compiler prints it.
template <class T>
std::string_view type_name() {
    std::string_view text = __PRETTY_FUNCTION__;
    text = text.substr(text.find("T = ") + 4);
    text = text.substr(0, text.find_first_of(";]"));
    return text.substr(text.rfind(':') + 1);
}

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = true;

/// Empty for structures, enumerations, lists and what may be absent.
template <class T>
constexpr std::string_view plain_name() {
    if (std::is_same_v<T, bool>) return "bool";
    if (std::is_same_v<T, double>) return "number";
    if (std::is_same_v<T, std::string>) return "string";
    if (std::is_same_v<T, core::Text>) return "Text";
    if (std::is_same_v<T, core::Json>) return "Json";
    if (std::is_same_v<T, core::ExactJson>) return "ExactJson";
    if (std::is_same_v<T, core::Timestamp>) return "Time";
    if (std::is_same_v<T, std::vector<core::Label>>) return "Labels";
    if (std::unsigned_integral<T> || std::is_same_v<T, core::Millis>) return "uint";
    return {};
}

struct Tables {
    std::map<std::string, std::string, std::less<>> structures;  ///< name -> JSON of its fields
    std::map<std::string, std::string, std::less<>> words;  ///< enumeration -> JSON of its names

    template <core::NamedEnum E>
    std::string add() {
        std::string name{type_name<E>()};
        std::string out;
        api::JsonWriter json{out};
        json.open_array();
        for (std::string_view word : core::EnumNames<E>::kNames)
            json.value(word);
        json.close_array();
        words[name] = std::move(out);
        return name;
    }

    template <core::Described T>
    std::string add() {
        std::string name{type_name<T>()};
        if (structures.contains(name)) return name;
        std::string& place = structures[name];
        std::string out;
        api::JsonWriter json{out};
        json.open_array();
        core::for_each_field<T>([&](const auto& field, std::size_t) {
            if (field.internal) return;
            using Member = std::remove_cvref_t<decltype(std::declval<T>().*(field.member))>;
            json.open_object();
            json.member("name", field.name);
            json.member("type", of<Member>());
            json.member("required", field.required);
            json.close_object();
        });
        json.close_array();
        place = std::move(out);
        return name;
    }

    /// The type of a member as document.py reads it.
    template <class T>
    std::string of() {
        if constexpr (!plain_name<T>().empty()) {
            return std::string{plain_name<T>()};
        } else if constexpr (kIsOptional<T>) {
            return of<typename T::value_type>() + "?";
        } else if constexpr (kIsList<T>) {
            return "[" + of<typename T::value_type>() + "]";
        } else {
            return add<T>();
        }
    }
};

template <class... Payloads>
void append_events(api::JsonWriter& json, Tables& tables, std::variant<Payloads...>*) {
    json.key("events");
    json.open_array();
    const auto one = [&]<class P>(P*) {
        json.open_object();
        json.member("type", P::kType);
        json.member("data", tables.of<P>());
        json.member("reported", core::reportable(P::kType));
        json.close_object();
    };
    (one(static_cast<Payloads*>(nullptr)), ...);
    json.close_array();
}

void append_problems(api::JsonWriter& json) {
    constexpr int kLast = static_cast<int>(core::ErrorCode::kUnknownDelivery);
    json.key("problems");
    json.open_array();
    for (int code = 0; code <= kLast; ++code)
        json.value(api::problem_kind(static_cast<core::ErrorCode>(code)).code);
    json.close_array();
}

void append_named(api::JsonWriter& json, std::string_view name, const auto& documents) {
    json.key(name);
    json.open_object();
    for (const auto& [key, document] : documents) {
        json.key(key);
        json.raw(document);
    }
    json.close_object();
}

template <class... Ts>
void add_all(Tables& tables) {
    (tables.of<Ts>(), ...);
}

std::string all_tables() {
    std::string out;
    api::JsonWriter json{out};
    Tables tables;
    json.open_object();
    json.key("routes");
    json.raw(route_table_document());
    append_events(json, tables, static_cast<core::AnyPayload*>(nullptr));
    append_problems(json);
    // Bodies and words that no event has.
    add_all<api::OpenBody, api::PauseBody, api::NudgeBody, api::ChangeBody, api::DayBody,
            api::DecisionBody, api::RedeemBody, api::DecodedRevoke, api::DecodedAcknowledge,
            api::DecodedApproveAgent, api::DecodedCheck, api::LoginBody, api::ReplayBody,
            api::BackupBody, core::ApprovalStatus, core::ChannelHealth, core::EventType,
            core::LegacyMode, core::WaitCause, core::WebhookFormat>(tables);
    append_named(json, "structures", tables.structures);
    append_named(json, "words", tables.words);
    json.close_object();
    return out;
}

}  // namespace
}  // namespace headway::server

int main() {
    const std::string tables = headway::server::all_tables();
    return std::fwrite(tables.data(), 1, tables.size(), stdout) == tables.size() ? 0 : 1;
}

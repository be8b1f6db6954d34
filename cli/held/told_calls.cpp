// SPDX-License-Identifier: Apache-2.0
#include "cli/held/told_calls.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/lines/line_words.hpp"
#include "core/text/words.hpp"

namespace headway::cli {
namespace {

/// The first time that is near to a line's; nothing: any.
SteadyTime first_near(std::optional<SteadyTime> at) {
    return at ? *at - ToldCalls::kNear : SteadyTime::min();
}

bool is_near(SteadyTime told, std::optional<SteadyTime> at) {
    return !at || told == SteadyTime::max() || told - *at <= ToldCalls::kNear;
}

}  // namespace

bool is_call(const std::string& type) {
    return type == "tool.started" || type == "tool.finished";
}

std::string essence_of(const Json& call) {
    static constexpr std::array<std::string_view, 5> kShells{"bash", "shell", "run_shell_command",
                                                             "exec_command", "local_shell"};
    const std::string tool = core::lower(call.text_of("tool"));
    const Json& command = call["args"]["command"];
    const bool shell = std::find(kShells.begin(), kShells.end(), tool) != kShells.end();
    return shell && command.is_string() ? "$ " + std::string(inner_command(command.text())) : tool;
}

bool ToldCalls::Call::is_free() const {
    return taken < std::max({started, finished, std::uint64_t{1}});  // or only asked for
}

void ToldCalls::enter(const std::string& id, const Call& call) {
    if (!call.is_free()) return;
    alike_.emplace(call.essence, call.at, id);
    free_.emplace(call.at, id);
}

void ToldCalls::leave(const std::string& id, const Call& call) {
    alike_.erase({call.essence, call.at, id});
    free_.erase({call.at, id});
}

void ToldCalls::note(const std::string& type, const Json& data, SteadyTime at) {
    const bool asked = type == "approval.requested";
    const std::string& id = data.text_of("call_id");
    if ((!asked && !is_call(type)) || id.empty()) return;
    const auto [place, fresh] = calls_.try_emplace(id);
    Call& call = place->second;
    if (!fresh) leave(id, call);
    call.essence = essence_of(data);
    call.asked = call.asked || asked;
    if (type == "tool.started") ++call.started;
    if (type == "tool.finished") ++call.finished;
    call.at = call.asked && call.finished == 0 ? SteadyTime::max() : at;
    enter(id, call);
    if (!fresh) return;
    order_.push_back(id);
    if (order_.size() <= kCallsMax) return;
    const auto oldest = calls_.find(order_.front());
    leave(oldest->first, oldest->second);
    calls_.erase(oldest);
    order_.pop_front();
}

std::string ToldCalls::take(const std::string& id) {
    const auto place = calls_.find(id);
    leave(place->first, place->second);
    ++place->second.taken;
    enter(place->first, place->second);
    return place->first;
}

std::optional<std::string> ToldCalls::take_same(const std::string& id) {
    const auto same = calls_.find(id);
    if (same == calls_.end() || !same->second.is_free()) return std::nullopt;
    return take(same->first);
}

std::optional<std::string> ToldCalls::take_like(const std::string& essence,
                                                std::optional<SteadyTime> at) {
    for (const SteadyTime from : {first_near(at), SteadyTime::max()}) {
        const auto found = alike_.lower_bound({essence, from, {}});
        if (found == alike_.end() || std::get<0>(*found) != essence) return std::nullopt;
        if (is_near(std::get<1>(*found), at)) return take(std::string(std::get<2>(*found)));
    }
    return std::nullopt;
}

std::optional<std::string> ToldCalls::take_any(std::optional<SteadyTime> at) {
    for (const SteadyTime from : {first_near(at), SteadyTime::max()}) {
        const auto found = free_.lower_bound({from, {}});
        if (found == free_.end()) return std::nullopt;
        if (is_near(found->first, at)) return take(std::string(found->second));
    }
    return std::nullopt;
}

bool ToldCalls::has_run(const std::string& id) const {
    const auto call = calls_.find(id);
    return call == calls_.end() || call->second.started + call->second.finished > 0;
}

}  // namespace headway::cli

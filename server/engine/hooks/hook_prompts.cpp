// SPDX-License-Identifier: Apache-2.0
#include "server/engine/hooks/hook_prompts.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

#include "core/text/text.hpp"
#include "core/text/words.hpp"

namespace headway::server {
namespace {

using api::hooks::Hook;
using api::hooks::HookKind;

/// Timers of a session and loops of a person; an agent names at most 32 of the former.
constexpr std::size_t kPromptsMax = 48;

PromptFingerprint fingerprint_of(std::string_view prompt) {
    // Claude Code cuts the prompts that it names: "... [+120 chars]".
    constexpr std::string_view kCut = "\u2026 [+";
    PromptFingerprint fingerprint;
    prompt = core::trimmed(prompt);
    const std::size_t cut = prompt.ends_with("]") ? prompt.rfind(kCut) : prompt.npos;
    fingerprint.whole = cut == prompt.npos;
    prompt = core::trimmed(prompt.substr(0, cut));
    fingerprint.bytes = prompt.size();
    fingerprint.digest = core::digest_of(prompt).low;
    constexpr std::size_t kCutBytesMin = 40;  // a shorter beginning is that of many prompts
    if (!fingerprint.whole && fingerprint.bytes < kCutBytesMin) fingerprint.bytes = 0;
    return fingerprint;
}

bool repeats(const PromptFingerprint& known, std::string_view prompt) {
    prompt = core::trimmed(prompt);
    const bool may = known.whole ? prompt.size() == known.bytes : prompt.size() >= known.bytes;
    return may && known.bytes > 0 &&
           core::digest_of(prompt.substr(0, known.bytes)).low == known.digest;
}

/// Where the words begin of a command that starts a loop, behind its name and interval:
/// "/loop 10m look at the build". npos for anything else.
std::size_t words_of_loop(std::string_view text) {
    constexpr std::array<std::string_view, 3> kLoops{"/loop ", "/schedule ", "/proactive "};
    for (const std::string_view name : kLoops) {
        if (!text.starts_with(name)) continue;
        const std::size_t begin = text.find_first_not_of(' ', name.size());
        if (begin == text.npos) return text.npos;
        const bool interval = text[begin] >= '0' && text[begin] <= '9';
        if (!interval) return begin;
        const std::size_t end = text.find(' ', begin);
        return end == text.npos ? end : text.find_first_not_of(' ', end);
    }
    return text.npos;
}

void add(std::vector<PromptFingerprint>& known, PromptFingerprint fingerprint) {
    if (fingerprint.bytes == 0 || std::find(known.begin(), known.end(), fingerprint) != known.end())
        return;
    if (known.size() >= kPromptsMax) known.erase(known.begin());
    known.push_back(fingerprint);
}

void add_loop(Resident& resident, std::string_view text) {
    text = core::trimmed(text);
    const std::size_t words = words_of_loop(text);
    if (words == text.npos) return;
    auto& known = resident.hooks.change().wake_prompts;
    for (const std::string_view prompt : {text, text.substr(words)}) {
        PromptFingerprint fingerprint = fingerprint_of(prompt);
        fingerprint.of_loop = true;
        add(known, fingerprint);
    }
}

}  // namespace

void note_prompts(Resident& resident, const Hook& hook) {
    if (hook.kind == HookKind::kPrompt && !hook.synthetic) return add_loop(resident, hook.text);
    if (hook.kind != HookKind::kStop) return;
    if (hook.wake_prompts.empty() && resident.hooks->wake_prompts.empty()) return;
    auto& known = resident.hooks.change().wake_prompts;
    std::erase_if(known, [](const PromptFingerprint& fingerprint) { return !fingerprint.of_loop; });
    for (const std::string& prompt : hook.wake_prompts)
        add(known, fingerprint_of(prompt));
}

void mark_wake_up(const Resident& resident, HookCommand& command) {
    Hook& hook = command.call.hook;
    if (hook.kind != HookKind::kPrompt || hook.synthetic || hook.typed) return;
    const auto& known = resident.hooks->wake_prompts;
    const bool again = std::any_of(
        known.begin(), known.end(),
        [&hook](const PromptFingerprint& fingerprint) { return repeats(fingerprint, hook.text); });
    if (!again) return;
    hook.synthetic = hook.wake_up = true;
    for (core::Event& event : command.events) {
        auto* message = std::get_if<core::Message>(&event.payload);
        if (message == nullptr) continue;
        message->role = "system";
        message->wake_up = true;
    }
}

}  // namespace headway::server

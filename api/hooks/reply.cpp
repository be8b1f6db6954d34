// SPDX-License-Identifier: Apache-2.0
#include "api/hooks/reply.hpp"

#include "core/text/text.hpp"

namespace headway::api::hooks {
namespace {

// Agents that cannot be stopped obeyed this sentence.
constexpr std::string_view kStopSentence = "STOP. Call no more tools; give your final answer now.";
constexpr std::string_view kStopped = "This session was stopped.";
constexpr std::string_view kUndecided =
    "No decision about this call has been made yet. Do something else and try it again later.";
constexpr std::string_view kEdited =
    "This call was allowed with other arguments. Make it again with exactly these:\n";
constexpr std::string_view kEditedLong =
    "This call was allowed with other arguments, which are too long to repeat here. Ask the person "
    "who decided for them.";

std::string cut_reply(std::string_view text) {
    return core::shortened(text, kReplyTextBytesMax);
}

/// `first` and `second` as two paragraphs; where both are too long, each keeps its half.
std::string paragraphs(std::string_view first, std::string_view second) {
    if (second.empty()) return cut_reply(first);
    if (first.empty()) return cut_reply(second);
    constexpr std::string_view kGap = "\n\n";
    constexpr std::size_t kRoom = kReplyTextBytesMax - kGap.size();
    const std::size_t spare = first.size() < kRoom / 2 ? kRoom - first.size() : kRoom / 2;
    const std::string end = core::shortened(second, spare);
    return core::shortened(first, kRoom - end.size()).append(kGap).append(end);
}

}  // namespace

bool stops(const HookReply& reply) {
    return reply.stop_hard || !reply.stop.empty();
}

bool refuses(const HookReply& reply) {
    return stops(reply) || (!reply.deny.empty() && !reply.undecided);
}

std::string stop_words(const HookReply& reply) {
    return cut_reply(reply.stop.empty() ? kStopped : std::string_view{reply.stop});
}

std::string allow_words(const HookReply& reply) {
    return cut_reply(reply.allow);
}

std::string answer_words(const HookReply& reply) {
    return cut_reply(reply.answer);
}

std::string refusal_words(const HookReply& reply) {
    std::string why;
    if (stops(reply)) {
        why.append(kStopSentence).append(reply.stop.empty() ? "" : " ").append(reply.stop);
    } else {
        why = reply.deny.empty() ? kUndecided : std::string_view{reply.deny};
    }
    return paragraphs(why, context_words(reply));
}

std::string go_on_words(const Hook& hook, const HookReply& reply) {
    return hook.kind == HookKind::kStop && !stops(reply) ? cut_reply(reply.go_on) : std::string{};
}

std::string context_words(const HookReply& reply) {
    return paragraphs(reply.context, reply.system);
}

std::string edit_words(const HookReply& reply) {
    const bool fits = kEdited.size() + reply.edit_json.size() <= kReplyTextBytesMax;
    const std::string why =
        fits ? std::string{kEdited} + reply.edit_json : std::string{kEditedLong};
    // The arguments have to arrive whole.
    const std::string context = context_words(reply);
    return why.size() + context.size() + 2 <= kReplyTextBytesMax ? paragraphs(why, context) : why;
}

}  // namespace headway::api::hooks

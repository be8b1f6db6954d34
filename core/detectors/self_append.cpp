#include "core/detectors/self_append.hpp"

namespace headway::core {
namespace {

/// The arguments without the quotes and brackets that close them.
std::string_view open_ended(std::string_view args) {
    while (!args.empty() && std::string_view{"\"}]"}.find(args.back()) != std::string_view::npos)
        args.remove_suffix(1);
    return args;
}

}  // namespace

void SelfAppend::observe(const Observation& seen) {
    if (seen.user_message || seen.nudge_taken) *this = {};
    if (seen.call == nullptr && is_hard(seen.tier)) *this = {};
    if (seen.call == nullptr || seen.call->neutral) return;
    const std::uint64_t called = digest_of(seen.call->call.tool).low;
    const std::string_view now = open_ended(seen.call->call.args.kept);
    const bool grows = called == tool && previous.size() > 8 && now.size() > previous.size() &&
                       now.starts_with(previous);
    // Growing by something new is how a pipeline is built.
    const bool by_the_same =
        grows && previous.find(now.substr(previous.size())) != std::string::npos;
    // What the growing call itself changes proves nothing; what another one does, does.
    if (!by_the_same && is_hard(seen.tier)) *this = {};
    if (called != tool && count > 0) return;
    if (!by_the_same) {
        count = 0;
        first_n = seen.event.n;
    } else {
        ++count;
    }
    last_n = seen.event.n;
    tool = called;
    previous = now.size() <= limits::kAppendBytesMax ? std::string{now} : previous;
}

Rung SelfAppend::rung(Thresholds limits, const Ledger&) const {
    return rung_of(count, limits);
}

Finding SelfAppend::finding(const Ledger&) const {
    Finding finding;
    finding.count = count;
    finding.identity = tool;
    finding.evidence = {first_n, last_n};
    finding.reason = "a call was sent again with one more copy of its own end " + times(count) +
                     " since #" + std::to_string(first_n);
    return finding;
}

}  // namespace headway::core

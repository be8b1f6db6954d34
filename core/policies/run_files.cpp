// SPDX-License-Identifier: Apache-2.0
#include "core/policies/run_files.hpp"

#include <algorithm>
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/text/text.hpp"

namespace headway::core {
namespace {

static_assert(limits::kRunContentsMax >= 2, "a way back needs what was left");
static_assert(limits::kEvidenceMax >= kRunConflictReversals, "each reversal is evidence");

std::uint64_t hash_of(std::string_view text) {
    return digest_of(text).low;
}

}  // namespace

std::optional<RunConflict> RunFiles::observe(std::string_view run, std::string_view session,
                                             const Event& event) {
    const auto* call = std::get_if<ToolFinished>(&event.payload);
    if (call == nullptr || !call->ok) return std::nullopt;
    std::optional<RunConflict> worst;
    for (const Write& write : writes_of(*call)) {
        auto conflict = put(write, run, session, event.n);
        if (conflict && (!worst || conflict->reversals > worst->reversals))
            worst = std::move(conflict);
    }
    return worst;
}

void RunFiles::clear() {
    trails_.clear();
    order_.clear();
}

std::vector<RunFiles::Write> RunFiles::writes_of(const ToolFinished& call) {
    std::vector<Write> writes;
    for (const Mutation& mutation : call.mutated) {
        if (mutation.digest.empty()) continue;
        writes.push_back({hash_of(mutation.path), hash_of(mutation.digest), mutation.path});
    }
    if (!writes.empty() || !call.fingerprint || call.fingerprint->content == 0) return writes;
    writes.push_back({call.fingerprint->path, call.fingerprint->content, call.target});
    return writes;
}

RunFiles::Trail& RunFiles::trail_of(std::uint64_t key) {
    const auto [found, fresh] = trails_.try_emplace(key);
    if (!fresh) return found->second;
    order_.push_back(key);
    if (order_.size() > limits::kRunFilesMax) {
        trails_.erase(order_.front());
        order_.pop_front();
    }
    HEADWAY_ASSERT(trails_.size() == order_.size());
    HEADWAY_ASSERT(order_.size() <= limits::kRunFilesMax && order_.back() == key);
    return trails_.at(key);
}

std::optional<RunConflict> RunFiles::put(const Write& write, std::string_view run,
                                         std::string_view session, std::uint64_t n) {
    Trail& trail = trail_of(hash_of(run) ^ (write.path * 0x9E3779B97F4A7C15U));
    auto& contents = trail.contents;
    if (!contents.empty() && contents.back().digest == write.digest) return std::nullopt;
    const bool known = std::any_of(contents.begin(), contents.end(), [&write](const Content& past) {
        return past.digest == write.digest;
    });
    const std::string other = contents.empty() ? std::string{} : contents.back().session;
    if (contents.size() == limits::kRunContentsMax) contents.erase(contents.begin());
    contents.push_back({write.digest, std::string{session}});
    HEADWAY_ASSERT(contents.size() <= limits::kRunContentsMax);
    if (!known) {
        trail.reversals = 0;
        trail.by.clear();
        return std::nullopt;
    }
    // A session reverting itself is oscillation's concern.
    if (other == session) return std::nullopt;
    ++trail.reversals;
    if (trail.by.size() == limits::kEvidenceMax) trail.by.erase(trail.by.begin());
    trail.by.emplace_back(session, n);
    HEADWAY_ASSERT(trail.by.size() <= limits::kEvidenceMax);
    HEADWAY_ASSERT(trail.by.size() <= trail.reversals);
    if (trail.reversals < kRunConflictReversals) return std::nullopt;
    RunConflict conflict;
    conflict.path = cut_text(write.name, limits::kStringBytesMax);
    conflict.other = other;
    conflict.reversals = trail.reversals;
    for (const auto& [who, event] : trail.by) {
        if (who == session) conflict.evidence.push_back(event);
    }
    HEADWAY_ASSERT(!conflict.evidence.empty() && conflict.evidence.back() == n);
    return conflict;
}

}  // namespace headway::core

// SPDX-License-Identifier: Apache-2.0
#include "api/digest/digest_sums.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace headway::api {
namespace {

using SumsByName = std::map<std::string, DigestSum>;

void add_sum(SumsByName& sums, const std::string& name, const core::DigestUse& use) {
    DigestSum& sum = sums[name];
    sum.name = name;
    ++sum.sessions;
    sum.use.add(use);
}

DigestSums sorted(SumsByName&& by_name) {
    DigestSums sums;
    for (auto& [name, sum] : by_name)
        sums.push_back(std::move(sum));
    std::stable_sort(sums.begin(), sums.end(), [](const DigestSum& a, const DigestSum& b) {
        return std::tie(a.use.cost_micros, a.use.tokens, a.sessions) >
               std::tie(b.use.cost_micros, b.use.tokens, b.sessions);
    });
    if (sums.size() > kDigestSumsMax) sums.resize(kDigestSumsMax);
    return sums;
}

}  // namespace

DigestSums sums_by_agent(const DigestDocument& digest) {
    SumsByName sums;
    for (const DigestRow& row : digest.rows) {
        // `headway run` knows only the name of the program.
        const bool program = row.agent.type == "command" && !row.agent.name.empty();
        add_sum(sums, program ? row.agent.name : row.agent.type, row.facts.use);
    }
    return sorted(std::move(sums));
}

DigestSums sums_by_model(const DigestDocument& digest) {
    SumsByName sums;
    for (const DigestRow& row : digest.rows)
        for (const auto& [model, use] : row.facts.by_model)
            add_sum(sums, model.empty() ? row.agent.model : model, use);
    return sorted(std::move(sums));
}

DigestSums sums_by_label(const DigestDocument& digest) {
    SumsByName sums;
    for (const DigestRow& row : digest.rows)
        for (const core::Label& label : row.labels)
            add_sum(sums, label.key + "=" + label.value, row.facts.use);
    return sorted(std::move(sums));
}

core::DigestUse total_of(const DigestDocument& digest) {
    core::DigestUse total;
    for (const DigestRow& row : digest.rows)
        total.add(row.facts.use);
    return total;
}

const DigestRow* longest_silence(const DigestDocument& digest) {
    const DigestRow* longest = nullptr;
    for (const DigestRow& row : digest.rows)
        if (row.facts.silence > (longest == nullptr ? core::Millis{0} : longest->facts.silence))
            longest = &row;
    return longest;
}

}  // namespace headway::api

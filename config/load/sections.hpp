// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/load/keys.hpp"
#include "config/load/named_table.hpp"

// The functions of the *_keys.cpp files. Each file appends the keys of a section to the table of
// keys, and defines the section's user-named tables.

namespace headway::config {

/// The first keys of [server]: the daemon's addresses, and who may use them.
void add_listener_keys(std::vector<Key>& table);
/// Keys of [policy] for the limits of new sessions; they come after the section's other keys.
void add_policy_limit_keys(std::vector<Key>& table);
void add_floor_keys(std::vector<Key>& table);
void add_budget_keys(std::vector<Key>& table);
/// Keys of [budget.day]; they come after those of [budget].
void add_day_keys(std::vector<Key>& table);
void add_approval_keys(std::vector<Key>& table);
void add_fan_out_keys(std::vector<Key>& table);
void add_judge_keys(std::vector<Key>& table);
void add_webhook_keys(std::vector<Key>& table);
void add_digest_keys(std::vector<Key>& table);
/// Keys of [keep_going].
void add_keep_going_keys(std::vector<Key>& table);
void add_redaction_keys(std::vector<Key>& table);
/// Keys of [observe].
void add_observe_keys(std::vector<Key>& table);

/// [budget.agents.TYPE]: letter case in TYPE is ignored. Any thread.
const AnyNamedTable& agent_table();
/// [budget.day.labels."KEY=VALUE"]: caps for the sessions with a label. Any thread.
const AnyNamedTable& day_label_table();
/// [prices.MODEL]: dollars per million tokens. Any thread.
const AnyNamedTable& price_table();
/// [judge.endpoints.NAME]: the models that may be asked. Any thread.
const AnyNamedTable& judge_table();
/// [webhooks.endpoints.NAME]: receivers that are notified. Any thread.
const AnyNamedTable& webhook_table();

}  // namespace headway::config

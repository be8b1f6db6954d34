// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/load/keys.hpp"
#include "config/load/named_table.hpp"

// Each *_keys.cpp has the keys of a section, to be appended to the table of keys, and its
// user-named tables.

namespace headway::config {

/// Keys of the daemon's addresses and their access: the first keys of [server].
void add_listener_keys(std::vector<Key>& table);
/// Limits of new sessions, after the other keys of [policy].
void add_policy_limit_keys(std::vector<Key>& table);
void add_floor_keys(std::vector<Key>& table);
void add_budget_keys(std::vector<Key>& table);
/// [budget.day], after [budget].
void add_day_keys(std::vector<Key>& table);
void add_approval_keys(std::vector<Key>& table);
void add_fan_out_keys(std::vector<Key>& table);
void add_judge_keys(std::vector<Key>& table);
void add_webhook_keys(std::vector<Key>& table);
void add_digest_keys(std::vector<Key>& table);
void add_redaction_keys(std::vector<Key>& table);
/// Keys of [observe].
void add_observe_keys(std::vector<Key>& table);

/// [budget.agents.TYPE]: types match in any case. Any thread.
const AnyNamedTable& agent_table();
/// [budget.day.labels."KEY=VALUE"]: caps of sessions with a label. Any thread.
const AnyNamedTable& day_label_table();
/// [prices.MODEL]: dollars per million tokens. Any thread.
const AnyNamedTable& price_table();
/// [judge.endpoints.NAME]: the models that may be asked. Any thread.
const AnyNamedTable& judge_table();
/// [webhooks.endpoints.NAME]: URLs that are notified. Any thread.
const AnyNamedTable& webhook_table();

}  // namespace headway::config

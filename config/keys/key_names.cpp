// SPDX-License-Identifier: Apache-2.0
#include "config/load/keys.hpp"

#include "core/text/suggest.hpp"

// The names of keys, and where else they are written.

namespace headway::config {

const Key* find_key(std::string_view name) {
    for (const Key& key : keys()) {
        if (key.name == name) return &key;
    }
    return nullptr;
}

std::vector<std::string_view> key_names() {
    std::vector<std::string_view> names;
    for (const Key& key : keys())
        names.push_back(key.name);
    return names;
}

std::string hint_about(std::string_view name) {
    if (name == "policy.risk")
        return "; the learned risk is gone, because it told no more than the number of calls: take "
               "the key out";
    return core::did_you_mean(name, key_names());
}

std::string environment_name(std::string_view key) {
    std::string name = "HEADWAY_";
    for (const char c : key) {
        const bool lower = c >= 'a' && c <= 'z';
        name += c == '.' ? '_' : (lower ? static_cast<char>(c - 'a' + 'A') : c);
    }
    return name;
}

}  // namespace headway::config

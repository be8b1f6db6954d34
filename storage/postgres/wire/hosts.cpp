// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/wire/hosts.hpp"

#include <libpq-fe.h>

#include <memory>
#include <string_view>

namespace headway::storage {

using core::Error;
using core::ErrorCode;
using core::Result;

/// libpq repeats the URL in its message, with the password.
Result<> check_postgres_url(const std::string& url) {
    char* why = nullptr;
    PQconninfoOption* const options = PQconninfoParse(url.c_str(), &why);
    PQfreemem(why);
    if (options != nullptr) {
        PQconninfoFree(options);
        return {};
    }
    return Error{ErrorCode::kInvalidConfig,
                 "the URL of the store is none that PostgreSQL understands: is a parameter "
                 "misspelt, or a special character in the password not %-encoded? "
                 "postgresql://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETER=VALUE",
                 "storage.store"};
}

std::vector<PostgresHost> hosts_of(const std::string& url) {
    std::vector<PostgresHost> hosts;
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options{
        PQconninfoParse(url.c_str(), nullptr), PQconninfoFree};
    for (const PQconninfoOption* one = options.get(); one != nullptr && one->keyword != nullptr;
         ++one) {
        const std::string_view key = one->keyword;
        if (one->val == nullptr || (key != "host" && key != "hostaddr" && key != "port")) continue;
        std::string_view left = one->val;
        for (std::size_t at = 0; left.find(',') != left.npos || at > 0; ++at) {
            if (hosts.size() <= at) hosts.resize(at + 1);
            const std::size_t end = left.find(',');
            hosts[at].emplace_back(key, left.substr(0, end));
            if (end == left.npos) break;
            left.remove_prefix(end + 1);
        }
    }
    if (hosts.empty()) hosts.resize(1);
    return hosts;
}

}  // namespace headway::storage

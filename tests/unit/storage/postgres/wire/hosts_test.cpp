// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/wire/hosts.hpp"

#include <catch2/catch.hpp>

using namespace headway::storage;

TEST_CASE("postgres hosts: each of several, with what a URL lists for it", "[postgres]") {
    const std::vector<PostgresHost> none{{}};
    CHECK(hosts_of("postgresql:///db") == none);
    CHECK(hosts_of("postgresql://one/db?port=5433") == none);
    CHECK(hosts_of("no URL at all") == none);
    CHECK(hosts_of("postgresql:///db?host=/a,/b&port=5432") ==
          std::vector<PostgresHost>{{{"host", "/a"}}, {{"host", "/b"}}});
    CHECK(hosts_of("postgresql://one:1,two:2,three/db") ==
          std::vector<PostgresHost>{{{"host", "one"}, {"port", "1"}},
                                    {{"host", "two"}, {"port", "2"}},
                                    {{"host", "three"}, {"port", ""}}});
    CHECK(hosts_of("host=a,b hostaddr=10.0.0.1,10.0.0.2 dbname=x") ==
          std::vector<PostgresHost>{{{"host", "a"}, {"hostaddr", "10.0.0.1"}},
                                    {{"host", "b"}, {"hostaddr", "10.0.0.2"}}});
}

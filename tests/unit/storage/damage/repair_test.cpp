// SPDX-License-Identifier: Apache-2.0
#include "storage/damage/repair.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "storage/sqlite/sqlite_copy.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "tests/support/gen.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;

namespace {

constexpr int kSessions = 6;

std::string content_of(const std::filesystem::path& file) {
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
    std::ofstream{file, std::ios::binary | std::ios::trunc} << bytes;
}

/// Six sessions of 200 events or more, all saved; their journals.
std::map<std::string, std::vector<Event>> fill(const std::filesystem::path& file, Gen& gen) {
    auto opened = SqliteStore::open(file);
    require_ok(opened);
    SqliteStore& store = **opened;
    std::map<std::string, std::vector<Event>> journals;
    struct Recorded {
        Session session;
        SessionKey key;
        Chain chain;
        EventIds ids;
    };
    std::vector<Recorded> agents;
    for (int i = 0; i < kSessions; ++i) {
        // Also one that goes on after its end.
        const std::string id = i + 1 < kSessions ? "agent-" + std::to_string(i) : "agent-0~2";
        require_ok(store.begin());
        agents.push_back({Session{id}, store.create(id, at(0)).value(), {}, {}});
        Recorded& agent = agents.back();
        std::vector<Event> out;
        agent.session.open({}, {}, context(0), out);
        require_ok(store.append(agent.key, agent.chain, out));
        require_ok(store.commit());
        journals[id] = out;
    }
    for (int round = 0; round < 60; ++round) {
        require_ok(store.begin());
        for (Recorded& agent : agents) {
            std::vector<Event> events;
            for (std::uint64_t i = 1 + gen.below(4); i > 0; --i) {
                Message message;
                message.role = "assistant";
                message.text = bounded_text(gen.utf8(gen.chance(8) ? 3500 : 100));
                events.push_back(event(std::move(message)));
            }
            std::vector<Event> out;
            agent.session.report(events, context(round), out);
            require_ok(store.append(agent.key, agent.chain, out));
            auto& journal = journals[agent.session.id()];
            journal.insert(journal.end(), out.begin(), out.end());
        }
        require_ok(store.commit());
    }
    require_ok(store.begin());
    for (Recorded& agent : agents)
        require_ok(store.save(agent.key, agent.session, agent.chain, agent.ids));
    require_ok(store.set_snapshot_cursor(store.head()));
    require_ok(store.commit());
    return journals;
}

/// Sessions of the repaired database are prefixes of the originals.
std::uint64_t check_prefixes(const std::filesystem::path& file,
                             const std::map<std::string, std::vector<Event>>& journals) {
    auto store = SqliteStore::open(file);
    require_ok(store);
    require_ok((*store)->recover());
    std::uint64_t kept = 0;
    for (const auto& [id, journal] : journals) {
        const auto key = (*store)->find(id);
        require_ok(key);
        if (!*key) continue;
        const auto stored = (*store)->load(**key);
        require_ok(stored);
        const auto events = (*store)->read_session(**key, stored->chain, 0, 100'000);
        require_ok(events);
        REQUIRE(events->size() <= journal.size());
        REQUIRE(events->size() == stored->session.state().n);
        for (std::size_t i = 0; i < events->size(); ++i)
            REQUIRE((*events)[i] == journal[i]);
        kept += events->size();
    }
    return kept;
}

}  // namespace

TEST_CASE("repair: a database that is sound is kept whole", "[storage]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    const TempDir dir;
    const auto journals = fill(dir.file(), gen);
    const std::string before = content_of(dir.file());
    const auto repair = repair_database(dir.file());
    require_ok(repair);
    CHECK(repair->sessions == kSessions);
    CHECK(repair->cut == 0);
    CHECK(repair->lost == 0);
    CHECK(repair->unread_places == 0);
    CHECK(content_of(repair->damaged) == before);
    CHECK(repair->damaged == dir.file("headway.db.damaged-1"));
    CHECK(check_prefixes(dir.file(), journals) == repair->events);
    std::uint64_t all = 0;
    for (const auto& [id, journal] : journals)
        all += journal.size();
    CHECK(repair->events == all);
    using std::filesystem::perms;
    CHECK(std::filesystem::status(dir.file()).permissions() ==
          (perms::owner_read | perms::owner_write));
}

TEST_CASE("repair: for any damage the readable part is saved without gaps, the rest is dropped",
          "[storage]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    const TempDir dir;
    const auto journals = fill(dir.file("sound.db"), gen);
    const std::string sound = content_of(dir.file("sound.db"));
    int saved_something = 0;
    for (int damage = 0; damage < 12; ++damage) {
        std::string bytes = sound;
        const auto file = dir.file("d" + std::to_string(damage) + ".db");
        switch (damage % 4) {
            case 0:  // flipped bytes
                for (std::uint64_t i = 1 + gen.below(20); i > 0; --i)
                    bytes[100 + gen.index(bytes.size() - 100)] ^=
                        static_cast<char>(1 + gen.below(255));
                break;
            case 1:  // cut off
                bytes.resize(8192 + gen.index(bytes.size() - 8192));
                break;
            case 2: {  // a page of nothing
                const std::size_t page = 1 + gen.index(bytes.size() / 8192 - 1);
                std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(page * 8192), 8192, '\0');
                break;
            }
            default: {  // a page of something else
                const std::size_t page = 1 + gen.index(bytes.size() / 8192 - 1);
                bytes.replace(page * 8192, 8192, gen.bytes(8192));
            }
        }
        write_bytes(file, bytes);
        INFO("damage " << damage);
        const auto repair = repair_database(file);
        if (!repair) {  // nothing is readable: the file is unchanged
            CHECK(content_of(file) == bytes);
            continue;
        }
        CHECK(content_of(repair->damaged) == bytes);
        require_ok(verify_database(file));
        const std::uint64_t kept = check_prefixes(file, journals);
        CHECK(kept <= repair->events);
        if (kept > 0) ++saved_something;
    }
    CHECK(saved_something > 4);
}

TEST_CASE("repair: of a file that was cut, everything before the cut is saved", "[storage]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    const TempDir dir;
    const auto journals = fill(dir.file("sound.db"), gen);
    const std::string sound = content_of(dir.file("sound.db"));
    const std::size_t pages = sound.size() / 8192;
    REQUIRE(pages > 60);
    for (int cut = 0; cut < 10; ++cut) {
        // From the middle on: the roots of all tables lie before that.
        const std::size_t left = sound.size() / 2 + gen.index(sound.size() / 2);
        const auto file = dir.file("c" + std::to_string(cut) + ".db");
        write_bytes(file, sound.substr(0, left));
        INFO("cut to " << left << " of " << sound.size());
        const auto repair = repair_database(file);
        require_ok(repair);
        CHECK(content_of(repair->damaged) == sound.substr(0, left));
        require_ok(verify_database(file));
        const std::uint64_t kept = check_prefixes(file, journals);
        CHECK(kept == repair->events);
        CHECK(kept > 0);
    }
}

TEST_CASE("repair: a flipped bit that can be decoded is not saved as truth", "[storage]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    const TempDir dir;
    const auto journals = fill(dir.file(), gen);
    auto database = Database::open(dir.file().string());
    require_ok(database);
    // The last byte of a payload's text may be another letter; only the checksum detects it.
    require_ok(database->execute(
        "UPDATE journal SET crc=crc+1 WHERE cursor=(SELECT cursor FROM journal WHERE session=4 "
        "ORDER BY cursor LIMIT 1 OFFSET 30)"));
    database = Database{};
    const auto repair = repair_database(dir.file());
    require_ok(repair);
    CHECK(repair->unread_rows == 1);
    CHECK(repair->cut == 1);
    CHECK(check_prefixes(dir.file(), journals) == repair->events);
}

TEST_CASE("repair: an undecodable row costs only its session's tail", "[storage]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    const TempDir dir;
    const auto journals = fill(dir.file(), gen);
    auto database = Database::open(dir.file().string());
    require_ok(database);
    require_ok(
        database->execute("UPDATE journal SET events=x'ff' WHERE cursor=(SELECT cursor FROM "
                          "journal WHERE session=4 ORDER BY cursor LIMIT 1 OFFSET 30)"));
    database = Database{};
    const auto repair = repair_database(dir.file());
    require_ok(repair);
    CHECK(repair->unread_rows == 1);
    CHECK(repair->cut == 1);
    CHECK(repair->sessions == kSessions);
    const std::uint64_t kept = check_prefixes(dir.file(), journals);
    CHECK(kept == repair->events);
    std::uint64_t others = 0;
    for (const auto& [id, journal] : journals) {
        if (id != "agent-3") others += journal.size();
    }
    CHECK(kept > others);
}

TEST_CASE("repair: a database that a daemon has open is left alone", "[storage]") {
    const TempDir dir;
    const auto store = SqliteStore::open(dir.file());
    require_ok(store);
    const auto refused = repair_database(dir.file());
    CHECK(code_of(refused) == ErrorCode::kStorageUnavailable);
    CHECK_THAT(refused.error().detail, Catch::Contains("stop headway first"));
}

// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "tests/support/daemon_story.hpp"
#include "tests/support/gen.hpp"
#include "tests/support/make.hpp"
#include "tests/support/postgres_breaks.hpp"
#include "tests/support/postgres_here.hpp"
#include "tests/support/postgres_writer.hpp"
#include "tests/support/seed.hpp"

// Each statement that a daemon sends to PostgreSQL fails in each way, one after the other, in the
// same story: the daemon goes on, and nothing is lost that was acknowledged.

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;
using Kind = PostgresBreak::Kind;
namespace fs = std::filesystem;

namespace {

const PostgresBreak kBreaks[] = {
    {Kind::kCutBefore},
    {Kind::kCutAfter},
    {Kind::kSilence},
    {Kind::kEnded},
    {Kind::kCutAtEnd},
    {Kind::kRefused, "25006"},
    {Kind::kRefused, "40003"},
    {Kind::kRefused, "40001"},
    {Kind::kRefused, "40P01"},
    {Kind::kRefused, "55P03"},
    {Kind::kRefused, "57014"},
    {Kind::kRefused, "53300"},
    {Kind::kRefused, "53100"},
    {Kind::kRefused, "57P01"},
    {Kind::kRefused, "08006"},
    {Kind::kRefused, "23505"},
    {Kind::kRefused, "XX001"},
    {Kind::kCutBefore, {}, 8},
    {Kind::kRefused, "53100", 8},
    {Kind::kRefused, "55P03", 8},
};

/// Statements of the store that are not in the story.
constexpr std::string_view kNotSent[] = {
    // For a daemon that has the file to itself.
    "SELECT DISTINCT session FROM inbox", "SELECT DISTINCT session FROM approval",
    // In races with another daemon: the test of these two.
    "INSERT INTO session(name,opened_at,n,last_at) VALUES", "SELECT n FROM event_id WHERE"};

/// A database as a daemon has left it.
struct Place {
    PostgresHere here;
    Place() {
        const auto first = here.daemon("first");
        here.run(PostgresBreaks::refusal());
        DaemonStory::prepare(*first->tables());
        here.run("INSERT INTO daemon VALUES('gone','x','',1,1)");
        PostgresBreaks::mend();
    }
    DaemonStory::Place story() const {
        DaemonStory::Place place;
        place.open = [this](const std::string& id,
                            std::function<Timestamp()> now) -> Result<std::unique_ptr<Store>> {
            PostgresStore::Settings wanted;
            wanted.connection.url = here.url();
            wanted.id = wanted.name = id;
            wanted.version = "test";
            wanted.now = std::move(now);
            HEADWAY_TRY(auto store, PostgresStore::open(std::move(wanted)));
            return std::unique_ptr<Store>{std::move(store)};
        };
        place.between = [this] {
            const PostgresBreaks::Aside uncounted;
            here.run("UPDATE snapshot SET state=''");  // of another version
        };
        place.mend = PostgresBreaks::mend;
        return place;
    }
};

std::string words_of(const PostgresBreak& fault) {
    static constexpr const char* kNames[] = {"cut before", "cut after", "silence",
                                             "ended",      "refused",   "cut at the end"};
    return std::string{kNames[static_cast<std::size_t>(fault.kind)]} + " " + fault.state + " x" +
           std::to_string(fault.times);
}

/// The statements of the story without a fault.
std::vector<std::string> statements() {
    const Place place;
    DaemonStory story{place.story()};
    story.play();
    const std::vector<std::string> sent = PostgresBreaks::sent();
    CHECK(story.faults().empty());
    CHECK(story.refused == 0);
    CHECK(story.restarts == 0);
    return sent;
}

/// Where each of them is among them.
std::map<std::string, std::vector<std::uint64_t>> places_of(const std::vector<std::string>& sent) {
    std::map<std::string, std::vector<std::uint64_t>> places;
    for (std::uint64_t nth = 1; nth <= sent.size(); ++nth)
        places[sent[nth - 1]].push_back(nth);
    return places;
}

/// True if the step with that number belongs to this process: HEADWAY_PART=2/8 does every eighth
/// step, so that eight processes may run side by side; a story waits most of its time.
bool in_part(std::size_t step) {
    const char* given = std::getenv("HEADWAY_PART");
    std::size_t part = 0;
    std::size_t parts = 1;
    if (given != nullptr && std::sscanf(given, "%zu/%zu", &part, &parts) != 2) return true;
    return parts == 0 || step % parts == part % parts;
}

/// On a busy machine the story sends fewer statements, since turns take more at once: one near the
/// end that does not come is struck a little earlier.
void play_with(std::uint64_t nth, const PostgresBreak& fault) {
    bool struck = false;
    for (int tries = 0; tries < 4 && !struck; ++tries) {
        const Place place;
        INFO("statement " << nth << ", " << words_of(fault));
        PostgresBreaks::strike(nth, fault);
        DaemonStory story{place.story()};
        story.play();
        struck = PostgresBreaks::struck();
        CHECK(story.faults() == "");
        nth -= nth / 10;
    }
    CHECK(struck);
}

/// The beginnings of the statements in the sources of a daemon's store, as PostgreSQL gets them.
std::vector<std::string> written_statements() {
    std::vector<std::string> found;
    const std::regex literal{
        R"re("((?:SELECT|INSERT|UPDATE|DELETE|WITH|LISTEN|NOTIFY|BEGIN|COMMIT|ROLLBACK)\b[^"]*)")re"};
    const fs::path storage = fs::path{HEADWAY_SOURCE_DIR} / "storage";
    for (const auto& file : fs::recursive_directory_iterator{storage}) {
        const std::string name = file.path().filename().string();
        const std::string room = file.path().parent_path().lexically_relative(storage).string();
        const bool tables = name.starts_with("sql_") || room.starts_with("postgres");
        const bool other = name == "postgres_import.cpp" || name == "probe.cpp";  // of no daemon
        if (file.path().extension() != ".cpp" || !tables || other) continue;
        std::ifstream in{file.path()};
        std::ostringstream text;
        text << in.rdbuf();
        const std::string source = text.str();
        for (std::sregex_iterator at{source.begin(), source.end(), literal}, end; at != end; ++at) {
            std::string statement = (*at)[1];
            std::replace(statement.begin(), statement.end(), '?', '$');
            if (statement.ends_with('\\')) statement.pop_back();  // before a quote
            found.push_back(std::move(statement));
        }
    }
    return found;
}

}  // namespace

TEST_CASE("postgres breaks: a connection that breaks while old rows are deleted is an error",
          "[property]") {
    if (!PostgresHere::found()) return;
    const Place place;
    const auto store = place.here.daemon("one");
    for (const char* sql : {"DELETE FROM idempotency", "DELETE FROM used", "COMMIT"}) {
        for (const Kind kind : {Kind::kCutBefore, Kind::kCutAfter, Kind::kSilence, Kind::kEnded}) {
            INFO(sql << ", " << words_of({kind}));
            place.here.run("DELETE FROM idempotency");
            place.here.run("DELETE FROM used");
            PostgresBreaks::strike(std::string{sql}, {kind});
            const auto step = store->delete_some(Timestamp{Millis{10}});
            CHECK(PostgresBreaks::struck());
            PostgresBreaks::mend();
            REQUIRE_FALSE(step.has_value());
            CHECK(step.error().code == ErrorCode::kStorageUnavailable);
            const auto next = store->delete_some(Timestamp{Millis{10}});
            require_ok(next);
        }
    }
}

TEST_CASE("postgres breaks: what follows in a transaction that was lost is not written by itself",
          "[property]") {
    if (!PostgresHere::found()) return;
    const Place place;
    const auto store = place.here.daemon("one");
    require_ok(store->begin());
    PostgresBreaks::strike(std::string{"SELECT value FROM meta"}, {Kind::kCutAfter});
    CHECK_FALSE(store->history().counter("x").has_value());
    CHECK_FALSE(store->history().counter("x").has_value());
    CHECK_FALSE(store->load(1).has_value());  // which connects where there is no connection
    CHECK_FALSE(store->history().add_to_counter("x", 1).has_value());
    CHECK_FALSE(store->commit().has_value());
    store->rollback();
    PostgresBreaks::mend();
    require_ok(store->begin());
    CHECK(store->history().counter("x").value() == 0);
    require_ok(store->history().add_to_counter("x", 1));
    require_ok(store->commit());
    CHECK(store->history().counter("x").value() == 1);
}

TEST_CASE("postgres breaks: a commit that was done and not wholly answered is unknown",
          "[property]") {
    if (!PostgresHere::found()) return;
    const Place place;
    const auto store = place.here.daemon("one");
    for (const Kind kind : {Kind::kCutAfter, Kind::kSilence, Kind::kCutAtEnd}) {
        INFO(words_of({kind}));
        const auto before = place.here.number("SELECT count(*) FROM idempotency");
        require_ok(store->begin());
        require_ok(store->idempotency().add_key(words_of({kind}), {"f", "s"}, at(0)));
        PostgresBreaks::strike(std::string{"COMMIT"}, {kind});
        CHECK_FALSE(store->commit().has_value());
        CHECK(PostgresBreaks::struck());
        PostgresBreaks::mend();
        CHECK(store->outcome_unknown());
        store->rollback();
        CHECK(store->outcome_unknown());
        CHECK(place.here.number("SELECT count(*) FROM idempotency") == before + 1);
    }
}

TEST_CASE("postgres breaks: an expectation that cannot make room is an error of its turn",
          "[property]") {
    if (!PostgresHere::found()) return;
    const Place place;
    const auto store = place.here.daemon("one");
    Sketch calls;
    Samples one;
    one.add(1000);
    calls.learn(one);
    const auto save = [&](const std::string& tool) -> Result<> {
        auto done = store->begin();
        if (done) done = store->expectations().save_calls("coder", tool, calls, at(0));
        if (done) done = store->expectations().save_use(tool, {}, {calls, calls, {}, {}}, at(0));
        if (done) done = store->commit();
        if (!done) store->rollback();
        return done;
    };
    int names = 0;
    for (const PostgresBreak& fault : kBreaks) {
        for (const char* sql :
             {"DELETE FROM expectation WHERE agent=$1", "DELETE FROM expectation WHERE agent=("}) {
            INFO(words_of(fault) << ": " << sql);
            PostgresBreaks::strike(std::string{sql}, fault);
            // Another name each time: a commit behind the statement may have been done.
            CHECK_FALSE(save("fresh" + std::to_string(++names)).has_value());
            CHECK(PostgresBreaks::struck());
            PostgresBreaks::mend();
        }
    }
    require_ok(save("fresh"));
    CHECK(place.here.number("SELECT count(*) FROM expectation WHERE name='fresh'") == 1);
    CHECK(place.here.number("SELECT count(*) FROM expectation") == 112);
    // A rule of the database may keep rows.
    place.here.run("CREATE RULE keeps AS ON DELETE TO expectation DO INSTEAD NOTHING");
    require_ok(save("another"));
}

TEST_CASE("postgres breaks: what a daemon asks in a race with another one fails cleanly",
          "[property]") {
    if (!PostgresHere::found()) return;
    const Place place;
    const auto store = place.here.daemon("one");
    for (const PostgresBreak& fault : kBreaks) {
        INFO(words_of(fault));
        require_ok(store->begin());
        PostgresBreaks::strike(std::string{"SELECT n FROM event_id"}, fault);
        CHECK_FALSE(store->find_event_id(1, "x").has_value());
        store->rollback();
        PostgresBreaks::mend();
        require_ok(store->begin());
        PostgresBreaks::strike(std::string{"INSERT INTO session"}, fault);
        CHECK_FALSE(store->create("fresh", at(0)).has_value());
        store->rollback();
        PostgresBreaks::mend();
    }
    place.here.run(
        "CREATE FUNCTION skip() RETURNS trigger AS 'BEGIN RETURN NULL; END' LANGUAGE plpgsql");
    place.here.run(
        "CREATE TRIGGER skips BEFORE INSERT ON session FOR EACH ROW EXECUTE FUNCTION skip()");
    require_ok(store->begin());
    CHECK(store->create("fresh", at(0)).error().code == ErrorCode::kStorageCorrupt);
    store->rollback();
}

TEST_CASE("postgres breaks: impossible positions of the feed are errors", "[property]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto store = here.daemon("one");
    PostgresWriter writer{*store, "s"};
    for (const char* damage :
         {"UPDATE feed SET pos=-5", "UPDATE feed SET pos=1::bigint<<62", "DELETE FROM feed"}) {
        INFO(damage);
        here.run(damage);
        CHECK_FALSE(store->pulse().has_value());
        CHECK_FALSE(store->recover().has_value());
        writer.hold();
        CHECK_FALSE(store->history().add_to_counter("x", 1).has_value());
        store->rollback();
        PostgresWriter again = writer;
        again.hold();
        (void)again.report({beat()});
        CHECK_FALSE(store->commit().has_value());
        store->rollback();
    }
    here.run("INSERT INTO feed VALUES(1,100)");
    CHECK(here.number("SELECT count(*) FROM journal") <= 2);
}

TEST_CASE("postgres breaks: the story has every statement of the store", "[property]") {
    if (!PostgresHere::found()) return;
    {
        const PostgresHere empty;
        empty.daemon("first");
    }
    CHECK(statements().size() > 500);
    play_with(100, {Kind::kRefused, "40001"});  // for its ROLLBACK
    std::vector<std::string> missing;
    for (const std::string& written : written_statements()) {
        const auto& sent = PostgresBreaks::texts();
        const bool found = std::any_of(sent.begin(), sent.end(), [&](const std::string& one) {
            return one.find(written) != one.npos;
        });
        const bool other = std::any_of(std::begin(kNotSent), std::end(kNotSent),
                                       [&](auto begin) { return written.starts_with(begin); });
        if (!found && !other) missing.push_back(written);
    }
    CHECK(missing == std::vector<std::string>{});
}

TEST_CASE("postgres breaks: at each statement the daemon goes on, and nothing acknowledged is lost",
          "[property]") {
    if (!PostgresHere::found()) return;
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    constexpr std::size_t kPart = 3;  // of the statements, by the seed
    std::size_t place = gen.index(kPart);
    for (const auto& [sql, numbers] : places_of(statements())) {
        if (++place % kPart == 0) play_with(numbers[gen.index(numbers.size())], gen.pick(kBreaks));
    }
}

TEST_CASE("postgres breaks: all of the cuts", "[property]") {
    if (!PostgresHere::found() || !long_run()) return;
    const std::size_t count = statements().size();
    std::size_t step = 0;
    for (const PostgresBreak& fault : kBreaks) {
        for (std::uint64_t nth = 1; nth <= count && fault.kind != Kind::kRefused; ++nth) {
            if (in_part(++step)) play_with(nth, fault);
        }
    }
    WARN(step << " cuts");
}

TEST_CASE("postgres breaks: all of the refusals, where a statement is first, between and last",
          "[property]") {
    if (!PostgresHere::found() || !long_run()) return;
    std::size_t step = 0;
    for (const auto& [sql, numbers] : places_of(statements())) {
        const std::set<std::uint64_t> chosen{numbers.front(), numbers[numbers.size() / 2],
                                             numbers.back()};
        for (const PostgresBreak& fault : kBreaks) {
            for (const std::uint64_t nth : chosen) {
                if (fault.kind == Kind::kRefused && in_part(++step)) play_with(nth, fault);
            }
        }
    }
    WARN(step << " refusals");
}

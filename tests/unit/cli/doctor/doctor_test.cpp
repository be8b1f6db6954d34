// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/doctor.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/verbs/setup/doctor.hpp"
#include "tests/support/temp_dir.hpp"

using namespace headway::cli;
using headway::tests::TempDir;

namespace {

namespace fs = std::filesystem;

constexpr int kSchema = 5;

/// The first bytes of a database with this user version.
std::string header(char version) {
    std::string bytes(100, '\0');
    bytes.replace(0, 15, "SQLite format 3");
    bytes[63] = version;
    return bytes;
}

void write(const fs::path& file, const std::string& text) {
    std::ofstream{file, std::ios::binary} << text;
}

}  // namespace

TEST_CASE("doctor: what the first start will make is not missing", "[cli]") {
    const TempDir directory;
    CHECK(check_state_directory(directory.file("none")).ok);
    CHECK(check_database(directory.file("none"), kSchema).ok);
    CHECK(check_operator_file(directory.file("none")).ok);
}

TEST_CASE("doctor: a state directory is a folder", "[cli]") {
    const TempDir directory;
    const fs::path file = directory.file("plain");
    write(file, "x");
    CHECK(check_state_directory(file.parent_path()).ok);
    const Finding finding = check_state_directory(file);
    CHECK_FALSE(finding.ok);
    CHECK_THAT(finding.fix, Catch::Contains("storage.state_dir"));
}

TEST_CASE("doctor: a state directory that others may write to is no good", "[cli]") {
    const TempDir directory;
    const fs::path folder = directory.file("state");
    fs::create_directory(folder);
    for (const fs::perms more : {fs::perms::group_write, fs::perms::others_write}) {
        fs::permissions(folder, fs::perms::owner_all | more);
        CHECK_THAT(check_state_directory(folder).fix, Catch::Contains("chmod 700"));
    }
    fs::permissions(folder, fs::perms::owner_all | fs::perms::group_read | fs::perms::others_exec);
    CHECK(check_state_directory(folder).ok);
}

TEST_CASE("doctor: a database is read by its header", "[cli]") {
    const TempDir directory;
    const fs::path file = directory.file("headway.db");
    SECTION("of this build") {
        write(file, header(kSchema));
        const Finding finding = check_database(file, kSchema);
        CHECK(finding.ok);
        CHECK_THAT(finding.detail, Catch::Contains("schema 5"));
    }
    SECTION("whose log may know better") {
        write(file, header(0));
        write(file.string() + "-wal", "x");
        CHECK_THAT(check_database(file, kSchema).detail, !Catch::Contains("schema"));
    }
    SECTION("of a newer build") {
        write(file, header(kSchema + 1));
        const Finding finding = check_database(file, kSchema);
        CHECK_FALSE(finding.ok);
        CHECK_THAT(finding.detail, Catch::Contains("schema 6"));
    }
    SECTION("of a development build before 0.1.0") {
        write(file, header(kSchema - 1));
        CHECK_FALSE(check_database(file, kSchema).ok);
    }
    SECTION("that is none") {
        write(file, std::string(100, 'x'));
        CHECK_FALSE(check_database(file, kSchema).ok);
        write(file, "short");
        CHECK_FALSE(check_database(file, kSchema).ok);
    }
}

TEST_CASE("doctor: only its owner may read the operator's token", "[cli]") {
    const TempDir directory;
    const fs::path file = directory.file("operator.token");
    write(file, "hw_operator_x\n");
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    CHECK(check_operator_file(file).ok);
    fs::permissions(file, fs::perms::others_read, fs::perm_options::add);
    const Finding finding = check_operator_file(file);
    CHECK_FALSE(finding.ok);
    CHECK_THAT(finding.fix, Catch::Contains("chmod 600"));
}

TEST_CASE("doctor: a line says what to do and holds no escape sequences", "[cli]") {
    CHECK(finding_line({"daemon", true, "ready", {}}) == "ok     daemon            ready");
    CHECK(finding_line({"judge a", false, "\x1b[2Jno\nanswer", "look"}) ==
          "WRONG  judge a           \\u{1b}[2Jno answer; look");
}

TEST_CASE("doctor: each judge is asked, and one mistake is enough", "[cli]") {
    const TempDir directory;
    write(directory.file("headway.toml"),
          "[judge.endpoints.good]\nbase_url = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"\n"
          "[judge.endpoints.bad]\nbase_url = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"\n");
    std::ostringstream out;
    std::ostringstream err;
    const Console console{out, err, {}};
    DoctorOptions options;
    options.sources.file = directory.file("headway.toml");
    options.sources.flags["storage.state_dir"] = directory.file("state");
    options.url = "http://127.0.0.1:1";  // tcpmux: nothing listens there
    Server server;
    server.schema_version = kSchema;
    server.probe_judge = [](const headway::config::JudgeSettings&,
                            const std::string& name) -> headway::core::Result<std::string> {
        if (name == "good") return std::string{"m answered"};
        return headway::core::Error{headway::core::ErrorCode::kInvalidConfig, "401; a key", name};
    };
    CHECK(run_doctor(options, server, console) == 1);
    CHECK_THAT(out.str(), Catch::Contains("ok     configuration"));
    CHECK_THAT(out.str(), Catch::Contains("ok     judge good        m answered\n"));
    CHECK_THAT(out.str(), Catch::Contains("WRONG  judge bad         401; a key\n"));
    CHECK_THAT(out.str(), Catch::Contains("WRONG  daemon            none answers at"));
}

TEST_CASE("doctor: a SQLite with the WAL-reset bug is pointed out, and is fine as we use it",
          "[cli]") {
    struct Case {
        const char* version;
        bool affected;
    };
    for (const Case& c : {Case{"3.6.23", false}, Case{"3.7.0", true}, Case{"3.40.1", true},
                          Case{"3.51.2", true}, Case{"3.51.3", false}, Case{"4.0.0", false}}) {
        const Finding finding = check_sqlite(c.version);
        INFO(c.version);
        CHECK(finding.ok);
        CHECK((finding.detail.find("WAL-reset") != std::string::npos) == c.affected);
    }
}

TEST_CASE("doctor: room and syncs of the state directory are measured", "[cli]") {
    const TempDir dir;
    CHECK(check_room(dir.file().parent_path(), 1).ok);
    const Finding tight = check_room(dir.file().parent_path(), 1ULL << 50);
    CHECK_FALSE(tight.ok);
    CHECK_THAT(tight.detail, Catch::Contains("less than storage.free_space_min, 1048576GiB"));
    CHECK(check_room("/nowhere/at/all", 1ULL << 50).ok);

    CHECK_THAT(check_sync(dir.file().parent_path()).detail, Catch::Contains("a sync takes "));
    CHECK(std::filesystem::is_empty(dir.file().parent_path()));
    CHECK(check_sync("/nowhere/at/all").ok);
}

TEST_CASE("doctor: a repair says what was saved, and what was lost only when something was",
          "[cli]") {
    RepairReport report;
    report.damaged = "/s/headway.db.damaged-1";
    report.sessions = 3;
    report.events = 40;
    CHECK(repair_findings(report).size() == 2);
    CHECK(repair_findings(report).front().detail ==
          "3 sessions with 40 events were saved into a new database");
    report.unread = 2;
    report.cut = 1;
    report.lost = 1;
    report.renamed = 1;
    CHECK(repair_findings(report).size() == 6);
}

TEST_CASE("doctor: mistakes of the settings are told one a line", "[cli]") {
    const TempDir directory;
    write(directory.file("headway.toml"), "[server]\nlisen = \"x\"\n[log]\nlevel = \"loud\"\n");
    std::ostringstream out;
    std::ostringstream err;
    const Console console{out, err, {}};
    DoctorOptions options;
    options.sources.file = directory.file("headway.toml");
    CHECK(run_doctor(options, {}, console) == 1);
    const std::string text = out.str();
    CHECK(std::count(text.begin(), text.end(), '\n') == 2);
    CHECK_THAT(text, Catch::Contains("WRONG  configuration") && Catch::Contains("listen"));
}

namespace {

StoreReport good_store() {
    StoreReport report;
    report.module = "/usr/lib/headway/headway-postgres.so";
    report.connected = true;
    report.host = "db.example.com:5432";
    report.tls = "TLSv1.3";
    report.version = "15.4";
    report.user = "headway";
    report.schema = "public";
    report.may_create = true;
    report.may_write = true;
    report.tables = 2;
    report.tables_known = 2;
    report.standbys = "FIRST 1 (b)";
    return report;
}

/// Errors: the findings that are not ok.
std::vector<std::string> wrongs(const StoreReport& report) {
    std::vector<std::string> names;
    for (const Finding& finding : store_findings(report)) {
        if (!finding.ok) names.push_back(finding.about);
        CHECK(finding.ok == finding.fix.empty());
    }
    return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("doctor: a store that is as it should be", "[cli]") {
    CHECK(wrongs(good_store()).empty());
    StoreReport fresh = good_store();
    fresh.tables = 0;
    fresh.may_write = false;
    CHECK(wrongs(fresh).empty());
}

TEST_CASE("doctor: each fault of a store has its finding with a next step", "[cli]") {
    StoreReport report = good_store();
    report.tls.clear();
    CHECK(wrongs(report) == Names{"store"});
    report.host = "/run/postgresql:5432";
    CHECK(wrongs(report).empty());
    report = good_store();
    report.may_write = false;
    CHECK(wrongs(report) == Names{"tables"});
    report = good_store();
    report.tables = 3;
    CHECK(wrongs(report) == Names{"tables"});
    report.tables = 1;
    CHECK(wrongs(report) == Names{"tables"});
    report = good_store();
    report.tables = 0;
    report.may_create = false;
    CHECK(wrongs(report) == Names{"tables"});
    report = good_store();
    report.schema.clear();
    CHECK(wrongs(report) == Names{"tables"});
    report = good_store();
    report.importing = true;
    CHECK(wrongs(report) == Names{"tables"});
    report = good_store();
    report.no_fsync = true;
    CHECK(wrongs(report) == Names{"durability"});
    report = good_store();
    report.clock_ahead = headway::core::Millis{-2'000};
    CHECK(wrongs(report) == Names{"clock"});
}

TEST_CASE("doctor: a store that cannot be reached says why", "[cli]") {
    using headway::core::Error;
    using headway::core::ErrorCode;
    const auto away = store_findings(Error{ErrorCode::kStorageUnavailable, "refused", {}});
    REQUIRE(away.size() == 1);
    CHECK_FALSE(away[0].ok);
    CHECK_FALSE(away[0].fix.empty());
}

// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdlib>

#include "cli/doctor/doctor.hpp"

// Report of `headway doctor` about a store that several daemons share.

namespace headway::cli {
namespace {

/// Stamps are the database's; this says how far those of other programs here are from them.
constexpr core::Millis kClockApart{2'000};

Finding connection_finding(const StoreReport& report) {
    const std::string about = "store";
    const bool local = report.host.starts_with('/') || report.host.starts_with("localhost") ||
                       report.host.starts_with("127.") || report.host.starts_with("::1");
    std::string detail = "PostgreSQL " + report.version + " at " + report.host + ", user " +
                         report.user + ", " + (report.tls.empty() ? "without TLS" : report.tls);
    if (!report.tls.empty() || local) return {about, true, std::move(detail), {}};
    return {about, false, std::move(detail) + " over a network",
            "add sslmode=verify-full to the URL, and sslrootcert where its certificate needs one"};
}

Finding tables_finding(const StoreReport& report) {
    const std::string about = "tables";
    if (report.schema.empty())
        return {about, false, "the search_path of " + report.user + " names no schema that exists",
                "create one, or name one with ?options=-csearch_path%3DNAME"};
    if (report.tables > report.tables_known) {
        return {about, false,
                "version " + std::to_string(report.tables) +
                    ", made by a newer Headway; this one "
                    "knows " +
                    std::to_string(report.tables_known),
                "upgrade this one"};
    }
    if (report.tables != 0 && report.tables < report.tables_known) {
        return {about, false,
                "version " + std::to_string(report.tables) +
                    ", made by a development build before 0.1.0",
                "let storage.store name another database or schema"};
    }
    if (report.tables == 0 && !report.may_create) {
        return {about, false, report.user + " may not create tables in the schema " + report.schema,
                "GRANT CREATE ON SCHEMA " + report.schema + " TO " + report.user};
    }
    if (report.tables == 0)
        return {about, true, "not there yet; the first daemon makes them in " + report.schema, {}};
    if (!report.may_write) {
        return {about, false, report.user + " may not write to the tables in " + report.schema,
                "connect as their owner, or GRANT it"};
    }
    if (report.importing) {
        return {about, false, "a `headway migrate` into them runs, or did not come to its end",
                "run it again: it starts from nothing"};
    }
    return {about, true, "version " + std::to_string(report.tables) + " in " + report.schema, {}};
}

Finding durability_finding(const StoreReport& report) {
    if (report.no_fsync) {
        return {"durability", false,
                "fsync is off at the server: a power cut loses what was acknowledged",
                "switch it on"};
    }
    return {"durability",
            true,
            report.standbys.empty()
                ? "no synchronous standby (synchronous_standby_names is empty): a lost server "
                  "loses its last commits"
                : "commits wait for " + report.standbys,
            {}};
}

Finding clock_finding(const StoreReport& report) {
    const bool apart = std::chrono::abs(report.clock_ahead) >= kClockApart;
    const std::string detail = "that of the database is " +
                               std::to_string(std::chrono::abs(report.clock_ahead).count()) +
                               " ms " + (report.clock_ahead < core::Millis{0} ? "behind" : "ahead");
    if (!apart) return {"clock", true, detail, {}};
    return {"clock", false, detail + " of this machine's: stamps are the database's",
            "set both by NTP"};
}

}  // namespace

std::vector<Finding> store_findings(const core::Result<StoreReport>& found) {
    if (!found) {
        const bool config = found.error().code == core::ErrorCode::kInvalidConfig;
        return {{"store", false, found.error().detail,
                 config ? ""
                        : "is the host of storage.store right, does it run, and does pg_hba.conf "
                          "let this user in?"}};
    }
    std::vector<Finding> findings;
    findings.push_back({"store module", true, found->module, {}});
    if (!found->connected) return findings;
    findings.push_back(connection_finding(*found));
    findings.push_back(tables_finding(*found));
    findings.push_back(durability_finding(*found));
    findings.push_back(clock_finding(*found));
    return findings;
}

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/version.hpp"

#include <ostream>

#include "cli/daemon.hpp"
#include "cli/exit_code.hpp"
#include "cli/json.hpp"
#include "cli/verb.hpp"
#include "core/version.hpp"

// `headway version`.

namespace headway::cli {
namespace {

class Version : public VerbOf<VersionOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Print the version");
        arguments.json(options.json);
    }

    int run(const Console& console, const Server&) override {
        const core::VersionInfo& info = core::version();
        if (options.json) {
            const Json all = {
                {"version", info.version}, {"git", info.git}, {"compiler", info.compiler}};
            console.out << dump(all) << "\n";
        } else {
            console.out << "headway " << info.version << " (" << info.git << ", " << info.compiler
                        << ")\n";
        }
        return kExitOk;
    }
};

}  // namespace

std::unique_ptr<Verb> make_version() {
    return std::make_unique<Version>();
}

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/setup/version.hpp"

#include <ostream>

#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "core/base/version.hpp"

// `headway version`.

namespace headway::cli {
namespace {

class Version : public VerbOf<VersionOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Print the version").footer("Example:\n  headway version --json");
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

// SPDX-License-Identifier: Apache-2.0
#include "cli/line/manual.hpp"

#include <filesystem>
#include <fstream>
#include <ostream>
#include <vector>

#include "cli/base/exit_code.hpp"
#include "cli/base/text.hpp"
#include "cli/line/verb_table.hpp"
#include "core/base/version.hpp"
#include "core/text/suggest.hpp"

// `headway manual`: the declared verbs as manual pages.

namespace headway::cli {
namespace {

struct ManualOptions {
    std::string verb;    ///< empty: the program
    std::string folder;  ///< empty: print one; else write all there
};

struct Page {
    const VerbSpec* verb;
    std::string name;  ///< "headway wait"
};

std::vector<Page> pages_of(const VerbSpec& program) {
    std::vector<Page> pages{{&program, program.name}};
    for (const VerbSpec* verb : verbs_of(program))
        pages.push_back({verb, program.name + " " + verb->name});
    return pages;
}

std::string text_of(const Page& page) {
    return manual_page(*page.verb, page.name, std::string{core::version().version});
}

int write_pages(const std::vector<Page>& pages, const std::string& folder, const Console& console) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    for (const Page& page : pages) {
        std::string name = page.name + ".1";
        for (char& c : name)
            if (c == ' ') c = '-';
        const std::filesystem::path file = std::filesystem::path{folder} / name;
        std::ofstream out{file, std::ios::binary | std::ios::trunc};
        out << text_of(page);
        out.close();
        if (!out) {
            return complain(console, kExitFailed, "cannot write " + file.string(),
                            "name a folder that you may write to");
        }
    }
    console.out << pages.size() << " pages in " << folder << "\n";
    return kExitOk;
}

int print_manual(const ManualOptions& options, const Console& console) {
    const Program declared = declare_program();
    const VerbSpec& program = declared.spec;
    const std::vector<Page> pages = pages_of(program);
    if (!options.folder.empty()) return write_pages(pages, options.folder, console);
    std::vector<std::string_view> known;
    for (const Page& page : pages) {
        if (page.verb->name == (options.verb.empty() ? program.name : options.verb)) {
            console.out << text_of(page);
            return kExitOk;
        }
        known.push_back(page.verb->name);
    }
    return complain(
        console, kExitUsage,
        "no verb `" + clean_line(options.verb) + "`" + core::did_you_mean(options.verb, known),
        "`headway --help` lists the verbs");
}

class Manual : public Verb {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Print a manual page, or write all of them to a folder");
        arguments.footer(R"(Examples:
  headway manual | man -l -                 the overview
  headway manual wait | man -l -
  headway manual --folder /usr/local/share/man/man1)");
        arguments.operand("VERB", options_.verb, "verb to describe (default: the overview)");
        arguments
            .option("--folder", options_.folder,
                    "write headway.1, headway-wait.1 and so on to this folder")
            .type("FOLDER");
    }

    int run(const Console& console, const Server&) override {
        return print_manual(options_, console);
    }

private:
    ManualOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_manual() {
    return std::make_unique<Manual>();
}

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <ostream>
#include <vector>

#include "cli/command_table.hpp"
#include "cli/exit_code.hpp"
#include "cli/text.hpp"
#include "cli/verbs.hpp"
#include "core/suggest.hpp"
#include "core/version.hpp"

// The command line in the languages of shells and of man.

namespace headway::cli {
namespace {

struct Page {
    const VerbEntry* verb;
    std::string name;  ///< "headway wait"
};

std::vector<Page> pages_of(const VerbEntry& program) {
    std::vector<Page> pages{{&program, program.name}};
    for (const VerbEntry& verb : program.verbs)
        pages.push_back({&verb, program.name + " " + verb.name});
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

}  // namespace

int print_completion(const CompletionOptions& options, const Console& console) {
    console.out << completion_script(command_table(), options.shell).value_or("");
    return kExitOk;
}

int print_manual(const ManualOptions& options, const Console& console) {
    const VerbEntry program = command_table();
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

}  // namespace headway::cli

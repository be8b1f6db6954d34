// SPDX-License-Identifier: Apache-2.0
#include <ostream>
#include <vector>

#include "cli/app.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/line/verb.hpp"
#include "cli/views/table.hpp"

// `headway routes`: the routes that this program serves, without a daemon.

namespace headway::cli {
namespace {

std::string table_of(const Json& routes, std::size_t width) {
    std::vector<std::vector<Cell>> rows;
    for (const Json& route : routes) {
        rows.push_back({{route.text_of("method"), {}},
                        {route.text_of("path"), {}},
                        {route.text_of("guard"), {}},
                        {route.text_of("effect"), {}},
                        {route.text_of("summary"), {}}});
    }
    return format_table({{"METHOD"}, {"PATH"}, {"GUARD"}, {"EFFECT"}, {"SUMMARY", true}}, rows,
                        width);
}

class Routes : public Verb {
public:
    void declare(Arguments& arguments) override {
        arguments.help("List the routes of the HTTP API, with their scopes");
        arguments.footer(R"(Examples:
  headway routes
  headway routes --openapi > openapi.json
  headway routes --json | jq -r '.[] | select(.guard == "admin") | .path')");
        arguments.json(json_);
        arguments.flag("--openapi", openapi_,
                       "print the API as OpenAPI 3.1, as GET /openapi.json does");
    }

    int run(const Console& console, const Server& server) override {
        if (openapi_) {
            console.out << server.openapi() << "\n";
            return kExitOk;
        }
        const std::string document = server.routes();
        const auto routes = Json::parse(document);
        if (json_ || !routes) {
            console.out << document << "\n";
        } else {
            console.out << table_of(*routes, console.width);
        }
        return kExitOk;
    }

private:
    bool json_ = false;
    bool openapi_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_routes() {
    return std::make_unique<Routes>();
}

}  // namespace headway::cli

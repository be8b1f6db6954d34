// SPDX-License-Identifier: Apache-2.0
#include "cli/top/top_order.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "cli/top/top_data.hpp"
#include "cli/views/event_line.hpp"

namespace headway::cli::top {
namespace {

constexpr std::size_t kDepthMax = 8;
constexpr std::uint64_t kQuietShown = 3;  // rounds with nothing new that are worth a number

using Rank = std::pair<std::string_view, int>;

/// The less, the sooner a person has to look.
int rank_of_need(const Json& need) {
    static constexpr std::array<Rank, 9> kRanks{{{"alarm", 0},
                                                 {"fan_out", 0},
                                                 {"approval", 3},
                                                 {"question", 3},
                                                 {"stuck", 4},
                                                 {"over_budget", 5},
                                                 {"waiting", 6},
                                                 {"blocked", 6},
                                                 {"silent", 7}}};
    const std::string kind = plain_text(need, "kind");
    const std::string risk = plain_text(need, "risk");
    if (kind == "approval" && risk == "critical") return 1;
    if (kind == "approval" && risk == "high") return 2;
    const auto* const found = std::ranges::find(kRanks, std::string_view{kind}, &Rank::first);
    return found == kRanks.end() ? 7 : found->second;
}

int rank_of_row(const Json& row) {
    static constexpr std::array<Rank, 9> kRanks{{{"stuck", 4},
                                                 {"blocked", 6},
                                                 {"silent", 7},
                                                 {"suspect", 8},
                                                 {"slow", 9},
                                                 {"waiting", 10},
                                                 {"starting", 11},
                                                 {"exploring", 12},
                                                 {"progressing", 13}}};
    if (row["alarm"].is_string()) return 0;
    if (row.count_of("approvals_pending") > 0) return 3;
    const std::string status = plain_text(row, "status");
    const auto* const found = std::ranges::find(kRanks, std::string_view{status}, &Rank::first);
    return found == kRanks.end() ? 14 : found->second;
}

/// A row while the list is made; `above` and `kids` are places in the list of all.
struct Node {
    Placed placed;
    int rank = 0;
    std::size_t above = 0;
    bool root = true;
    std::vector<std::size_t> kids;
};

std::vector<Node> nodes_of(const Json& data) {
    std::unordered_map<std::string, int> needed;
    for (const Json& need : needs_of(data)) {
        const int rank = rank_of_need(need);
        const auto [at, fresh] = needed.emplace(plain_text(need, "session"), rank);
        if (!fresh) at->second = std::min(at->second, rank);
    }
    std::vector<Node> nodes;
    for (const Json& row : data["rows"].list()) {
        Node node;
        node.placed.row = &row;
        const Json& used = row["used"];
        node.placed.cost = used["cost_usd"].number();
        node.placed.estimated = used["cost_estimated_usd"].number();
        node.placed.unpriced = used["unpriced_tokens"].number();
        node.rank = rank_of_row(row);
        if (const auto at = needed.find(plain_text(row, "id")); at != needed.end())
            node.rank = std::min(node.rank, at->second);
        nodes.push_back(std::move(node));
    }
    return nodes;
}

/// Parents get their children, unless the chain of parents is a ring, or longer than any sane one.
void link(std::vector<Node>& nodes) {
    std::unordered_map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        places.emplace(plain_text(*nodes[i].placed.row, "id"), i);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto above = places.find(plain_text(*nodes[i].placed.row, "parent"));
        if (above == places.end()) continue;
        std::size_t up = above->second;
        std::size_t depth = 1;
        while (up != i && !nodes[up].root && depth <= kDepthMax) {
            up = nodes[up].above;
            ++depth;
        }
        if (up == i || depth > kDepthMax) continue;
        nodes[i].root = false;
        nodes[i].above = above->second;
        nodes[above->second].kids.push_back(i);
    }
}

/// Places of all nodes, a parent before those below it.
std::vector<std::size_t> preorder(const std::vector<Node>& nodes, std::vector<std::size_t> roots) {
    std::vector<std::size_t> order;
    std::vector<std::size_t> stack{roots.rbegin(), roots.rend()};
    while (!stack.empty()) {
        const std::size_t at = stack.back();
        stack.pop_back();
        order.push_back(at);
        stack.insert(stack.end(), nodes[at].kids.rbegin(), nodes[at].kids.rend());
    }
    return order;
}

std::vector<std::size_t> roots_of(const std::vector<Node>& nodes) {
    std::vector<std::size_t> roots;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].root) roots.push_back(i);
    return roots;
}

/// A node says the worst and the cost of all below it.
void roll_up(std::vector<Node>& nodes, const std::vector<std::size_t>& order) {
    for (const std::size_t at : order) {
        Node& node = nodes[at];
        if (!node.root) node.placed.depth = nodes[node.above].placed.depth + 1;
    }
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        const Node& node = nodes[*at];
        if (node.root) continue;
        Node& above = nodes[node.above];
        above.rank = std::min(above.rank, node.rank);
        above.placed.below += node.placed.below + 1;
        above.placed.cost += node.placed.cost;
        above.placed.estimated += node.placed.estimated;
        above.placed.unpriced += node.placed.unpriced;
    }
}

void sort_by(std::vector<std::size_t>& places, const std::vector<Node>& nodes, TopOrder order) {
    const auto sort = [&](auto key) { std::ranges::stable_sort(places, {}, key); };
    if (order == TopOrder::kWorst) sort([&](std::size_t at) { return nodes[at].rank; });
    if (order == TopOrder::kCost) sort([&](std::size_t at) { return -nodes[at].placed.cost; });
    if (order == TopOrder::kQuiet) {
        sort([&](std::size_t at) {
            return -static_cast<std::int64_t>(nodes[at].placed.row->count_of("quiet_rounds"));
        });
    }
    sort([&](std::size_t at) { return nodes[at].rank == 0 ? 0 : 1; });  // alarms on top
}

}  // namespace

std::vector<Placed> placed(const Json& data, const TopState& state) {
    std::vector<Node> nodes = nodes_of(data);
    if (!state.flat) {
        link(nodes);
        roll_up(nodes, preorder(nodes, roots_of(nodes)));
        for (Node& node : nodes)
            sort_by(node.kids, nodes, state.order);
    }
    std::vector<std::size_t> roots = roots_of(nodes);
    sort_by(roots, nodes, state.order);
    std::vector<Placed> rows;
    for (const std::size_t at : preorder(nodes, std::move(roots)))
        rows.push_back(nodes[at].placed);
    return rows;
}

std::size_t place_of(const std::vector<Placed>& rows, const std::string& id) {
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (plain_text(*rows[i].row, "id") == id) return i;
    return 0;
}

std::string pulse_of(const Json& row, std::size_t cells) {
    static constexpr std::array<std::pair<char, std::string_view>, 5> kCells{
        {{'.', "▁"}, {'x', "▂"}, {'i', "▃"}, {'v', "▆"}, {'s', "█"}}};
    const std::string& activity = row.text_of("activity");
    const std::size_t flat = activity.size() - (activity.find_last_not_of('.') + 1);
    std::string text;
    for (const char cell :
         std::string_view{activity}.substr(activity.size() > cells ? activity.size() - cells : 0)) {
        for (const auto& [letter, shown] : kCells)
            if (letter == cell) text += shown;
    }
    const std::uint64_t quiet = std::max<std::uint64_t>(flat, row.count_of("quiet_rounds"));
    if (flat >= kQuietShown) text += "×" + std::to_string(quiet);
    return text;
}

}  // namespace headway::cli::top

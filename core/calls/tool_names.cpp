// SPDX-License-Identifier: Apache-2.0
#include "core/calls/tool_names.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/text/words.hpp"

namespace headway::core {
namespace {

/// True if a word of a tool's name (`pressKey`, `press_key`) is in the list.
template <class List>
bool names_one_of(std::string_view tool, const List& list) {
    std::string word;
    for (std::size_t i = 0; i <= tool.size(); ++i) {
        const char c = i < tool.size() ? tool[i] : '_';
        const bool hump = c >= 'A' && c <= 'Z' && i > 0 && tool[i - 1] >= 'a' && tool[i - 1] <= 'z';
        if (!is_letter(c) || hump) {
            if (contains(list, word)) return true;
            word.clear();
        }
        if (is_letter(c)) word.push_back(lower(c));
    }
    return false;
}

bool only_asks(std::string_view tool) {
    static constexpr WordList<9> kAsks{
        {"get", "list", "read", "search", "find", "view", "query", "fetch", "next"}};
    return names_one_of(tool, kAsks);
}

}  // namespace

bool acts_on_screen(std::string_view tool) {
    static constexpr WordList<19> kActs{{"undo", "redo", "scroll", "click", "press", "tap", "swipe",
                                         "hover", "goto", "drag", "mouse", "navigate", "keyboard",
                                         "gesture", "dblclick", "doubleclick", "keypress",
                                         "joystick", "touch"}};
    // Some names of what is moved there.
    static constexpr WordList<16> kWorlds{{"chess", "robot", "robots", "drone", "unity", "godot",
                                           "minecraft", "emulator", "simulator", "sim", "gym",
                                           "android", "ios", "adb", "selenium", "stagehand"}};
    if (names_one_of(tool, kActs)) return true;
    return may_act_on_screen(tool) &&
           (is_screen(tool) || shows_pages(tool) || names_one_of(tool, kWorlds));
}

bool steps_on(std::string_view tool) {
    static constexpr WordList<8> kSteps{
        {"jog", "dose", "dispense", "increment", "decrement", "next", "prev", "previous"}};
    static constexpr WordList<8> kAsks{
        {"get", "list", "read", "search", "find", "view", "query", "fetch"}};
    const std::size_t server = tool.rfind("__");  // of MCP
    if (server != tool.npos) tool.remove_prefix(server + 2);
    return names_one_of(tool, kSteps) && !names_one_of(tool, kAsks);
}

bool may_act_on_screen(std::string_view tool) {
    static constexpr WordList<12> kMayAct{{"type", "key", "keys", "back", "forward", "cursor",
                                           "act", "action", "step", "play", "move", "button"}};
    return names_one_of(tool, kMayAct);
}

bool is_direction(std::string_view value) {
    static constexpr WordList<18> kDirections{
        {"left", "right", "up", "down", "north", "south", "east", "west", "forward", "forwards",
         "back", "backward", "backwards", "n", "s", "e", "w", "stay"}};
    return contains(kDirections, lower(value.substr(0, 16)));
}

bool is_screen(std::string_view tool) {
    static constexpr WordList<10> kScreens{{"computer", "browser", "desktop", "screen", "gui",
                                            "device", "phone", "game", "page", "mouse"}};
    return names_one_of(tool, kScreens);
}

bool shows_pages(std::string_view tool) {
    static constexpr WordList<6> kBrowsers{
        {"browser", "page", "chrome", "devtools", "playwright", "puppeteer"}};
    return names_one_of(tool, kBrowsers);
}

bool runs_in_page(std::string_view tool) {
    static constexpr WordList<5> kRuns{{"evaluate", "eval", "run", "execute", "script"}};
    return is_screen(tool) && names_one_of(tool, kRuns);
}

bool looks_at_screen(std::string_view tool) {
    static constexpr WordList<2> kPictures{{"snapshot", "screenshot"}};
    static constexpr WordList<2> kTakes{{"take", "capture"}};
    return names_one_of(tool, kPictures) && (is_screen(tool) || names_one_of(tool, kTakes));
}

bool only_remembers(std::string_view tool) {
    static constexpr WordList<2> kAlone{{"memorize", "remember"}};
    static constexpr WordList<2> kMemory{{"memory", "scratchpad"}};
    static constexpr WordList<8> kWrites{
        {"write", "save", "add", "store", "update", "append", "set", "record"}};
    return names_one_of(tool, kAlone) ||
           (names_one_of(tool, kMemory) && names_one_of(tool, kWrites));
}

bool asks_a_person(std::string_view tool) {
    static constexpr WordList<1> kAsk{{"ask"}};
    static constexpr WordList<3> kPersons{{"user", "human", "operator"}};
    static constexpr WordList<1> kRequests{{"request"}};
    static constexpr WordList<4> kWishes{{"input", "approval", "feedback", "confirmation"}};
    // Whole names: opencode and Kilo, Codex, and the ends of plans, which a person approves.
    static constexpr WordList<7> kNames{{"question", "request_permissions", "exitplanmode",
                                         "exit_plan_mode", "plan_exit", "plan_mode_respond",
                                         "askuserquestion"}};
    const std::string name = lower(tool);
    if (contains(kNames, std::string_view{name})) return true;
    // `request_user_input`, `request_human_approval`.
    if (names_one_of(tool, kRequests) && names_one_of(tool, kPersons) &&
        names_one_of(tool, kWishes))
        return true;
    if (!names_one_of(tool, kAsk)) return false;
    // `ask_followup_question`; not `ask_question_answering_model`.
    return names_one_of(tool, kPersons) || name.ends_with("question") ||
           name.ends_with("questions");
}

bool hands_something_in(std::string_view tool) {
    static constexpr WordList<28> kHands{
        {"create",   "add",     "post",    "send",   "submit", "launch",   "spawn",
         "start",    "comment", "publish", "book",   "order",  "place",    "register",
         "schedule", "trigger", "enqueue", "notify", "reply",  "dispatch", "open",
         "request",  "invite",  "file",    "insert", "append", "update",   "upload"}};
    return names_one_of(tool, kHands) && !only_asks(tool);
}

bool may_only_ask(std::string_view tool) {
    static constexpr WordList<19> kSure{{"create", "add", "send", "submit", "launch", "spawn",
                                         "start", "publish", "place", "register", "schedule",
                                         "trigger", "enqueue", "notify", "reply", "dispatch",
                                         "invite", "insert", "upload"}};
    static constexpr WordList<18> kMayAsk{{"post", "comment", "book", "order", "open", "request",
                                           "file", "pay", "sms", "charge", "transfer", "purchase",
                                           "buy", "mail", "email", "donate", "tweet", "payment"}};
    return names_one_of(tool, kMayAsk) && !names_one_of(tool, kSure);
}

bool takes_next(std::string_view tool) {
    static constexpr WordList<8> kParts{
        {"next", "once", "one", "batch", "chunk", "pop", "dequeue", "drain"}};
    return names_one_of(tool, kParts);
}

bool begins_work(std::string_view words) {
    static constexpr WordList<27> kBegins{
        {"restart",  "stop",    "retry",    "rerun",  "resume", "create",   "submit",
         "deploy",   "trigger", "start",    "launch", "send",   "enqueue",  "dispatch",
         "place",    "publish", "schedule", "invite", "post",   "spawn",    "book",
         "register", "upload",  "crawl",    "refund", "invoke", "provision"}};
    static constexpr WordList<26> kAsks{
        {"status",   "state",  "check",   "poll",     "wait",    "await", "watch",
         "progress", "track",  "monitor", "show",     "info",    "log",   "logs",
         "describe", "health", "result",  "retrieve", "test",    "tests", "count",
         "stdout",   "output", "input",   "keys",     "terminal"}};
    return names_one_of(words, kBegins) && !names_one_of(words, kAsks) && !only_asks(words);
}

bool fetches_page(std::string_view tool) {
    static constexpr WordList<3> kFetches{{"fetch", "webfetch", "openurl"}};
    return names_one_of(tool, kFetches);
}

bool is_sub_agent(std::string_view tool) {
    static constexpr WordList<4> kAgents{{"task", "agent", "subagent", "delegate"}};
    return names_one_of(tool, kAgents) && !only_asks(tool);
}

bool waits_by_name(std::string_view tool) {
    static constexpr WordList<3> kWaits{{"wait", "await", "waits"}};
    return names_one_of(tool, kWaits);
}

bool thinks_by_name(std::string_view tool) {
    static constexpr WordList<6> kThinks{
        {"think", "thinking", "thought", "thoughts", "reflect", "sequentialthinking"}};
    return names_one_of(tool, kThinks);
}

bool receives(std::string_view tool) {
    static constexpr WordList<16> kReceives{
        {"receive", "inbox", "mail", "mailbox", "email", "emails", "gmail", "message", "messages",
         "queue", "event", "events", "notification", "notifications", "listen", "consume"}};
    return names_one_of(tool, kReceives);
}

bool is_artifact(std::string_view path) {
    static constexpr std::array<std::string_view, 14> kParts{
        "coverage",          "__pycache__", ".pytest_cache", "node_modules/", ".mypy_cache",
        "test-results",      "junit",       ".cache/",       "htmlcov",       ".nyc_output",
        "playwright-report", ".ruff_cache", "allure",        ".tox/"};
    static constexpr std::array<std::string_view, 7> kEnds{".log",  ".pyc", ".tmp", ".pid",
                                                           ".lock", ".swp", ".out"};
    return mentions(path, kParts) ||
           std::any_of(kEnds.begin(), kEnds.end(),
                       [path](std::string_view end) { return path.ends_with(end); });
}

}  // namespace headway::core

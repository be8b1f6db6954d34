// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/settings/settings_text.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "cli/base/json.hpp"

using namespace headway::cli;

namespace {

SettingsText settings_of(std::string text) {
    auto parsed = SettingsText::parse(std::move(text));
    INFO((parsed ? "" : parsed.error().detail));
    REQUIRE(parsed);
    return *parsed;
}

std::string settings_fault(std::string text) {
    const auto parsed = SettingsText::parse(std::move(text));
    return parsed ? "" : parsed.error().detail;
}

std::string with_inserted(const std::string& text, const std::vector<std::string>& path,
                          const std::string& element) {
    const auto parsed = settings_of(text).with_element(path, element);
    INFO((parsed ? "" : parsed.error().detail));
    REQUIRE(parsed);
    return *parsed;
}

/// Everything whose text holds the mark, wherever it is.
std::string without_marked(const std::string& text) {
    const SettingsText settings = settings_of(text);
    std::vector<SettingsText::Id> marked;
    std::vector<SettingsText::Id> todo{settings.root()};
    while (!todo.empty()) {
        const auto at = todo.back();
        todo.pop_back();
        for (const auto child : settings.children(at)) {
            const bool own = settings.string_of(settings.member(child, "own")) == "yes";
            (own ? marked : todo).push_back(child);
        }
    }
    return settings.without(marked);
}

const std::string kOwnElement = R"({"own":"yes","n":[1,{}]})";

/// JSON text as no person would write it.
class OddSettings {
public:
    explicit OddSettings(std::uint32_t seed) : random_(seed) {
        crlf_ = pick(3) == 0;
        lines_ = pick(4) != 0;
        comments_ = pick(2) == 0;
    }

    std::string file() {
        std::string out = pick(5) == 0 ? "\xEF\xBB\xBF" : "";
        out += gap() + object(0, true) + gap();
        if (pick(2) == 0) out += newline();
        return out;
    }

private:
    std::uint32_t pick(std::uint32_t below) {
        return std::uniform_int_distribution<std::uint32_t>{0, below - 1}(random_);
    }

    std::string newline() const { return !lines_ ? " " : crlf_ ? "\r\n" : "\n"; }

    std::string gap() {
        std::string out;
        for (std::uint32_t i = pick(4); i > 0; --i) {
            switch (pick(comments_ ? 6 : 3)) {
                case 0:
                    out += newline();
                    break;
                case 1:
                    out += std::string(pick(4), ' ');
                    break;
                case 2:
                    out += "\t";
                    break;
                case 3:
                    out += "/* , ] } \" */";
                    break;
                case 4:
                    out += lines_ ? "// { \" ," + std::string(pick(3), ' ') + newline() : "";
                    break;
                default:
                    out += "/**/";
                    break;
            }
        }
        return out;
    }

    std::string value(int depth) {
        switch (pick(depth > 3 ? 4 : 7)) {
            case 0:
                return "null";
            case 1:
                return "-1.5e+3";
            case 2:
                return R"("a\"\\\u00e9 // no comment [")";
            case 3:
                return "\"\xC3\xA9\"";
            case 4:
                return array(depth);
            default:
                return object(depth, false);
        }
    }

    std::string array(int depth) {
        std::string out = "[" + gap();
        const std::uint32_t count = pick(4);
        for (std::uint32_t i = 0; i < count; ++i) {
            out += value(depth + 1) + gap();
            if (i + 1 < count || pick(3) == 0) out += "," + gap();
        }
        return out + "]";
    }

    std::string object(int depth, bool hooks) {
        std::string out = "{" + gap();
        const std::uint32_t count = pick(5);
        const std::uint32_t place = pick(6);
        for (std::uint32_t i = 0; i < count; ++i) {
            const bool here = hooks && i == place;
            const std::string name =
                here ? "hooks" : std::string{"k"} + static_cast<char>('a' + pick(4));
            out += "\"" + name + "\"" + gap() + ":" + gap();
            out += here ? events(depth) : value(depth + 1);
            out += gap();
            if (i + 1 < count || pick(3) == 0) out += "," + gap();
        }
        return out + "}";
    }

    std::string events(int depth) {
        std::string out = "{" + gap();
        const std::uint32_t count = pick(3);
        for (std::uint32_t i = 0; i < count; ++i) {
            out += (i == 0 ? "\"Pre\":" : "\"Post\":") + gap() + array(depth + 1) + gap();
            if (i + 1 < count || pick(3) == 0) out += "," + gap();
        }
        return out + "}";
    }

    std::mt19937 random_;
    bool crlf_ = false;
    bool lines_ = true;
    bool comments_ = true;
};

}  // namespace

TEST_CASE("A settings file is read with comments and trailing commas") {
    const SettingsText text =
        settings_of("\xEF\xBB\xBF// all\n{ \"a\": [1, /* two */ 2,], \"b\\u0063\": \"x\\ny\", }\n");
    REQUIRE(text.is_object(text.root()));
    const auto list = text.member(text.root(), "a");
    CHECK(text.children(list).size() == 2);
    CHECK(text.compact(list) == "[ 1, 2 ]");
    CHECK(text.string_of(text.member(text.root(), "bc")) == "x\ny");
    CHECK(text.member(text.root(), "c") == SettingsText::kNone);
    CHECK(text.place_of(list) == "line 2, column 3");
}

TEST_CASE("Of members with one name the last counts") {
    const SettingsText text = settings_of(R"({"a":"first","a":"last"})");
    CHECK(text.string_of(text.member(text.root(), "a")) == "last");
}

TEST_CASE("What is no JSON is refused with its place") {
    CHECK(settings_fault("{\n  \"a\" 1}") == "line 2, column 7: `:` is missing");
    CHECK(settings_fault("{\"a\":1 \"b\":2}") == "line 1, column 8: `,` or `}` is missing");
    CHECK(settings_fault("{\"é\":x}") == "line 1, column 6: this is no JSON");
    CHECK(settings_fault("{\"a\":[1,,2]}") == "line 1, column 9: this is no JSON");
    CHECK(settings_fault("{\"a\":\"x") == "line 1, column 8: this text has no end");
    CHECK(settings_fault("{\"a\":1") == "line 1, column 7: `,` or `}` is missing");
    CHECK(settings_fault("{} {}") == "line 1, column 4: nothing may follow the value");
    CHECK(settings_fault("{/*") == "line 1, column 2: this comment has no end");
    CHECK(settings_fault("// only words\n") == "line 2, column 1: a value is missing");
    CHECK_FALSE(settings_fault("{'a':1}").empty());
    CHECK_FALSE(settings_fault("[01]").empty());
    CHECK_FALSE(settings_fault("[1.]").empty());
    CHECK_FALSE(settings_fault("[\"\\x\"]").empty());
    CHECK_FALSE(settings_fault("[\"\\u12g4\"]").empty());
    CHECK_FALSE(settings_fault("[\"a\nb\"]").empty());
    CHECK_FALSE(settings_fault(std::string{"[\"\\"}).empty());
    CHECK_FALSE(settings_fault(std::string(1000, '[')).empty());
    CHECK(settings_fault(std::string(kSettingsDepthMax, '[') + std::string(kSettingsDepthMax, ']'))
              .empty());
    CHECK_FALSE(settings_fault(std::string(kSettingsBytesMax + 1, ' ')).empty());
    CHECK(settings_fault("").empty());
    CHECK(settings_fault(" \n").empty());
}

TEST_CASE("An insertion takes the manner of the file") {
    CHECK(with_inserted("{\n    \"a\": 1\n}\n", {"hooks", "Pre"}, R"({"own":"yes"})") ==
          "{\n    \"a\": 1,\n    \"hooks\": {\n        \"Pre\": [\n            {\n"
          "                \"own\": \"yes\"\n            }\n        ]\n    }\n}\n");
    CHECK(with_inserted("{\"a\":1}", {"hooks"}, "2") == "{\"a\":1,\"hooks\":[ 2 ]}");
    CHECK(with_inserted("{\r\n\t\"hooks\": [\r\n\t\t1,\r\n\t]\r\n}", {"hooks"}, "2") ==
          "{\r\n\t\"hooks\": [\r\n\t\t1,\r\n\t\t2,\r\n\t]\r\n}");
    CHECK(with_inserted("{\n  \"hooks\": [\n    1 // one\n  ]\n}", {"hooks"}, "2") ==
          "{\n  \"hooks\": [\n    1, // one\n    2\n  ]\n}");
    CHECK(with_inserted("", {"hooks"}, "2") == "{\n  \"hooks\": [\n    2\n  ]\n}");
    CHECK(with_inserted("{}", {"hooks"}, "2") == "{\"hooks\": [\n  2\n]}");
    CHECK(with_inserted("{\n  \"hooks\": []\n}", {"hooks"}, "[3]") ==
          "{\n  \"hooks\": [[\n    3\n  ]]\n}");
}

TEST_CASE("Something of another kind on the way is named with its place") {
    const auto list = settings_of("{\n \"hooks\": []}").with_element({"hooks", "Pre"}, "1");
    REQUIRE_FALSE(list);
    CHECK(list.error().detail == "line 2, column 2: \"hooks\" is no object");
    const auto text = settings_of(R"({"hooks":{"Pre":"x"}})").with_element({"hooks", "Pre"}, "1");
    REQUIRE_FALSE(text);
    CHECK(text.error().detail == "line 1, column 11: \"Pre\" is no list");
    REQUIRE_FALSE(settings_of("[]").with_element({"hooks"}, "1"));
}

TEST_CASE("A value is replaced where it stands") {
    const SettingsText text = settings_of("{\n  \"a\": [\n    {\"old\": 1} // kept\n  ]\n}");
    const auto old = text.children(text.member(text.root(), "a")).front();
    CHECK(text.with_replaced(old, R"({"new":2})") ==
          "{\n  \"a\": [\n    { \"new\": 2 } // kept\n  ]\n}");
}

TEST_CASE("A removal takes nothing of others with it") {
    CHECK(without_marked(R"({"a":[1,{"own":"yes"},2]})") == R"({"a":[1,2]})");
    CHECK(without_marked(R"({"a":[{"own":"yes"},2]})") == R"({"a":[2]})");
    CHECK(without_marked(R"({"a":[1,{"own":"yes"}]})") == R"({"a":[1]})");
    CHECK(without_marked(R"({"a":[{ "own":"yes"}]})") == R"({"a":[]})");
    CHECK(without_marked(R"({"a":[{"own":"yes"}]})") == R"({})");  // written again by others
    CHECK(without_marked("{\"a\":[\n1, // one\n{\"own\":\"yes\"}, 2]}") ==
          "{\"a\":[\n1, // one\n 2]}");
    CHECK(without_marked("{\"a\":[// one\n{\"own\":\"yes\"},\n{\"own\":\"yes\"}]}") ==
          "{\"a\":[// one\n]}");
    CHECK(without_marked("{\"a\":[ /* why */ {\"own\":\"yes\"} ]}") == "{\"a\":[ /* why */ ]}");
    CHECK(without_marked("{\n  \"a\": [\n    {\"own\":\"yes\"}\n  ]\n}\n") == "\n");
}

TEST_CASE("An insertion and its removal give back every byte") {
    const int seeds = 4000;
    for (int seed = 0; seed < seeds; ++seed) {
        const std::string before = OddSettings(static_cast<std::uint32_t>(seed)).file();
        INFO("seed " << seed << "\n" << before);
        std::string text = before;
        bool taken = true;
        for (const char* event : {"Pre", "Post", "Pre", "End"}) {
            const auto more = settings_of(text).with_element({"hooks", event}, kOwnElement);
            taken = taken && more;
            if (more) text = *more;
        }
        INFO(text);
        if (taken) {  // it is JSON with what it had, and four more
            const SettingsText after = settings_of(text);
            const auto hooks = after.member(after.root(), "hooks");
            REQUIRE(after.children(after.member(hooks, "Pre")).size() >= 2);
            REQUIRE(after.string_of(after.member(after.children(after.member(hooks, "End")).back(),
                                                 "own")) == "yes");
        }
        REQUIRE(without_marked(text) == before);
    }
}

TEST_CASE("A removal leaves JSON, whatever stands around it") {
    for (int seed = 0; seed < 2000; ++seed) {
        std::string text = OddSettings(static_cast<std::uint32_t>(seed)).file();
        for (std::size_t at = text.find("null"); at != std::string::npos;
             at = text.find("null", at))
            text.replace(at, 4, kOwnElement);
        INFO("seed " << seed << "\n" << text);
        const std::string after = without_marked(text);
        INFO(after);
        const auto left = SettingsText::parse(after);
        REQUIRE(left);
        if (left->root() == SettingsText::kNone) continue;
        const std::string wanted = settings_of(text).compact(0);
        REQUIRE(Json::parse(left->compact(0)));
        REQUIRE(left->compact(0).find("own") == std::string::npos);
        REQUIRE(wanted.size() >= left->compact(0).size());
    }
}

TEST_CASE("Any bytes are refused, or edited and given back") {
    std::mt19937 random{1};
    const auto pick = [&](std::size_t below) {
        return std::uniform_int_distribution<std::size_t>{0, below - 1}(random);
    };
    const std::string_view bytes = "{}[]\",:/*\\\n\r\t 0a\xEF\xC3";
    int taken = 0;
    for (std::uint32_t seed = 0; seed < 4000; ++seed) {
        std::string text = OddSettings(seed).file();
        for (std::size_t i = pick(3); i < 3; ++i) {
            const std::size_t at = pick(text.size());
            if (pick(2) == 0) {
                text.erase(at, 1 + pick(3));
            } else {
                text.insert(at, 1, bytes[pick(bytes.size())]);
            }
            if (text.empty()) text = " ";
        }
        INFO("seed " << seed << "\n" << text);
        const auto settings = SettingsText::parse(text);
        if (!settings) continue;
        const auto longer = settings->with_element({"hooks", "Pre"}, kOwnElement);
        if (!longer) continue;
        ++taken;
        REQUIRE(without_marked(*longer) == text);
    }
    CHECK(taken > 300);
}

TEST_CASE("A megabyte is edited in one go") {
    std::string text = "{\n  \"permissions\": [\n";
    for (int i = 0; i < 30'000; ++i)
        text += "    \"Bash(make target-" + std::to_string(i) + ":*)\",\n";
    text += "    \"last\"\n  ]\n}\n";
    const std::string after = with_inserted(text, {"hooks", "Pre"}, kOwnElement);
    CHECK(after.size() > text.size());
    CHECK(without_marked(after) == text);
}

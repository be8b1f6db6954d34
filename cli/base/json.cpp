// SPDX-License-Identifier: Apache-2.0
#include "cli/base/json.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/json/readable_json.hpp"
#include "core/text/visible.hpp"

// The only user of nlohmann: its parser fills in our values, its serializer prints texts.

namespace headway::cli {
namespace {

const Json kNull;

/// A number that fits into Integer, or its nearest one.
template <class Integer>
Integer nearest(double value) {
    constexpr auto kMin = static_cast<double>(std::numeric_limits<Integer>::min());
    constexpr auto kMax = static_cast<double>(std::numeric_limits<Integer>::max());
    if (!(value > kMin)) return std::numeric_limits<Integer>::min();
    if (value >= kMax) return std::numeric_limits<Integer>::max();
    return static_cast<Integer>(value);
}

}  // namespace

/// Builds a value while the parser walks over the text.
class JsonBuilder {
public:
    std::optional<Json> take() {
        if (failed_) return std::nullopt;
        return std::move(root_);
    }

    bool null() { return put(Json()); }
    bool boolean(bool value) { return put(Json(value)); }
    /// 0 comes here only as -0, which is other text than 0.
    bool number_integer(std::int64_t value) {
        return put(value == 0 ? Json(Json::Real{-0.0, "-0"}) : Json(value));
    }
    bool number_unsigned(std::uint64_t value) { return put(Json(value)); }
    bool number_float(double value, const std::string& text) {
        return put(Json(Json::Real{value, text}));
    }
    bool string(std::string& value) { return put(Json(std::move(value))); }
    bool binary(nlohmann::json::binary_t&) { return false; }
    bool start_object(std::size_t) { return open(Json::object()); }
    bool start_array(std::size_t) { return open(Json::array()); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool key(std::string& name) {
        name_ = std::move(name);
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) {
        failed_ = true;
        return false;
    }

private:
    Json& place(Json value) {
        if (open_.empty()) return root_ = std::move(value);
        Json& parent = *open_.back();
        if (parent.is_object()) return parent[name_] = std::move(value);
        parent.push_back(std::move(value));
        return parent.list().back();
    }

    bool put(Json value) {
        place(std::move(value));
        return true;
    }

    bool open(Json value) {
        failed_ = failed_ || open_.size() >= Json::kDepthMax;
        if (!failed_) open_.push_back(&place(std::move(value)));
        return !failed_;
    }

    bool close() {
        open_.pop_back();
        return true;
    }

    Json root_;
    std::vector<Json*> open_;  ///< the innermost last; a parent does not move while it is open
    std::string name_;
    bool failed_ = false;
};

Json::Json() noexcept = default;
Json::Json(std::nullptr_t) noexcept {}
Json::Json(const char* text) : value_(std::in_place_type<std::string>, text) {}
Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(std::string_view text) : value_(std::in_place_type<std::string>, text) {}
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

Json::Json(const std::vector<std::string>& texts)
    : value_(std::in_place_type<List>, texts.begin(), texts.end()) {}

Json::Json(std::initializer_list<Member> members) : value_(std::in_place_type<Members>) {
    for (const Member& member : members)
        (*this)[member.name] = member.value;
}

Json Json::object() {
    Json json;
    json.value_.emplace<Members>();
    return json;
}

Json Json::array(std::initializer_list<Json> values) {
    Json json;
    json.value_.emplace<List>(values);
    return json;
}

std::optional<Json> Json::parse(std::string_view text) {
    JsonBuilder builder;
    if (nlohmann::json::sax_parse(text, &builder)) return builder.take();
    JsonBuilder again;
    const std::string readable = api::readable_json(text, kDepthMax);
    if (!nlohmann::json::sax_parse(readable, &again)) return std::nullopt;
    return again.take();
}

const std::string& Json::text() const {
    static const std::string none;
    const auto* const text = std::get_if<std::string>(&value_);
    return text == nullptr ? none : *text;
}

double Json::number() const {
    if (const auto* const real = std::get_if<Real>(&value_)) return real->value;
    if (const auto* const whole = std::get_if<std::int64_t>(&value_))
        return static_cast<double>(*whole);
    const auto* const count = std::get_if<std::uint64_t>(&value_);
    return count == nullptr ? 0.0 : static_cast<double>(*count);
}

std::int64_t Json::integer() const {
    if (const auto* const whole = std::get_if<std::int64_t>(&value_)) return *whole;
    const auto* const count = std::get_if<std::uint64_t>(&value_);
    if (count == nullptr) return is_number() ? nearest<std::int64_t>(number()) : 0;
    constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(*count < kMax ? *count : kMax);
}

std::uint64_t Json::count() const {
    if (const auto* const count = std::get_if<std::uint64_t>(&value_)) return *count;
    if (const auto* const whole = std::get_if<std::int64_t>(&value_))
        return *whole < 0 ? 0 : static_cast<std::uint64_t>(*whole);
    return is_number() ? nearest<std::uint64_t>(number()) : 0;
}

const Json::List& Json::list() const {
    static const List none;
    const auto* const list = std::get_if<List>(&value_);
    return list == nullptr ? none : *list;
}

const Json::Members& Json::members() const {
    static const Members none;
    const auto* const members = std::get_if<Members>(&value_);
    return members == nullptr ? none : *members;
}

Json::List& Json::list() {
    if (is_null()) value_.emplace<List>();
    return std::get<List>(value_);
}

Json::Members& Json::members() {
    if (is_null()) value_.emplace<Members>();
    return std::get<Members>(value_);
}

std::size_t Json::size() const {
    if (is_array()) return list().size();
    if (is_object()) return members().size();
    return is_null() ? 0 : 1;
}

const Json* Json::find(std::string_view name) const {
    const Members& all = members();
    const auto found = all.find(name);
    return found == all.end() ? nullptr : &found->second;
}

const Json& Json::operator[](std::string_view name) const {
    const Json* const found = find(name);
    return found == nullptr ? kNull : *found;
}

const Json& Json::operator[](std::size_t index) const {
    return index < list().size() ? list()[index] : kNull;
}

Json& Json::operator[](std::string_view name) {
    Members& all = members();
    const auto found = all.find(name);
    return found == all.end() ? all[std::string(name)] : found->second;
}

Json& Json::operator[](std::size_t index) {
    return list().at(index);
}

std::uint64_t Json::count_of(std::string_view name, std::uint64_t otherwise) const {
    const Json& value = (*this)[name];
    return value.is_number() ? value.count() : otherwise;
}

bool Json::flag_of(std::string_view name) const {
    const auto* const flag = std::get_if<bool>(&(*this)[name].value_);
    return flag != nullptr && *flag;
}

void Json::push_back(Json value) {
    list().push_back(std::move(value));
}

void Json::erase(std::string_view name) {
    if (const auto found = members().find(name); found != members().end()) members().erase(found);
}

void Json::update(const Json& other) {
    for (const auto& [name, value] : other.members())
        (*this)[name] = value;
}

bool operator==(const Json& a, const Json& b) {
    if (!a.is_number() || !b.is_number()) return a.value_ == b.value_;
    if (!a.is_integer() || !b.is_integer()) return a.number() == b.number();
    const bool same_sign =
        (a.is_unsigned() || a.integer() >= 0) == (b.is_unsigned() || b.integer() >= 0);
    return same_sign && a.integer() == b.integer() && a.count() == b.count();
}

std::string json_number(const Json& value) {
    if (value.is_unsigned()) return std::to_string(value.count());
    if (value.is_integer()) return std::to_string(value.integer());
    const Json::Real& real = std::get<Json::Real>(value.value_);
    return real.text.empty() ? nlohmann::json(real.value).dump() : real.text;
}

namespace {

std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Appends values as JSON text; our own, because no serializer of nlohmann keeps a number's text.
class JsonPrinter {
public:
    JsonPrinter(std::string& out, int indent) : out_(out), indent_(indent) {}

    void print(const Json& value) {
        if (value.is_object()) {
            out_ += '{';
            for (const auto& [name, member] : value.members()) {
                next();
                out_ += quoted(name) + (indent_ < 0 ? ":" : ": ");
                print_inside(member);
            }
            close('}', value.size());
        } else if (value.is_array()) {
            out_ += '[';
            for (const Json& element : value) {
                next();
                print_inside(element);
            }
            close(']', value.size());
        } else if (value.is_string()) {
            out_ += quoted(value.text());
        } else if (value.is_number()) {
            out_ += json_number(value);
        } else {
            out_ += value.is_null() ? "null" : value == true ? "true" : "false";
        }
    }

private:
    void print_inside(const Json& value) {
        ++depth_;
        print(value);
        --depth_;
    }

    void new_line(std::size_t depth) {
        if (indent_ < 0) return;
        out_ += '\n';
        out_.append(depth * static_cast<std::size_t>(indent_), ' ');
    }

    void next() {
        if (out_.back() != '{' && out_.back() != '[') out_ += ',';
        new_line(depth_ + 1);
    }

    void close(char bracket, std::size_t count) {
        if (count > 0) new_line(depth_);
        out_ += bracket;
    }

    std::string& out_;
    int indent_;
    std::size_t depth_ = 0;
};

}  // namespace

std::string dump(const Json& value, int indent) {
    std::string text;
    JsonPrinter{text, indent}.print(value);
    return core::visible_json(text);
}

}  // namespace headway::cli

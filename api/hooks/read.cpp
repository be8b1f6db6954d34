// SPDX-License-Identifier: Apache-2.0
#include "api/hooks/read.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "api/json/canonical_json.hpp"
#include "api/records/args_digest.hpp"
#include "core/text/sha256.hpp"

namespace headway::api::hooks {
namespace {

constexpr std::size_t kPathBytesMax = 4096;
constexpr std::string_view kContentId = "h-";
constexpr std::size_t kCallIdDigits = 32;

std::optional<JsonValue> typed_in(JsonValue object, std::string_view name, JsonKind kind) {
    std::optional<JsonValue> found = member(object, name);
    if (found && found->kind() != kind) found.reset();
    return found;
}

std::string plain_string_in(JsonValue object, std::string_view name, std::size_t bytes_max) {
    const auto found = typed_in(object, name, JsonKind::kString);
    if (!found || found->text().size() > bytes_max) return {};
    const auto is_control = [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    };
    const std::string_view text = found->text();
    if (std::any_of(text.begin(), text.end(), is_control)) return {};
    return std::string{text};
}

/// Whether an element of a list is one of the blocks that messages consist of.
bool is_block(JsonValue item) {
    if (item.kind() == JsonKind::kString) return true;
    return typed_in(item, "text", JsonKind::kString) || typed_in(item, "type", JsonKind::kString) ||
           typed_in(item, "inlineData", JsonKind::kObject);
}

/// The bytes of a picture or a file; of anything else all members but those about the answer
/// itself, which are others each time.
std::string content_of_block(JsonValue block) {
    constexpr std::array<std::string_view, 5> kBytes{"data", "source", "inlineData", "blob",
                                                     "resource"};
    constexpr std::array<std::string_view, 3> kAbout{"_meta", "annotations", "type"};
    const auto is_one_of = [](const auto& names, std::string_view name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    std::string bytes;
    std::string other;
    block.each([&](JsonValue part) {
        if (is_one_of(kAbout, part.key())) return true;
        const bool is_bytes = is_one_of(kBytes, part.key());
        std::string& text = is_bytes ? bytes : other;
        text.append(part.key()).append(1, ':');
        if (is_bytes && part.kind() == JsonKind::kObject) {
            text += content_of_block(part);
        } else {
            part.append_to(text);
        }
        return true;
    });
    return bytes.empty() ? other : bytes;
}

/// The text of an embedded resource; of anything else its type, and a mark of its content.
std::string name_of_block(JsonValue block) {
    if (const auto resource = typed_in(block, "resource", JsonKind::kObject))
        if (typed_in(*resource, "text", JsonKind::kString)) return text_in(*resource, "text");
    std::string type = text_in(block, "type");
    if (type.empty()) type = "data";
    const std::string content = content_of_block(block);
    if (content.empty()) return "[" + type + "]";
    return "[" + type + " " + core::mark_of(content) + "]";
}

/// Texts as they are, and what is no text (images and the like) by its type and a mark.
std::string joined_blocks(JsonValue list) {
    std::string out;
    list.each([&](JsonValue item) {
        if (!out.empty() && out.back() != '\n') out.push_back('\n');
        if (item.kind() == JsonKind::kString) {
            out += item.redacted_text();
        } else if (typed_in(item, "text", JsonKind::kString)) {
            out += text_in(item, "text");
        } else {
            out += name_of_block(item);
        }
        return true;
    });
    return out;
}

bool is_blocks(JsonValue list) {
    return list.kind() == JsonKind::kArray && list.size() > 0 && list.each(is_block);
}

std::string streams_text(JsonValue response) {
    std::string out = text_in(response, "stdout");
    const std::string errors = text_in(response, "stderr");
    if (!out.empty() && out.back() != '\n' && !errors.empty()) out.push_back('\n');
    return out + errors;
}

constexpr std::array<std::string_view, 3> kWholeFiles{"originalFile", "structuredPatch", "content"};

/// True for a member that repeats a file whose path stands beside it. Elsewhere `content` is the
/// result itself, as in that of a search.
bool repeats_file(JsonValue child, bool has_path) {
    if (child.key() == "content" && !has_path) return false;
    return std::find(kWholeFiles.begin(), kWholeFiles.end(), child.key()) != kWholeFiles.end();
}

/// Secrets are recognised by the key above them too, so they are cut out of the whole first.
std::string without_files(JsonValue object) {
    std::string whole;
    object.append_redacted_to(whole);
    const bool has_path = member(object, "filePath") || member(object, "file_path");
    if (object.each([&](JsonValue child) { return !repeats_file(child, has_path); })) return whole;
    JsonDocument document;
    if (!document.parse(whole)) return {};
    std::string out = "{";
    document.root().each([&](JsonValue child) {
        if (repeats_file(child, has_path)) return true;
        if (out.size() > 1) out.push_back(',');
        append_json_string(out, child.key());
        out.push_back(':');
        child.append_to(out);
        return true;
    });
    return out + "}";
}

}  // namespace

std::optional<JsonValue> object_in(JsonValue object, std::string_view name) {
    return typed_in(object, name, JsonKind::kObject);
}

std::optional<JsonValue> array_in(JsonValue object, std::string_view name) {
    return typed_in(object, name, JsonKind::kArray);
}

std::string text_in(JsonValue object, std::string_view name) {
    const auto found = typed_in(object, name, JsonKind::kString);
    return found ? found->redacted_text() : std::string{};
}

bool is_empty_in(JsonValue object, std::string_view name) {
    if (object.kind() != JsonKind::kObject) return false;
    bool empty = false;
    object.each([&](JsonValue child) {
        if (child.key() != name) return true;
        empty = child.kind() == JsonKind::kNull ||
                (child.kind() == JsonKind::kString && child.text().empty());
        return false;
    });
    return empty;
}

std::optional<std::string_view> exact_in(JsonValue object, std::string_view name) {
    const auto found = typed_in(object, name, JsonKind::kString);
    if (!found) return std::nullopt;
    return found->text();
}

std::string name_in(JsonValue object, std::string_view name) {
    return plain_string_in(object, name, kHookNameBytesMax);
}

std::string phrase_in(JsonValue object, std::string_view name) {
    return name_in(object, name).empty() ? std::string{} : text_in(object, name);
}

std::string path_in(JsonValue object, std::string_view name) {
    return plain_string_in(object, name, kPathBytesMax);
}

std::optional<std::uint64_t> count_in(JsonValue object, std::string_view name) {
    const auto found = member(object, name);
    if (!found) return std::nullopt;
    if (found->kind() == JsonKind::kUnsigned) {
        return std::min(found->unsigned_integer(), std::uint64_t{INT64_MAX});
    }
    constexpr double kExactMax = 9e15;
    if (found->kind() != JsonKind::kNumber) return std::nullopt;
    const double number = found->number();
    if (!(number >= 0 && number <= kExactMax)) return std::nullopt;
    return static_cast<std::uint64_t>(number);
}

std::optional<bool> flag_in(JsonValue object, std::string_view name) {
    const auto found = typed_in(object, name, JsonKind::kBoolean);
    if (!found) return std::nullopt;
    return found->boolean();
}

void note_unknown(JsonValue body, Hook& hook) {
    if (hook.kind != HookKind::kNone || hook.event.empty()) return;
    hook.text = "hook " + hook.event;
    for (const std::string_view name : {"error", "message", "reason"})
        if (const std::string words = text_in(body, name); !words.empty())
            hook.text += ": " + words;
}

bool says_failed(JsonValue response) {
    return flag_in(response, "isError").value_or(false) ||
           flag_in(response, "is_error").value_or(false) ||
           !flag_in(response, "success").value_or(true);
}

std::string result_text(JsonValue response) {
    if (response.kind() == JsonKind::kNull) return {};
    if (response.kind() == JsonKind::kString) return response.redacted_text();
    if (is_blocks(response)) return joined_blocks(response);
    if (response.kind() == JsonKind::kObject) {
        if (exact_in(response, "stdout") || exact_in(response, "stderr")) {
            return streams_text(response);
        }
        const auto content = array_in(response, "content");
        if (content && is_blocks(*content)) return joined_blocks(*content);
        if (name_in(response, "type") == "image") return name_of_block(response);
        const auto file = object_in(response, "file");
        if (file && exact_in(*file, "content")) return text_in(*file, "content");
        return without_files(response);
    }
    std::string out;
    response.append_redacted_to(out);
    return out;
}

std::string call_id_of(std::string_view tool, const std::optional<JsonValue>& args) {
    std::string content{tool};
    content.push_back('\0');
    content += args ? canonical_json(*args) : "{}";
    return std::string{kContentId} + core::sha256_hex(content).substr(0, kCallIdDigits);
}

bool is_content_id(std::string_view call_id) {
    return call_id.size() == kContentId.size() + kCallIdDigits && call_id.starts_with(kContentId) &&
           call_id.substr(kContentId.size()).find_first_not_of("0123456789abcdef") == call_id.npos;
}

void read_question(JsonValue object, Hook& hook) {
    std::string all = "question\n" + hook.text;
    const auto list = array_in(object, "options");
    if (list) {
        list->each([&](JsonValue option) {
            std::string text;
            if (option.kind() == JsonKind::kString) {
                text = option.redacted_text();
            } else {
                option.append_redacted_to(text);
            }
            hook.options.push_back(std::move(text));
            return hook.options.size() <= kQuestionOptionsMax;
        });
    }
    for (const std::string& option : hook.options)
        all.append(1, '\n').append(option);
    hook.call.call = core::to_hex(core::digest_of(all));
}

std::optional<std::uint64_t> number_after(std::string_view text, std::string_view label) {
    if (!text.starts_with(label)) return std::nullopt;
    text.remove_prefix(label.size());
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end == text.data()) return std::nullopt;
    return number;
}

void fail(HookCall& call) {
    call.ok = false;
    if (call.error.empty()) call.error = std::move(call.result);
    call.result.clear();
}

}  // namespace headway::api::hooks

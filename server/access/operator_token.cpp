// SPDX-License-Identifier: Apache-2.0
#include "server/access/operator_token.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <system_error>

#include "config/values/read_file.hpp"
#include "core/text/words.hpp"
#include "server/tokens/token_text.hpp"

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr std::size_t kFileBytesMax = 256;
constexpr std::size_t kSecretBytesMin = 32;
constexpr std::size_t kSecretBytesMax = 1024;

Error failed(const std::string& doing, const std::filesystem::path& file) {
    return {ErrorCode::kInvalidConfig,
            "cannot " + doing + " " + file.string() + ": " + std::generic_category().message(errno),
            "storage.state_dir"};
}

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    int get() const { return fd_; }
    bool open() const { return fd_ >= 0; }

private:
    int fd_;
};

Result<> write_file(const std::filesystem::path& file, std::string_view text) {
    ::unlink(file.c_str());  // of an interrupted start; the store is locked
    const Descriptor out{::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    if (!out.open()) return failed("create", file);
    if (::write(out.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
        ::fsync(out.get()) != 0) {
        return failed("write", file);
    }
    return {};
}

/// Makes the new name survive a power failure.
void sync_directory(const std::filesystem::path& directory) {
    const Descriptor folder{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (folder.open()) (void)::fsync(folder.get());
}

Result<> put_token(const std::filesystem::path& file, const std::string& text) {
    const std::filesystem::path temporary = file.string() + ".new";
    HEADWAY_CHECK(write_file(temporary, text + "\n"));
    if (::rename(temporary.c_str(), file.c_str()) != 0) return failed("replace", file);
    sync_directory(file.parent_path());
    return {};
}

/// Empty when there is no such file.
Result<std::optional<OperatorToken>> read_token(const std::filesystem::path& file) {
    const Descriptor in{config::open_to_read(file, O_NOFOLLOW)};
    if (!in.open() && errno == ENOENT) return std::optional<OperatorToken>{};
    if (!in.open() && errno == EINVAL)
        return Error{ErrorCode::kInvalidConfig,
                     file.string() + " is no file; delete it, and the next start makes one",
                     "storage.state_dir"};
    struct stat about {};
    if (!in.open() || ::fstat(in.get(), &about) != 0) return failed("read", file);
    OperatorToken token;
    if (S_ISREG(about.st_mode) && (about.st_mode & 077U) != 0) {
        if (::fchmod(in.get(), 0600) != 0) return failed("protect", file);
        token.tightened = true;
    }
    char bytes[kFileBytesMax];
    const ssize_t size = ::read(in.get(), bytes, sizeof bytes);
    if (size < 0) return failed("read", file);
    token.text = core::trimmed({bytes, static_cast<std::size_t>(size)});
    const auto id = token_id(token.text);
    if (!id || *id != kOperatorId) {
        return Error{ErrorCode::kInvalidConfig,
                     file.string() +
                         " does not hold the operator's token; delete it, and the next start makes "
                         "a new one",
                     "storage.state_dir"};
    }
    return std::optional{std::move(token)};
}

}  // namespace

Result<OperatorToken> load_operator_token(const std::filesystem::path& file) {
    HEADWAY_TRY(auto there, read_token(file));
    if (there) return *std::move(there);
    HEADWAY_TRY(std::string text, replace_operator_token(file));
    return OperatorToken{std::move(text), false};
}

Result<std::string> replace_operator_token(const std::filesystem::path& file) {
    HEADWAY_TRY(NewToken token, make_token(std::string{kOperatorId}));
    HEADWAY_CHECK(put_token(file, token.text));
    return std::move(token.text);
}

Result<std::string> read_shared_secret(const std::filesystem::path& file) {
    const auto refused = [&file](const std::string& why) {
        return Error{ErrorCode::kInvalidConfig, "access.secret_file: " + file.string() + why,
                     "access.secret_file"};
    };
    const Descriptor in{config::open_to_read(file)};
    if (!in.open() && errno == EINVAL) return refused(" is no file");
    struct stat about {};
    if (!in.open() || ::fstat(in.get(), &about) != 0)
        return refused(": " + std::generic_category().message(errno) +
                       "; `openssl rand -hex 32` makes a secret for it");
    if (!S_ISREG(about.st_mode)) return refused(" is no file");
    if ((about.st_mode & 077U) != 0)
        return refused(" can be read by others: it makes the operator's token (chmod 0600)");
    std::string bytes(kSecretBytesMax + 1, '\0');
    const ssize_t size = ::read(in.get(), bytes.data(), bytes.size());
    if (size < 0) return refused(": " + std::generic_category().message(errno));
    const std::string secret{core::trimmed({bytes.data(), static_cast<std::size_t>(size)})};
    if (secret.size() < kSecretBytesMin || static_cast<std::size_t>(size) > kSecretBytesMax)
        return refused(" has to hold 32 to 1024 random characters (openssl rand -hex 32)");
    return secret;
}

Result<std::string> derive_operator_token(const std::filesystem::path& file,
                                          std::string_view secret) {
    NewToken token = derive_token(std::string{kOperatorId}, secret);
    const auto there = read_token(file);
    const bool same = there && *there && (*there)->text == token.text;
    if (!same) HEADWAY_CHECK(put_token(file, token.text));
    return std::move(token.text);
}

}  // namespace headway::server

#include "io/output/file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/error.hpp"

namespace pencilbox {
namespace {

constexpr mode_t permissions = 0666;  // less the umask

[[noreturn]] void throw_write_error(const std::filesystem::path& path, int error) {
  throw SystemError(fmt::format("cannot write {}: {}", path.string(), std::strerror(error)));
}

int open_or_throw(const std::filesystem::path& path, int flags) {
  require_regular_file(path);  // a pipe would wait for who reads from it
  const int descriptor = ::open(path.c_str(), flags | O_WRONLY | O_CLOEXEC, permissions);
  if (descriptor < 0) throw_write_error(path, errno);
  return descriptor;
}

}  // namespace

OutputFile OutputFile::create(const std::filesystem::path& path) {
  return {open_or_throw(path, O_CREAT | O_TRUNC), path};
}

OutputFile OutputFile::create_beside(const std::filesystem::path& path,
                                     const std::filesystem::path& name) {
  if (const auto words = what_is_in_the_way(path, name)) throw SystemError(*words);
  return {open_or_throw(name, O_CREAT | O_EXCL), name};
}

OutputFile OutputFile::open(const std::filesystem::path& path) {
  return {open_or_throw(path, 0), path};
}

OutputFile::OutputFile(int descriptor, std::filesystem::path path)
    : descriptor_(descriptor), path_(std::move(path)) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::fail(int error) const { throw_write_error(path_, error); }

void OutputFile::write_at(std::int64_t offset, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::pwrite(descriptor_, text.data(), text.size(), offset);
    if (written < 0) {
      if (errno == EINTR) continue;
      fail(errno);
    }
    offset += written;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::truncate(std::int64_t size) {
  if (::ftruncate(descriptor_, size) != 0) fail(errno);
}

void OutputFile::sync() {
  if (::fsync(descriptor_) != 0) fail(errno);
}

void OutputFile::close() {
  if (descriptor_ < 0) return;
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
}

void sync_directory(const std::filesystem::path& directory) {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw_write_error(directory, errno);
  // Some file systems cannot sync a directory and say so; their renames are ordered anyway.
  const int error = ::fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
  ::close(descriptor);
  if (error != 0) throw_write_error(directory, error);
}

std::filesystem::path temporary_name(const std::filesystem::path& path) {
  return std::filesystem::path(path) += ".tmp";
}

void move_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) throw_write_error(to, errno);
}

bool exchange_files(const std::filesystem::path& a, const std::filesystem::path& b) {
  if (::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) throw_write_error(b, errno);
  return false;
}

void remove_file(const std::filesystem::path& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw_write_error(path, errno);
}

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::symlink_status(path, error));
}

bool is_other_than_a_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

void require_regular_file(const std::filesystem::path& path) {
  if (!is_other_than_a_file(path)) return;
  throw SystemError(fmt::format("cannot open {}: it is no regular file", path.string()));
}

std::filesystem::path nearest_existing(const std::filesystem::path& path) {
  std::filesystem::path there = std::filesystem::absolute(path).lexically_normal();
  while (!is_there(there) && there.has_relative_path()) there = there.parent_path();
  return there;
}

std::optional<std::string> why_not_writable(const std::filesystem::path& directory) {
  if (::faccessat(AT_FDCWD, directory.c_str(), W_OK | X_OK, AT_EACCESS) == 0) return {};
  return std::strerror(errno);
}

std::filesystem::path twin_of(const std::filesystem::path& path) {
  return path.parent_path() / fmt::format(".{}.next", path.filename().string());
}

std::optional<std::string> what_is_in_the_way(const std::filesystem::path& path,
                                              const std::filesystem::path& name) {
  if (!is_there(name)) return {};
  return fmt::format(
      "cannot write {}: {} is there, left by a program that was killed or put there by others; "
      "remove it",
      path.string(), name.string());
}

void replace_file(const std::filesystem::path& path, std::string_view text) {
  require_regular_file(path);  // a device, say, is nothing to be replaced
  const std::filesystem::path temporary = temporary_name(path);
  OutputFile file = OutputFile::create_beside(path, temporary);
  try {
    file.write_at(0, text);
    file.sync();
    file.close();
    move_file(temporary, path);
  } catch (const SystemError&) {
    ::unlink(temporary.c_str());
    throw;
  }
}

}  // namespace pencilbox

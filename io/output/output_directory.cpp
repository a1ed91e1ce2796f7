#include "io/output/output_directory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"
#include "io/output/file.hpp"
#include "io/output_names.hpp"

namespace pencilbox {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse(const fs::path& directory, std::string_view reason) {
  throw InputError(fmt::format("output directory '{}': {}", directory.string(), reason));
}

void require_usable_place(const fs::path& directory) {
  if (directory.empty()) refuse(directory, "the name is empty");
  const fs::path existing = nearest_existing(directory);
  std::error_code error;
  if (!fs::is_directory(existing, error)) {
    const bool link = fs::is_symlink(existing, error) && !fs::exists(existing, error);
    refuse(directory, fmt::format("{} is a {}, not a directory", existing.string(),
                                  link ? "link that leads nowhere" : "file"));
  }
  if (const auto reason = why_not_writable(existing)) {
    refuse(directory, fmt::format("cannot write to {}: {}", existing.string(), *reason));
  }
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

/// The entries of a folder whose names `wanted` takes, in order of name; none if it is not there.
template <class Wanted>
std::vector<std::string> entries(const fs::path& directory, const Wanted& wanted) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (wanted(name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void require_inputs_kept(const OutputRequest& request) {
  const std::vector<std::string> outputs = entries(request.directory, output_names::is_output);
  for (const fs::path& input : request.inputs) {
    if (same_file(request.directory, input)) {
      refuse(request.directory, "this is an input of the run, not a directory");
    }
    for (const std::string& name : outputs) {
      if (same_file(request.directory / name, input)) {
        refuse(request.directory,
               fmt::format("the run would replace its own input {}; choose another directory",
                           input.string()));
      }
    }
  }
}

/// What a killed run has left is removed, but not without a word: it may be somebody else's.
void require_no_leftovers(const OutputRequest& request) {
  const std::vector<std::string> left = entries(request.directory, output_names::is_leftover);
  if (left.empty()) return;
  refuse(request.directory,
         fmt::format("{} is there, left by a run that was killed or put there by others; to remove "
                     "it, say --overwrite",
                     left.front()));
}

void require_no_outputs(const OutputRequest& request) {
  if (request.overwrite || request.resume) return;
  const std::vector<std::string> outputs = entries(request.directory, output_names::is_output);
  if (outputs.empty()) return require_no_leftovers(request);
  const bool resumable = is_there(request.directory / output_names::checkpoint) ||
                         is_there(request.directory / output_names::previous_checkpoint);
  refuse(request.directory,
         fmt::format("{} is already there; to replace it, say --overwrite{}", outputs.front(),
                     resumable ? "; to go on from its checkpoint, --resume" : ""));
}

[[noreturn]] void fail_lock(const fs::path& directory, int error) {
  if (error == EWOULDBLOCK) refuse(directory, "another run is writing here");
  const std::string reason = std::strerror(error);
  throw SystemError(fmt::format(
      "cannot lock {}: {} (its file system has to support flock: choose another output.directory)",
      (directory / output_names::lock).string(), reason));
}

[[noreturn]] void refuse_foreign_lock(const fs::path& directory) {
  refuse(directory, fmt::format("{} is there, and no run has made it; choose another directory",
                                std::string(output_names::lock)));
}

/// Ours is an empty file. Whatever else is there is not ours to lock, or to remove.
void require_our_lock(const fs::path& directory, int lock) {
  struct stat opened {};
  if (::fstat(lock, &opened) == 0 && S_ISREG(opened.st_mode) && opened.st_size == 0) return;
  ::close(lock);
  refuse_foreign_lock(directory);
}

void require_no_other_run(const fs::path& directory) {
  const fs::path path = directory / output_names::lock;
  const int lock = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (lock < 0 && errno == ELOOP) refuse_foreign_lock(directory);
  if (lock < 0) return;
  require_our_lock(directory, lock);
  const int error = ::flock(lock, LOCK_SH | LOCK_NB) == 0 ? 0 : errno;
  ::close(lock);
  if (error != 0) fail_lock(directory, error);
}

/// Is the file behind `descriptor` still the one that `path` names?
bool still_named(int descriptor, const fs::path& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

int take_lock(const fs::path& directory) {
  const fs::path path = directory / output_names::lock;
  for (;;) {
    const int lock =
        ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0666);
    if (lock < 0) {
      refuse(directory, fmt::format("cannot create {}: {}", path.string(), std::strerror(errno)));
    }
    require_our_lock(directory, lock);
    if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      ::close(lock);
      fail_lock(directory, error);
    }
    // The run before may have removed the file between our open and our lock.
    if (still_named(lock, path)) return lock;
    ::close(lock);
  }
}

void create(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) refuse(directory, fmt::format("cannot create it: {}", error.message()));
}

void remove_entries(const fs::path& directory, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    std::error_code error;
    fs::remove(directory / name, error);
    if (error) refuse(directory, fmt::format("cannot replace {}: {}", name, error.message()));
  }
}

}  // namespace

void OutputDirectory::check(const OutputRequest& request) {
  require_inputs_kept(request);
  require_usable_place(request.directory);
  require_no_other_run(request.directory);
  require_no_outputs(request);
}

OutputDirectory OutputDirectory::open(const OutputRequest& request) {
  check(request);
  create(request.directory);
  OutputDirectory directory(request.directory, take_lock(request.directory));
  // Once more, now that nobody else can write here.
  require_inputs_kept(request);
  require_no_outputs(request);
  if (!request.resume) {
    remove_entries(request.directory, entries(request.directory, output_names::is_output));
  }
  remove_entries(request.directory, entries(request.directory, output_names::is_leftover));
  return directory;
}

OutputDirectory::OutputDirectory(fs::path path, int lock) : path_(std::move(path)), lock_(lock) {}

OutputDirectory::OutputDirectory(OutputDirectory&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

OutputDirectory& OutputDirectory::operator=(OutputDirectory&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  return *this;
}

OutputDirectory::~OutputDirectory() {
  if (lock_ < 0) return;
  ::unlink((path_ / output_names::lock).c_str());  // while it is still ours
  ::close(lock_);
}

fs::path OutputDirectory::trajectory() const { return path_ / output_names::trajectory; }
fs::path OutputDirectory::thermo() const { return path_ / output_names::thermo; }
fs::path OutputDirectory::report() const { return path_ / output_names::report; }

fs::path OutputDirectory::checkpoint() const { return path_ / output_names::checkpoint; }

}  // namespace pencilbox

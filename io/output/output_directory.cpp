#include "io/output/output_directory.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"
#include "io/output/file.hpp"
#include "io/output/xdmf.hpp"

namespace pencilbox {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view trajectory_name = "trajectory.h5md";
constexpr std::string_view sidecar_name = "trajectory.xmf2";
constexpr std::string_view thermo_name = "thermo.csv";
constexpr std::string_view report_name = "report.json";
constexpr std::string_view lock_name = ".lock";
constexpr std::array<std::string_view, 4> output_names{trajectory_name, sidecar_name, thermo_name,
                                                       report_name};

[[noreturn]] void refuse(const fs::path& directory, std::string_view reason) {
  throw InputError(fmt::format("output directory '{}': {}", directory.string(), reason));
}

/// There in any form, a dangling link included.
bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

/// The directory itself or the nearest parent that is there.
fs::path nearest_existing(const fs::path& directory) {
  fs::path path = fs::absolute(directory).lexically_normal();
  while (!is_there(path) && path.has_relative_path()) path = path.parent_path();
  return path;
}

void require_usable_place(const fs::path& directory) {
  if (directory.empty()) refuse(directory, "the name is empty");
  const fs::path existing = nearest_existing(directory);
  std::error_code error;
  if (!fs::is_directory(existing, error)) {
    refuse(directory, fmt::format("{} is a file, not a directory", existing.string()));
  }
  if (::faccessat(AT_FDCWD, existing.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    const std::string reason = std::strerror(errno);
    refuse(directory, fmt::format("cannot write to {}: {}", existing.string(), reason));
  }
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

void require_inputs_kept(const OutputRequest& request) {
  for (const fs::path& input : request.inputs) {
    if (same_file(request.directory, input)) {
      refuse(request.directory, "this is an input of the run, not a directory");
    }
    for (const std::string_view name : output_names) {
      if (same_file(request.directory / name, input)) {
        refuse(request.directory,
               fmt::format("the run would replace its own input {}; choose another directory",
                           input.string()));
      }
    }
  }
}

void require_no_outputs(const OutputRequest& request) {
  if (request.overwrite) return;
  for (const std::string_view name : output_names) {
    if (is_there(request.directory / name)) {
      refuse(request.directory,
             fmt::format("{} is already there; to replace it, say --overwrite", name));
    }
  }
}

[[noreturn]] void fail_lock(const fs::path& directory, int error) {
  if (error == EWOULDBLOCK) refuse(directory, "another run is writing here");
  throw SystemError(
      fmt::format("cannot lock {}: {}", (directory / lock_name).string(), std::strerror(error)));
}

void require_no_other_run(const fs::path& directory) {
  const int lock = ::open((directory / lock_name).c_str(), O_RDONLY | O_CLOEXEC);
  if (lock < 0) return;
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
  const fs::path path = directory / lock_name;
  for (;;) {
    const int lock = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock < 0) {
      refuse(directory, fmt::format("cannot create {}: {}", path.string(), std::strerror(errno)));
    }
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

void remove_outputs(const fs::path& directory) {
  for (const std::string_view name : output_names) {
    std::error_code error;
    fs::remove(directory / name, error);
    if (error) refuse(directory, fmt::format("cannot replace {}: {}", name, error.message()));
  }
}

/// What a killed run may have left beside its outputs.
void remove_leftovers(const fs::path& directory) {
  ::unlink(twin_of(directory / sidecar_name).c_str());
  ::unlink(temporary_name(directory / report_name).c_str());
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
  remove_outputs(request.directory);
  remove_leftovers(request.directory);
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
  ::unlink((path_ / lock_name).c_str());  // while it is still ours
  ::close(lock_);
}

fs::path OutputDirectory::trajectory() const { return path_ / trajectory_name; }
fs::path OutputDirectory::thermo() const { return path_ / thermo_name; }
fs::path OutputDirectory::report() const { return path_ / report_name; }

}  // namespace pencilbox

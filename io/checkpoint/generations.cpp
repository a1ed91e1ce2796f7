#include "io/checkpoint/generations.hpp"

#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"
#include "io/output/file.hpp"
#include "io/output_names.hpp"

namespace pencilbox {
namespace {

namespace fs = std::filesystem;

/// Each checkpoint is a new file, so its number and its time tell it from the next.
std::string identity_of(const fs::path& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return "";
  return fmt::format("{}:{}:{}.{}", file.st_dev, file.st_ino, file.st_mtim.tv_sec,
                     file.st_mtim.tv_nsec);
}

FoundCheckpoint read(const fs::path& path) {
  std::string identity = identity_of(path);
  return {read_checkpoint_file(path), path, "", std::move(identity)};
}

}  // namespace

FoundCheckpoint find_checkpoint(const fs::path& directory) {
  const fs::path newest = directory / output_names::checkpoint;
  const fs::path older = directory / output_names::previous_checkpoint;
  const bool has_newest = is_there(newest), has_older = is_there(older);
  if (!has_newest && !has_older) {
    throw InputError(fmt::format("--resume: there is no {} in '{}', so there is nothing to resume",
                                 output_names::checkpoint, directory.string()));
  }
  std::string fault = fmt::format("{}: is missing", newest.string());
  if (has_newest) {
    try {
      return read(newest);
    } catch (const InputError& error) {
      if (!has_older) throw;
      fault = error.what();
    }
  }
  try {
    FoundCheckpoint found = read(older);
    found.note = fmt::format("{}; going on from the older {}, step {}", fault,
                             output_names::previous_checkpoint, found.checkpoint.state.step);
    return found;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}; and {}", fault, error.what()));
  }
}

void require_still_there(const FoundCheckpoint& found) {
  if (identity_of(found.path) == found.identity) return;
  throw InputError(fmt::format("{}: another run has written here meanwhile", found.path.string()));
}

CheckpointWriter::CheckpointWriter(fs::path directory, const FoundCheckpoint* resumed)
    : directory_(std::move(directory)) {
  if (resumed == nullptr) return;
  newest_is_whole_ = resumed->path.filename() == output_names::checkpoint;
  last_step_ = resumed->checkpoint.state.step;
}

void CheckpointWriter::write(const Checkpoint& checkpoint) {
  const fs::path newest = directory_ / output_names::checkpoint;
  const fs::path temporary = temporary_name(newest);
  try {
    write_checkpoint_file(temporary, checkpoint);
    if (newest_is_whole_) move_file(newest, directory_ / output_names::previous_checkpoint);
    move_file(temporary, newest);
  } catch (const SystemError& error) {
    ::unlink(temporary.c_str());
    throw SystemError(fmt::format("checkpoint {}: {}", newest.string(), error.what()));
  }
  newest_is_whole_ = true;
  last_step_ = checkpoint.state.step;
  sync_directory(directory_);
}

}  // namespace pencilbox

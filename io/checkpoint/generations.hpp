// The two checkpoints that a run keeps: `checkpoint.h5` and, until the next is on the disk, the one
// before it. At every moment one of them is whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "io/checkpoint/checkpoint_file.hpp"

namespace pencilbox {

/// A checkpoint that can be resumed from.
struct FoundCheckpoint {
  Checkpoint checkpoint;
  std::filesystem::path path;
  std::string note;      ///< why the newer generation was passed over; else empty
  std::string identity;  ///< which file it was
};

/// The newest whole checkpoint of a folder. Throws InputError if there is none: with the fault of
/// each, if there are files.
FoundCheckpoint find_checkpoint(const std::filesystem::path& directory);

/// Throws InputError if the file is no longer the one that was found: another run wrote meanwhile.
void require_still_there(const FoundCheckpoint& found);

/// Writes the checkpoints of one run.
class CheckpointWriter {
 public:
  /// `resumed`: what the run goes on from, if it does.
  CheckpointWriter(std::filesystem::path directory, const FoundCheckpoint* resumed);

  /// Puts a checkpoint on the disk under a temporary name, then gives it its own; what had that
  /// name becomes the older generation, unless it is known to be damaged. Throws SystemError, and
  /// then the last checkpoint is still there, in one of the two places.
  void write(const Checkpoint& checkpoint);

  /// The step of the newest checkpoint that this run wrote or goes on from.
  std::optional<std::int64_t> last_step() const { return last_step_; }

 private:
  std::filesystem::path directory_;
  bool newest_is_whole_ = false;
  std::optional<std::int64_t> last_step_;
};

}  // namespace pencilbox

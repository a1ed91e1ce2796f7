// Where a run writes, and whether it may: settled before the first step.
#pragma once

#include <filesystem>
#include <vector>

namespace pencilbox {

/// What the user wants written where.
struct OutputRequest {
  std::filesystem::path directory;
  bool overwrite = false;
  std::vector<std::filesystem::path> inputs;  ///< deck, start file: never to be replaced
  bool resume = false;                        ///< the outputs that are there are to be continued
};

/// A directory that belongs to one run, by a lock on the file `.lock` in it. The lock ends with the
/// process, however that ends; the file is removed with the object.
class OutputDirectory {
 public:
  /// Says what `open` would refuse, as InputError, and changes nothing on the disk:
  /// - the directory is a file, or below one; it cannot be written, entered or created;
  /// - an output of an earlier run is there and neither `overwrite` nor `resume` is set;
  /// - an output would replace an input of the run;
  /// - another run is writing there.
  static void check(const OutputRequest& request);

  /// Checks, creates the directory with its parents, takes the lock, removes the outputs of an
  /// earlier run if `overwrite` is set, and what a killed one left half made. Throws InputError as
  /// `check`, and SystemError if the file system cannot lock.
  static OutputDirectory open(const OutputRequest& request);

  OutputDirectory(OutputDirectory&& other) noexcept;
  OutputDirectory& operator=(OutputDirectory&& other) noexcept;
  ~OutputDirectory();

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path trajectory() const;
  std::filesystem::path thermo() const;
  std::filesystem::path report() const;
  std::filesystem::path checkpoint() const;

 private:
  OutputDirectory(std::filesystem::path path, int lock);

  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace pencilbox

// Files of text whose every error is told. Rows must be on their way to the disk when a run is
// killed, so nothing is buffered in the process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace pencilbox {

/// A file open for writing. Every member but the destructor throws SystemError with the system's
/// own text.
class OutputFile {
 public:
  /// Creates the file, or empties the one that is there.
  static OutputFile create(const std::filesystem::path& path);

  /// Creates `name`, where `path` is made before it gets its own name. What is there is not ours to
  /// empty, or, if it is a link, what it leads to.
  static OutputFile create_beside(const std::filesystem::path& path,
                                  const std::filesystem::path& name);

  /// Opens a file that is there and keeps what it holds.
  static OutputFile open(const std::filesystem::path& path);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  /// Writes all of `text` from byte `offset` on.
  void write_at(std::int64_t offset, std::string_view text);

  /// Cuts the file to `size` bytes.
  void truncate(std::int64_t size);

  /// Waits until the disk has it.
  void sync();

  void close();

 private:
  OutputFile(int descriptor, std::filesystem::path path);
  void fail(int error) const;

  int descriptor_ = -1;
  std::filesystem::path path_;
};

/// There in any form, a dangling link included.
bool is_there(const std::filesystem::path& path);

/// A pipe, a folder or a device: opening a pipe would wait for who writes to it.
bool is_other_than_a_file(const std::filesystem::path& path);

/// Throws SystemError for such a path. Nothing where there is nothing.
void require_regular_file(const std::filesystem::path& path);

/// `path` itself or the nearest parent that is there.
std::filesystem::path nearest_existing(const std::filesystem::path& path);

/// Nothing if this process may make files in the directory; else the system's own text.
std::optional<std::string> why_not_writable(const std::filesystem::path& directory);

/// Puts `text` at `path` so that a reader sees the old file or the new one, never a part: written
/// beside it, synced, renamed. Throws SystemError, also where something else than a file is there.
void replace_file(const std::filesystem::path& path, std::string_view text);

/// Where `path` is to be made under another name first: the words for what has that name already.
std::optional<std::string> what_is_in_the_way(const std::filesystem::path& path,
                                              const std::filesystem::path& name);

/// Waits until the disk has the names of a directory's files. Throws SystemError.
void sync_directory(const std::filesystem::path& directory);

/// The name that a file has while it is being made: `path` with ".tmp" behind it.
std::filesystem::path temporary_name(const std::filesystem::path& path);

/// Gives `from` the name `to`, whose file goes; at every moment `to` is one of the two. Throws
/// SystemError.
void move_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// Two files take each other's names at once. False where the file system cannot; throws
/// SystemError.
bool exchange_files(const std::filesystem::path& a, const std::filesystem::path& b);

/// Removes a file, if it is there. Throws SystemError.
void remove_file(const std::filesystem::path& path);

/// The hidden name beside `path` of what will take its place: ".NAME.next".
std::filesystem::path twin_of(const std::filesystem::path& path);

}  // namespace pencilbox

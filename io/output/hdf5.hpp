// Owners for the identifiers of the HDF5 C library. Every return value is checked; a failure is a
// SystemError that carries HDF5's own text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hdf5.h>

namespace pencilbox::hdf5 {

using Shape = std::vector<hsize_t>;

/// Rows to a chunk of what has a few numbers a frame.
inline constexpr hsize_t chunk_frames = 256;

/// Silences HDF5's own printing and its exit handler. The handler would close once more what could
/// not be closed and can crash on that. To have that second effect it must run before anything else
/// of HDF5 in the process, a name such as H5T_NATIVE_DOUBLE included.
void initialise();

/// HDF5 keeps its state in globals, and the build of the distributions is not made for threads. A
/// TrajectoryWriter writes on a thread of its own, so everybody who calls HDF5, through this header
/// or plainly, holds a Lock meanwhile. Declare it before the handles: their destructors call HDF5
/// too. One thread may hold several.
class Lock {
 public:
  Lock();

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

/// "1.10.8"
std::string version();

/// Throws SystemError "`action`: HDF5's text" if `status` (or an identifier) is negative.
void check(herr_t status, std::string_view action);

/// Owns one identifier. The destructor closes and ignores errors; `close` reports them.
class Handle {
 public:
  using Closer = herr_t (*)(hid_t);

  Handle() = default;
  Handle(Handle&& other) noexcept;
  Handle& operator=(Handle&& other) noexcept;
  ~Handle();

  hid_t id() const { return id_; }
  void close();

 protected:
  /// Takes what an HDF5 call returned; throws SystemError if that is negative.
  Handle(hid_t id, Closer closer, std::string_view action);

 private:
  hid_t id_ = H5I_INVALID_HID;
  Closer closer_ = nullptr;
};

class Type : public Handle {
 public:
  /// `length` bytes of UTF-8, padded with zeros; at least one byte, HDF5 has no empty string type.
  static Type fixed_string(std::size_t length);
  static Type of_attribute(hid_t attribute);
  static Type of_dataset(hid_t dataset);

 private:
  using Handle::Handle;
};

class Dataspace : public Handle {
 public:
  static Dataspace scalar();
  static Dataspace simple(const Shape& shape);
  static Dataspace simple(const Shape& shape, const Shape& maximum);

  static Dataspace of_dataset(hid_t dataset);
  static Dataspace of_attribute(hid_t attribute);

  /// A file space of `extent` in which only `count` rows of the first dimension are selected.
  static Dataspace rows(const Shape& extent, hsize_t first, hsize_t count);

 private:
  using Handle::Handle;
};

class PropertyList : public Handle {
 public:
  static PropertyList create(hid_t property_class);

 private:
  using Handle::Handle;
};

/// Chunks for the dataset that is made with `creation`; `compression` from 1 to 9 is gzip's level,
/// behind a shuffle of the bytes, 0 stores numbers as they are.
void set_chunks(const PropertyList& creation, const Shape& chunk, int compression);

class Group : public Handle {
 public:
  static Group create(hid_t parent, const std::string& name);
  /// `path` may lead through several groups.
  static Group open(hid_t parent, const std::string& path);

 private:
  using Handle::Handle;
};

class Dataset : public Handle {
 public:
  /// A dataset of fixed `shape` (empty: scalar), filled from `data` of memory type `memory`.
  static Dataset create(hid_t parent, const std::string& name, hid_t stored, const Shape& shape,
                        hid_t memory, const void* data);

  /// A dataset with the creation properties of the caller, not written yet.
  static Dataset create(hid_t parent, const std::string& name, hid_t stored, const Dataspace& space,
                        const PropertyList& creation);

  /// A dataset of rows of shape `row`, none yet, any number possible; `chunk_row` is the chunk's
  /// extent inside a row and `chunk_rows` its number of rows. `compression` as in set_chunks.
  /// `absent` is what readers find where nothing was written.
  static Dataset create_rows(hid_t parent, const std::string& name, hid_t stored, const Shape& row,
                             const Shape& chunk_row, hsize_t chunk_rows, int compression = 0,
                             std::optional<double> absent = {});

  /// `path` may lead through several groups.
  static Dataset open(hid_t parent, const std::string& path);

  /// The present extent; empty for a scalar.
  Shape shape() const;
  /// Are the numbers stored as this type?
  bool stores(hid_t type) const;
  /// Reads everything into `data`, as memory type `memory`. A file may be anybody's: throws where
  /// it does not hold just `count` numbers (or texts).
  void read(hid_t memory, void* data, hsize_t count) const;
  /// The same of the row `index` of the first dimension.
  void read_row(hsize_t index, hid_t memory, void* data, hsize_t count) const;

  /// Writes everything, or numbers `first` to `first + count - 1` of a dataset of one dimension.
  void write(hid_t memory, const void* data) const;
  void write_part(hsize_t first, hsize_t count, hid_t memory, const void* data) const;

  /// Grows or shrinks the dataset to `count` rows; `row` as in create_rows.
  void set_rows(hsize_t count, const Shape& row);

  /// Appends a row as number `index`: grows the dataset to index + 1 rows and writes the last one.
  /// `row` as in create_rows.
  void write_row(hsize_t index, const Shape& row, hid_t memory, const void* data);
  /// The same with `count` rows, number `first` and those behind it; none is none.
  void write_rows(hsize_t first, hsize_t count, const Shape& row, hid_t memory, const void* data);

 private:
  using Handle::Handle;
};

class File : public Handle {
 public:
  /// A new file; one that is there is replaced. Without HDF5's file lock, so that a reader can open
  /// the file while the run goes on; who may write is settled by OutputDirectory.
  static File create(const std::filesystem::path& path);
  /// The same with properties of the caller's, from file_access().
  static File create(const std::filesystem::path& path, const PropertyList& access);

  /// Opens a file that is there to go on writing. Throws SystemError, for instance if HDF5 finds it
  /// damaged.
  static File open(const std::filesystem::path& path);
  /// The same to look at it, also while a run writes it.
  static File open_to_read(const std::filesystem::path& path);

  /// What was written so far is handed to the system.
  void flush();

  /// Asks the file system for `bytes` more at the end of the file, so that a full disk (or a limit
  /// of the process) is told before HDF5 has begun to change the file. Where a file system cannot
  /// promise space, nothing happens and a full disk is told by `flush`.
  void reserve(std::int64_t bytes);

  /// After a failed write: whatever HDF5 still writes no longer reaches the file, which keeps the
  /// state of the last flush as far as that can be had. HDF5 would else write a header that claims
  /// more than the file holds.
  void abandon() noexcept;

 private:
  using Handle::Handle;
};

/// The access properties of files that we write: without HDF5's lock, and whole at every moment
/// (hdf5_driver.hpp).
PropertyList file_access();

void write_attribute(hid_t owner, const std::string& name, const std::string& text);
void write_attribute(hid_t owner, const std::string& name, const std::vector<std::string>& texts);
void write_attribute(hid_t owner, const std::string& name, std::int64_t value);
void write_attribute(hid_t owner, const std::string& name, std::span<const std::int64_t> values);
void write_attribute(hid_t owner, const std::string& name, std::span<const double> values);

/// In ASCII: VTK looks for that.
void write_ascii_attribute(hid_t owner, const std::string& name, const std::string& text);
/// Changes the number in an attribute that is there.
void rewrite_attribute(hid_t owner, const std::string& name, std::int64_t value);

/// A scalar dataset with one string.
void write_text(hid_t parent, const std::string& name, const std::string& text);

/// A dataset with several, of the length of the longest. (An attribute has at most 64 KiB.)
void write_texts(hid_t parent, const std::string& name, const std::vector<std::string>& texts);

/// A string attribute of fixed length; the strings of an array stand one behind the other, without
/// their padding.
std::vector<std::string> read_texts(hid_t owner, const std::string& name);
std::vector<double> read_numbers(hid_t owner, const std::string& name);

bool has(hid_t parent, const std::string& name);
bool has_attribute(hid_t owner, const std::string& name);

/// `name` in `parent` becomes one more name of the object `target`.
void hard_link(hid_t parent, const std::string& name, const Dataset& target);

/// Dimension scales, by which netCDF tells the dimensions of a dataset: `dataset` becomes one
/// called `name`, or gets `scale` for its dimension `index`.
void make_scale(const Dataset& dataset, const std::string& name);
void attach_scale(const Dataset& dataset, const Dataset& scale, unsigned index);

}  // namespace pencilbox::hdf5

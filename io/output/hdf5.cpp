#include "io/output/hdf5.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5_hl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"
#include "io/output/file.hpp"
#include "io/output/hdf5_driver.hpp"

namespace pencilbox::hdf5 {
namespace {

/// What the walk over the error stack keeps: the first cause and the call that failed in the end.
struct ErrorEnds {
  std::string cause;
  std::string outcome;
};

/// Where HDF5 says what a call to the system was given, addresses and all: what the system said.
std::string words_of_system(const std::string& text) {
  constexpr std::string_view head = "error message = '";
  const std::size_t at = text.find(head);
  if (at == std::string::npos) return text;
  const std::size_t from = at + head.size();
  return text.substr(from, text.find('\'', from) - from);
}

herr_t keep_ends(unsigned, const H5E_error2_t* error, void* data) {
  auto& ends = *static_cast<ErrorEnds*>(data);
  const std::string text = error->desc != nullptr ? error->desc : "";
  if (ends.cause.empty()) ends.cause = words_of_system(text);
  ends.outcome = text;
  return 0;
}

/// HDF5's text, in one line (it puts a time with a line break into some).
std::string take_error_text() {
  ErrorEnds ends;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_ends, &ends);
  H5Eclear2(H5E_DEFAULT);
  std::string text =
      ends.outcome == ends.cause ? ends.cause : fmt::format("{} ({})", ends.outcome, ends.cause);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  if (const int fault = take_fault_of_system(); fault != 0) {
    const std::string words = std::strerror(fault);
    if (text.find(words) == std::string::npos) text += ": " + words;
  }
  if (text.find("lock") != std::string::npos) {
    text += "; where a file system has no locks, set HDF5_USE_FILE_LOCKING=FALSE";
  }
  return text.empty() ? "HDF5 gives no reason" : text;
}

[[noreturn]] void fail(std::string_view action) {
  throw SystemError(fmt::format("cannot {}: {}", action, take_error_text()));
}

void write_attribute(hid_t owner, const std::string& name, hid_t stored, hid_t memory,
                     const Dataspace& space, const void* data) {
  const std::string action = fmt::format("write the HDF5 attribute '{}'", name);
  const hid_t id = H5Acreate2(owner, name.c_str(), stored, space.id(), H5P_DEFAULT, H5P_DEFAULT);
  if (id < 0) fail(action);
  const herr_t written = H5Awrite(id, memory, data);
  const herr_t closed = H5Aclose(id);
  check(std::min(written, closed), action);
}

}  // namespace

/// Each thread has its own answer to whether HDF5 prints what went wrong: we say it in our words.
Lock::Lock() {
  static std::recursive_mutex mutex;
  lock_ = std::unique_lock(mutex);
  initialise();
  thread_local const herr_t silenced = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  static_cast<void>(silenced);
}

void initialise() {
  static const bool done = [] {
    H5dont_atexit();
    H5open();
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    return true;
  }();
  static_cast<void>(done);
}

std::string version() {
  initialise();
  unsigned major = 0, minor = 0, release = 0;
  check(H5get_libversion(&major, &minor, &release), "ask HDF5 for its version");
  return fmt::format("{}.{}.{}", major, minor, release);
}

void check(herr_t status, std::string_view action) {
  if (status < 0) fail(action);
}

Handle::Handle(hid_t id, Closer closer, std::string_view action) : id_(id), closer_(closer) {
  if (id < 0) fail(action);
}

Handle::Handle(Handle&& other) noexcept
    : id_(std::exchange(other.id_, H5I_INVALID_HID)), closer_(other.closer_) {}

Handle& Handle::operator=(Handle&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(closer_, other.closer_);
  return *this;
}

Handle::~Handle() {
  if (id_ < 0 || closer_(id_) >= 0) return;
  H5Eclear2(H5E_DEFAULT);
  take_fault_of_system();
}

void Handle::close() {
  if (id_ < 0) return;
  check(closer_(std::exchange(id_, H5I_INVALID_HID)), "close an HDF5 object");
}

Type Type::fixed_string(std::size_t length) {
  Type type(H5Tcopy(H5T_C_S1), H5Tclose, "make an HDF5 string type");
  check(H5Tset_size(type.id(), std::max<std::size_t>(length, 1)), "size an HDF5 string type");
  check(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), "pad an HDF5 string type");
  check(H5Tset_cset(type.id(), H5T_CSET_UTF8), "set an HDF5 string type to UTF-8");
  return type;
}

Type Type::of_attribute(hid_t attribute) {
  return {H5Aget_type(attribute), H5Tclose, "ask an HDF5 attribute for its type"};
}

Type Type::of_dataset(hid_t dataset) {
  return {H5Dget_type(dataset), H5Tclose, "ask an HDF5 dataset for its type"};
}

Dataspace Dataspace::scalar() {
  return {H5Screate(H5S_SCALAR), H5Sclose, "make a scalar HDF5 dataspace"};
}

Dataspace Dataspace::simple(const Shape& shape) {
  if (shape.empty()) return scalar();
  return simple(shape, shape);
}

Dataspace Dataspace::simple(const Shape& shape, const Shape& maximum) {
  return {H5Screate_simple(static_cast<int>(shape.size()), shape.data(), maximum.data()), H5Sclose,
          "make an HDF5 dataspace"};
}

Dataspace Dataspace::of_dataset(hid_t dataset) {
  return {H5Dget_space(dataset), H5Sclose, "ask an HDF5 dataset for its shape"};
}

Dataspace Dataspace::of_attribute(hid_t attribute) {
  return {H5Aget_space(attribute), H5Sclose, "ask an HDF5 attribute for its shape"};
}

Dataspace Dataspace::rows(const Shape& extent, hsize_t first, hsize_t number) {
  Dataspace space = simple(extent);
  Shape start(extent.size(), 0);
  Shape count = extent;
  start[0] = first;
  count[0] = number;
  check(
      H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
      "select rows of an HDF5 dataset");
  return space;
}

PropertyList PropertyList::create(hid_t property_class) {
  return {H5Pcreate(property_class), H5Pclose, "make an HDF5 property list"};
}

void set_chunks(const PropertyList& creation, const Shape& chunk, int compression) {
  check(H5Pset_chunk(creation.id(), static_cast<int>(chunk.size()), chunk.data()),
        "set the chunks of an HDF5 dataset");
  if (compression == 0) return;
  check(H5Pset_shuffle(creation.id()), "compress an HDF5 dataset");
  check(H5Pset_deflate(creation.id(), static_cast<unsigned>(compression)),
        "compress an HDF5 dataset");
}

Group Group::create(hid_t parent, const std::string& name) {
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
          fmt::format("make the HDF5 group '{}'", name)};
}

Group Group::open(hid_t parent, const std::string& path) {
  return {H5Gopen2(parent, path.c_str(), H5P_DEFAULT), H5Gclose,
          fmt::format("open the HDF5 group '{}'", path)};
}

Dataset Dataset::create(hid_t parent, const std::string& name, hid_t stored, const Shape& shape,
                        hid_t memory, const void* data) {
  const std::string action = fmt::format("write the HDF5 dataset '{}'", name);
  const Dataspace space = Dataspace::simple(shape);
  Dataset dataset(
      H5Dcreate2(parent, name.c_str(), stored, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose, action);
  dataset.write(memory, data);
  return dataset;
}

Dataset Dataset::create(hid_t parent, const std::string& name, hid_t stored, const Dataspace& space,
                        const PropertyList& creation) {
  return {
      H5Dcreate2(parent, name.c_str(), stored, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
      H5Dclose, fmt::format("make the HDF5 dataset '{}'", name)};
}

Dataset Dataset::create_rows(hid_t parent, const std::string& name, hid_t stored, const Shape& row,
                             const Shape& chunk_row, hsize_t chunk_rows, int compression,
                             std::optional<double> absent) {
  Shape shape{0}, maximum{H5S_UNLIMITED}, chunk{chunk_rows};
  shape.insert(shape.end(), row.begin(), row.end());
  maximum.insert(maximum.end(), row.begin(), row.end());
  chunk.insert(chunk.end(), chunk_row.begin(), chunk_row.end());
  const Dataspace space = Dataspace::simple(shape, maximum);
  const PropertyList creation = PropertyList::create(H5P_DATASET_CREATE);
  set_chunks(creation, chunk, compression);
  if (absent) {
    check(H5Pset_fill_value(creation.id(), H5T_NATIVE_DOUBLE, &*absent),
          "set the fill value of an HDF5 dataset");
  }
  return create(parent, name, stored, space, creation);
}

Dataset Dataset::open(hid_t parent, const std::string& path) {
  return {H5Dopen2(parent, path.c_str(), H5P_DEFAULT), H5Dclose,
          fmt::format("open the HDF5 dataset '{}'", path)};
}

Shape Dataset::shape() const {
  const Dataspace space = Dataspace::of_dataset(id());
  Shape shape(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space.id()))));
  check(H5Sget_simple_extent_dims(space.id(), shape.data(), nullptr),
        "ask an HDF5 dataset for its shape");
  return shape;
}

bool Dataset::stores(hid_t type) const { return H5Tequal(Type::of_dataset(id()).id(), type) > 0; }

namespace {

void require_numbers(const Shape& shape, hsize_t count) {
  hsize_t numbers = 1;
  bool fits = true;
  for (const hsize_t along : shape) {
    fits = fits && (along == 0 || numbers <= count / along);
    numbers *= along;
  }
  if (fits && numbers == count) return;
  throw SystemError(fmt::format("an HDF5 dataset of shape [{}] does not hold {} numbers",
                                fmt::join(shape, "]["), count));
}

}  // namespace

void Dataset::read(hid_t memory, void* data, hsize_t count) const {
  require_numbers(shape(), count);
  check(H5Dread(id(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "read an HDF5 dataset");
}

void Dataset::read_row(hsize_t index, hid_t memory, void* data, hsize_t count) const {
  Shape row = shape();
  if (row.empty() || index >= row[0]) {
    throw SystemError(
        fmt::format("an HDF5 dataset of shape [{}] has no row {}", fmt::join(row, "]["), index));
  }
  row[0] = 1;
  require_numbers(row, count);
  const Dataspace file_space = Dataspace::rows(shape(), index, 1);
  const Dataspace memory_space = Dataspace::simple(row);
  check(H5Dread(id(), memory, memory_space.id(), file_space.id(), H5P_DEFAULT, data),
        "read a row of an HDF5 dataset");
}

void Dataset::write(hid_t memory, const void* data) const {
  check(H5Dwrite(id(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "write to an HDF5 dataset");
}

void Dataset::write_part(hsize_t first, hsize_t count, hid_t memory, const void* data) const {
  const Dataspace file_space = Dataspace::rows(shape(), first, count);
  const Dataspace memory_space = Dataspace::simple({count});
  check(H5Dwrite(id(), memory, memory_space.id(), file_space.id(), H5P_DEFAULT, data),
        "write to an HDF5 dataset");
}

void Dataset::set_rows(hsize_t count, const Shape& row) {
  Shape extent{count};
  extent.insert(extent.end(), row.begin(), row.end());
  check(H5Dset_extent(id(), extent.data()), "resize an HDF5 dataset");
}

void Dataset::write_row(hsize_t index, const Shape& row, hid_t memory, const void* data) {
  write_rows(index, 1, row, memory, data);
}

void Dataset::write_rows(hsize_t first, hsize_t count, const Shape& row, hid_t memory,
                         const void* data) {
  if (count == 0) return;
  set_rows(first + count, row);
  Shape extent{first + count}, rows{count};
  extent.insert(extent.end(), row.begin(), row.end());
  rows.insert(rows.end(), row.begin(), row.end());
  const Dataspace file_space = Dataspace::rows(extent, first, count);
  const Dataspace memory_space = Dataspace::simple(rows);
  check(H5Dwrite(id(), memory, memory_space.id(), file_space.id(), H5P_DEFAULT, data),
        "write to an HDF5 dataset");
}

namespace {

PropertyList without_lock() {
  initialise();
  PropertyList access = PropertyList::create(H5P_FILE_ACCESS);
  check(H5Pset_file_locking(access.id(), 0, 1), "switch off HDF5's file lock");
  return access;
}

}  // namespace

PropertyList file_access() {
  PropertyList access = without_lock();
  set_ordered_driver(access.id());
  return access;
}

File File::create(const std::filesystem::path& path) { return create(path, file_access()); }

File File::create(const std::filesystem::path& path, const PropertyList& access) {
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose,
          fmt::format("create {}", path.string())};
}

File File::open(const std::filesystem::path& path) {
  require_regular_file(path);
  return {H5Fopen(path.c_str(), H5F_ACC_RDWR, file_access().id()), H5Fclose,
          fmt::format("open {}", path.string())};
}

File File::open_to_read(const std::filesystem::path& path) {
  require_regular_file(path);
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, without_lock().id()), H5Fclose,
          fmt::format("open {}", path.string())};
}

namespace {

/// Can a file grow to this size under the limits of the process?
bool within_limit(std::int64_t size) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         static_cast<rlim_t>(size) <= limit.rlim_cur;
}

/// The system's descriptor of an open file, or -1.
int descriptor_of(const File& file) {
  void* handle = nullptr;
  if (H5Fget_vfd_handle(file.id(), H5P_DEFAULT, &handle) < 0) return -1;
  return *static_cast<int*>(handle);
}

/// Its name, for people.
std::string name_of(const File& file) {
  const ssize_t length = H5Fget_name(file.id(), nullptr, 0);
  if (length <= 0) return "an HDF5 file";
  std::string name(static_cast<std::size_t>(length) + 1, '\0');
  H5Fget_name(file.id(), name.data(), name.size());
  name.pop_back();
  return name;
}

}  // namespace

void File::reserve(std::int64_t bytes) {
  const int descriptor = descriptor_of(*this);
  struct stat now {};
  if (::fstat(descriptor, &now) != 0) return;
  int error = within_limit(now.st_size + bytes) ? 0 : EFBIG;
  if (error == 0 && ::fallocate(descriptor, FALLOC_FL_KEEP_SIZE, now.st_size, bytes) != 0) {
    error = errno;
  }
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
    throw SystemError(fmt::format("cannot write {}: {}", name_of(*this), std::strerror(error)));
  }
}

void File::abandon() noexcept {
  const int descriptor = descriptor_of(*this);
  if (descriptor < 0) return;
  // HDF5 refuses a file that is shorter than its header says; a hole needs no space.
  haddr_t claimed = 0;
  struct stat now {};
  if (H5Fget_eoa(id(), &claimed) >= 0 && ::fstat(descriptor, &now) == 0 &&
      static_cast<haddr_t>(now.st_size) < claimed) {
    static_cast<void>(::ftruncate(descriptor, static_cast<off_t>(claimed)) == 0);
  }
  const int scratch = ::memfd_create("abandoned", MFD_CLOEXEC);
  if (scratch < 0) return;
  ::dup3(scratch, descriptor, O_CLOEXEC);
  ::close(scratch);
}

void File::flush() {
  const std::string action = "write " + name_of(*this);  // before a call that fails: it forgets why
  check(H5Fflush(id(), H5F_SCOPE_LOCAL), action);
}

namespace {

class Attribute : public Handle {
 public:
  Attribute(hid_t owner, const std::string& name)
      : Handle(H5Aopen(owner, name.c_str(), H5P_DEFAULT), H5Aclose,
               fmt::format("open the HDF5 attribute '{}'", name)) {}

  std::size_t count() const {
    const hssize_t count = H5Sget_simple_extent_npoints(Dataspace::of_attribute(id()).id());
    return static_cast<std::size_t>(std::max<hssize_t>(0, count));
  }
};

}  // namespace

void write_attribute(hid_t owner, const std::string& name, const std::string& text) {
  const Type type = Type::fixed_string(text.size());
  // data() of a string ends in a zero, which is what an empty one stores.
  write_attribute(owner, name, type.id(), type.id(), Dataspace::scalar(), text.data());
}

namespace {

/// Texts one behind the other, each padded to the length of the longest.
struct PackedTexts {
  std::size_t length = 1;
  std::string bytes;

  explicit PackedTexts(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) length = std::max(length, text.size());
    for (const std::string& text : texts) {
      bytes += text;
      bytes.append(length - text.size(), '\0');
    }
  }
};

}  // namespace

void write_attribute(hid_t owner, const std::string& name, const std::vector<std::string>& texts) {
  const PackedTexts packed(texts);
  const Type type = Type::fixed_string(packed.length);
  write_attribute(owner, name, type.id(), type.id(), Dataspace::simple({texts.size()}),
                  packed.bytes.data());
}

void write_attribute(hid_t owner, const std::string& name, std::int64_t value) {
  write_attribute(owner, name, H5T_STD_I64LE, H5T_NATIVE_INT64, Dataspace::scalar(), &value);
}

void write_attribute(hid_t owner, const std::string& name, std::span<const std::int64_t> values) {
  write_attribute(owner, name, H5T_STD_I64LE, H5T_NATIVE_INT64, Dataspace::simple({values.size()}),
                  values.data());
}

void write_attribute(hid_t owner, const std::string& name, std::span<const double> values) {
  write_attribute(owner, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                  Dataspace::simple({values.size()}), values.data());
}

void write_ascii_attribute(hid_t owner, const std::string& name, const std::string& text) {
  const Type type = Type::fixed_string(text.size());
  check(H5Tset_cset(type.id(), H5T_CSET_ASCII), "set an HDF5 string type to ASCII");
  write_attribute(owner, name, type.id(), type.id(), Dataspace::scalar(), text.data());
}

void rewrite_attribute(hid_t owner, const std::string& name, std::int64_t value) {
  const Attribute attribute(owner, name);
  check(H5Awrite(attribute.id(), H5T_NATIVE_INT64, &value),
        fmt::format("write the HDF5 attribute '{}'", name));
}

void write_text(hid_t parent, const std::string& name, const std::string& text) {
  const Type type = Type::fixed_string(text.size());
  Dataset::create(parent, name, type.id(), {}, type.id(), text.data());
}

void write_texts(hid_t parent, const std::string& name, const std::vector<std::string>& texts) {
  const PackedTexts packed(texts);
  const Type type = Type::fixed_string(packed.length);
  Dataset::create(parent, name, type.id(), {texts.size()}, type.id(), packed.bytes.data());
}

std::vector<std::string> read_texts(hid_t owner, const std::string& name) {
  const Attribute attribute(owner, name);
  const Type type = Type::of_attribute(attribute.id());
  const std::string action = fmt::format("read the HDF5 attribute '{}'", name);
  const bool is_text = H5Tget_class(type.id()) == H5T_STRING && H5Tis_variable_str(type.id()) == 0;
  if (!is_text) throw SystemError(fmt::format("cannot {}: it is no text", action));
  const std::size_t length = H5Tget_size(type.id());
  std::string packed(attribute.count() * length, '\0');
  check(H5Aread(attribute.id(), type.id(), packed.data()), action);
  std::vector<std::string> texts;
  for (std::size_t start = 0; start < packed.size(); start += length) {
    const std::string padded = packed.substr(start, length);
    texts.push_back(padded.substr(0, padded.find('\0')));
  }
  return texts;
}

std::vector<double> read_numbers(hid_t owner, const std::string& name) {
  const Attribute attribute(owner, name);
  std::vector<double> numbers(attribute.count());
  check(H5Aread(attribute.id(), H5T_NATIVE_DOUBLE, numbers.data()),
        fmt::format("read the HDF5 attribute '{}'", name));
  return numbers;
}

bool has(hid_t parent, const std::string& name) {
  return H5Lexists(parent, name.c_str(), H5P_DEFAULT) > 0;
}

bool has_attribute(hid_t owner, const std::string& name) {
  return H5Aexists(owner, name.c_str()) > 0;
}

void hard_link(hid_t parent, const std::string& name, const Dataset& target) {
  check(H5Olink(target.id(), parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
        fmt::format("link the HDF5 dataset '{}'", name));
}

void make_scale(const Dataset& dataset, const std::string& name) {
  check(H5DSset_scale(dataset.id(), name.c_str()),
        fmt::format("make the HDF5 dimension scale '{}'", name));
}

void attach_scale(const Dataset& dataset, const Dataset& scale, unsigned index) {
  check(H5DSattach_scale(dataset.id(), scale.id(), index), "attach an HDF5 dimension scale");
}

}  // namespace pencilbox::hdf5

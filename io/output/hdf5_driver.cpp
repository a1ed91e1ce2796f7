#include "io/output/hdf5_driver.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/output/hdf5.hpp"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace pencilbox::hdf5 {
namespace {

constexpr herr_t good = 0;
constexpr herr_t bad = -1;

/// The system's number of the first fault since it was taken.
thread_local int fault_of_system = 0;

/// A call of the driver below. After a fault HDF5 goes on and asks our driver, whose calls clear
/// its error stack: the cause would be lost.
template <class Call>
herr_t noted(const Call& call) {
  errno = 0;
  const herr_t status = call();
  if (status < 0 && fault_of_system == 0) fault_of_system = errno;
  return status;
}

/// One piece of metadata on its way to the file.
struct Piece {
  haddr_t address = 0;
  std::string bytes;
  bool is_new = false;

  haddr_t end() const { return address + bytes.size(); }

  /// The order in which pieces go to the file.
  int rank() const {
    constexpr int highest_level = 255;
    if (is_new) return 0;
    if (address == 0) return 1;
    const bool is_tree = bytes.size() > 8 && std::string_view(bytes).starts_with("TREE");
    if (!is_tree) return 3 + highest_level;
    return 2 + highest_level - static_cast<unsigned char>(bytes[5]);  // "TREE", kind, level
  }
};

/// The driver's view of an open file. HDF5 fills `base`, which must come first.
struct OrderedFile {
  H5FD_t base{};
  H5FD_t* below = nullptr;  ///< the same file, by the usual driver
  haddr_t old_end = 0;      ///< of the file as it was opened
  std::map<haddr_t, Piece> waiting;
  std::set<haddr_t> written;  ///< where pieces have gone beyond `old_end`

  bool overlaps(haddr_t address, std::size_t size) const {
    const auto behind = waiting.lower_bound(address + size);
    return behind != waiting.begin() && std::prev(behind)->second.end() > address;
  }

  herr_t write(H5FD_mem_t kind, haddr_t address, std::size_t size, const void* bytes) {
    const auto same = waiting.find(address);
    if (kind != H5FD_MEM_DRAW && same != waiting.end() && same->second.bytes.size() == size) {
      same->second.bytes.assign(static_cast<const char*>(bytes), size);
      return good;
    }
    // Space that changes its use: rare, and then the old order is good enough.
    if (overlaps(address, size) && commit() < 0) return bad;
    if (kind == H5FD_MEM_DRAW) return write_below(kind, address, size, bytes);
    const bool is_new = address >= old_end && written.insert(address).second;
    waiting[address] = {address, {static_cast<const char*>(bytes), size}, is_new};
    return good;
  }

  /// What the file holds, and over it what waits.
  herr_t read(H5FD_mem_t kind, haddr_t address, std::size_t size, void* bytes) const {
    if (H5FDread(below, kind, H5P_DEFAULT, address, size, bytes) < 0) return bad;
    auto next = waiting.upper_bound(address);
    if (next != waiting.begin()) --next;
    for (; next != waiting.end() && next->first < address + size; ++next) {
      const Piece& piece = next->second;
      const haddr_t first = std::max(piece.address, address);
      const haddr_t last = std::min(piece.end(), address + size);
      if (first >= last) continue;
      std::memcpy(static_cast<char*>(bytes) + (first - address),
                  piece.bytes.data() + (first - piece.address), last - first);
    }
    return good;
  }

  herr_t commit() {
    if (waiting.empty()) return good;
    if (grow() < 0) return bad;
    std::vector<const Piece*> pieces;
    for (const auto& [address, piece] : waiting) pieces.push_back(&piece);
    std::stable_sort(pieces.begin(), pieces.end(),
                     [](const Piece* a, const Piece* b) { return a->rank() < b->rank(); });
    for (const Piece* piece : pieces) {
      if (write_below(H5FD_MEM_OHDR, piece->address, piece->bytes.size(), piece->bytes.data()) <
          0) {
        return bad;
      }
    }
    waiting.clear();
    return good;
  }

  // A file that is shorter than its superblock says is refused. So it grows before the superblock
  // goes to the file, and shrinks after it.

  herr_t grow() { return misfit() > 0 ? truncate_below() : good; }

  herr_t commit_and_shrink() {
    if (commit() < 0) return bad;
    return misfit() < 0 ? truncate_below() : good;
  }

  herr_t write_below(H5FD_mem_t kind, haddr_t address, std::size_t size, const void* bytes) {
    return noted([&] { return H5FDwrite(below, kind, H5P_DEFAULT, address, size, bytes); });
  }
  herr_t truncate_below() {
    return noted([&] { return H5FDtruncate(below, H5P_DEFAULT, false); });
  }

  /// By how much the file is shorter than HDF5 takes it to be.
  std::int64_t misfit() const {
    return static_cast<std::int64_t>(H5FDget_eoa(below, H5FD_MEM_DEFAULT)) -
           static_cast<std::int64_t>(H5FDget_eof(below, H5FD_MEM_DEFAULT));
  }

  haddr_t end_of_waiting() const { return waiting.empty() ? 0 : waiting.rbegin()->second.end(); }
};

OrderedFile& of(H5FD_t* file) { return *reinterpret_cast<OrderedFile*>(file); }
const OrderedFile& of(const H5FD_t* file) { return *reinterpret_cast<const OrderedFile*>(file); }

/// HDF5 is C: an exception must not pass through it.
template <class Action>
herr_t guarded(const Action& action) noexcept {
  try {
    return action();
  } catch (...) {
    return bad;
  }
}

H5FD_t* open_file(const char* name, unsigned flags, hid_t, haddr_t maxaddr) noexcept {
  try {
    auto file = std::make_unique<OrderedFile>();
    // HDF5 looks for a file before it makes it, and each thread prints its errors unless told not
    // to.
    H5E_BEGIN_TRY { file->below = H5FDopen(name, flags, H5P_FILE_ACCESS_DEFAULT, maxaddr); }
    H5E_END_TRY
    if (file->below == nullptr) return nullptr;
    file->old_end = H5FDget_eof(file->below, H5FD_MEM_DEFAULT);
    return &file.release()->base;
  } catch (...) {
    return nullptr;
  }
}

herr_t close_file(H5FD_t* file) noexcept {
  const std::unique_ptr<OrderedFile> closing(&of(file));
  const herr_t committed = guarded([&] { return closing->commit_and_shrink(); });
  return std::min(committed, noted([&] { return H5FDclose(closing->below); }));
}

int compare_files(const H5FD_t* a, const H5FD_t* b) noexcept {
  return H5FDcmp(of(a).below, of(b).below);
}

/// All that the usual driver can do, but HDF5 must not glue pieces of metadata together.
herr_t query(const H5FD_t* file, unsigned long* features) noexcept {
  // HDF5 asks for the driver in general too.
  constexpr unsigned long usual =
      H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA;
  if (features == nullptr) return good;
  *features = usual;
  if (file == nullptr) return good;
  const int known = H5FDquery(of(file).below, features);
  *features &= ~static_cast<unsigned long>(H5FD_FEAT_ACCUMULATE_METADATA);
  return known < 0 ? bad : good;
}

haddr_t get_eoa(const H5FD_t* file, H5FD_mem_t kind) noexcept {
  return H5FDget_eoa(of(file).below, kind);
}

herr_t set_eoa(H5FD_t* file, H5FD_mem_t kind, haddr_t address) noexcept {
  return H5FDset_eoa(of(file).below, kind, address);
}

haddr_t get_eof(const H5FD_t* file, H5FD_mem_t kind) noexcept {
  return std::max(H5FDget_eof(of(file).below, kind), of(file).end_of_waiting());
}

herr_t get_handle(H5FD_t* file, hid_t, void** handle) noexcept {
  return H5FDget_vfd_handle(of(file).below, H5P_FILE_ACCESS_DEFAULT, handle);
}

herr_t read(H5FD_t* file, H5FD_mem_t kind, hid_t, haddr_t address, size_t size,
            void* bytes) noexcept {
  return guarded([&] { return of(file).read(kind, address, size, bytes); });
}

herr_t write(H5FD_t* file, H5FD_mem_t kind, hid_t, haddr_t address, size_t size,
             const void* bytes) noexcept {
  return guarded([&] { return of(file).write(kind, address, size, bytes); });
}

herr_t flush(H5FD_t* file, hid_t, hbool_t closing) noexcept {
  return guarded([&] {
    if (of(file).commit_and_shrink() < 0) return bad;
    return noted([&] { return H5FDflush(of(file).below, H5P_DEFAULT, closing); });
  });
}

/// HDF5 asks before it has written its superblock. What is to go, flush() takes away.
herr_t truncate(H5FD_t* file, hid_t, hbool_t) noexcept {
  return guarded([&] { return of(file).grow(); });
}

H5FD_class_t make_class() {
  constexpr H5FD_mem_t one_list_for_metadata[] = H5FD_FLMAP_DICHOTOMY;
  H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 0)
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(510);  // of those that nobody registers
#endif
  driver.name = "pencilbox ordered";
  driver.maxaddr = (haddr_t{1} << 63) - 1;
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.open = open_file;
  driver.close = close_file;
  driver.cmp = compare_files;
  driver.query = query;
  driver.get_eoa = get_eoa;
  driver.set_eoa = set_eoa;
  driver.get_eof = get_eof;
  driver.get_handle = get_handle;
  driver.read = read;
  driver.write = write;
  driver.flush = flush;
  driver.truncate = truncate;
  std::copy(std::begin(one_list_for_metadata), std::end(one_list_for_metadata), driver.fl_map);
  return driver;
}

}  // namespace

int take_fault_of_system() { return std::exchange(fault_of_system, 0); }

void set_ordered_driver(hid_t access) {
  static const H5FD_class_t driver = make_class();
  static const hid_t id = H5FDregister(&driver);
  check(id < 0 ? bad : good, "register an HDF5 file driver");
  check(H5Pset_driver(access, id, nullptr), "choose an HDF5 file driver");
}

}  // namespace pencilbox::hdf5

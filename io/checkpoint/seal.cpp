#include "io/checkpoint/seal.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string_view>
#include <vector>

#include <boost/crc.hpp>
#include <fmt/format.h>

#include "core/error.hpp"
#include "io/output/file.hpp"

namespace pencilbox {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "PENCILBOX-SEAL-1";
constexpr std::string_view hdf5_signature = "\x89HDF\r\n\x1a\n";
constexpr std::int64_t seal_bytes = 16 + 8 + 8;

std::string little_endian(std::uint64_t value) {
  std::string bytes(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> 8 * i & 0xff);
  return bytes;
}

std::string make_seal(std::int64_t length, std::uint64_t checksum) {
  return std::string(magic) + little_endian(static_cast<std::uint64_t>(length)) +
         little_endian(checksum);
}

[[noreturn]] void refuse(const fs::path& path, int error) {
  throw InputError(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(error)));
}

/// A file that is read once from its beginning to its end.
class SealedFile {
 public:
  explicit SealedFile(const fs::path& path) : path_(path) {
    if (is_other_than_a_file(path)) {
      throw InputError(fmt::format("{}: cannot be read: it is no regular file", path.string()));
    }
    file_.open(path, std::ios::binary);
    std::error_code error;
    size_ = static_cast<std::int64_t>(fs::file_size(path, error));
    if (error) refuse(path_, error.value());
    if (!file_) refuse(path_, errno);
  }

  std::int64_t size() const { return size_; }

  std::string read_at(std::int64_t offset, std::int64_t count) {
    std::string bytes(static_cast<std::size_t>(count), '\0');
    file_.seekg(offset);
    file_.read(bytes.data(), count);
    if (!file_) refuse(path_, errno);
    return bytes;
  }

  /// CRC-64/XZ of the first `length` bytes.
  std::uint64_t checksum(std::int64_t length) {
    boost::crc_optimal<64, 0x42F0E1EBA9EA3693, ~std::uint64_t{0}, ~std::uint64_t{0}, true, true>
        crc;
    constexpr std::int64_t most = 1 << 20;
    for (std::int64_t at = 0; at < length; at += most) {
      const std::string bytes = read_at(at, std::min(most, length - at));
      crc.process_bytes(bytes.data(), bytes.size());
    }
    return crc.checksum();
  }

 private:
  fs::path path_;
  std::ifstream file_;
  std::int64_t size_ = 0;
};

std::string fault_without_seal(SealedFile& file) {
  const auto signature = static_cast<std::int64_t>(hdf5_signature.size());
  if (file.size() >= signature && file.read_at(0, signature) == hdf5_signature) {
    return "its end is missing: truncated, or an HDF5 file of another program";
  }
  return "is no checkpoint of pencilbox";
}

}  // namespace

void seal(const fs::path& path) {
  SealedFile content(path);
  OutputFile file = OutputFile::open(path);
  file.write_at(content.size(), make_seal(content.size(), content.checksum(content.size())));
  file.sync();
  file.close();
}

bool has_seal(const fs::path& path) {
  SealedFile file(path);
  const std::int64_t content = file.size() - seal_bytes;
  return content >= 0 && file.read_at(content, seal_bytes).starts_with(magic);
}

std::optional<std::string> seal_fault(const fs::path& path) {
  SealedFile file(path);
  if (file.size() == 0) return "is empty";
  const std::int64_t content = file.size() - seal_bytes;
  if (content < 0) return fault_without_seal(file);
  const std::string found = file.read_at(content, seal_bytes);
  if (!found.starts_with(magic)) return fault_without_seal(file);
  if (found != make_seal(content, file.checksum(content))) {
    return "is damaged: its checksum does not agree with what it holds";
  }
  return {};
}

}  // namespace pencilbox

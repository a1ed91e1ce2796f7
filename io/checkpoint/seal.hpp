// A seal at the end of a file says that the file is whole: length and checksum of all before it.
// HDF5 may crash on a damaged file, so ours is looked at before HDF5 is; and HDF5 does not mind
// what stands behind its own end, so any program for HDF5 still opens a sealed file.
//
//   16 bytes  "PENCILBOX-SEAL-1"
//    8 bytes  length of what is sealed, little-endian
//    8 bytes  CRC-64/XZ of what is sealed, little-endian
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace pencilbox {

/// Appends the seal and waits until the disk has the file. Throws SystemError.
void seal(const std::filesystem::path& path);

/// Whether the file ends with a seal, be it whole or not. Throws InputError if it cannot be read.
bool has_seal(const std::filesystem::path& path);

/// Why the file is not what was sealed: empty, cut short, changed, not ours. Nothing if it is
/// whole. Reads all of it. Throws InputError if it cannot be read.
std::optional<std::string> seal_fault(const std::filesystem::path& path);

}  // namespace pencilbox

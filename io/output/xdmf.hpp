// trajectory.xmf2: the XML by which ParaView 5.11 and newer open the H5MD file (the extension
// chooses the Xdmf2 reader there, which alone can read a frame out of a [T][N][3] dataset).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/output/file.hpp"

namespace pencilbox {

/// A dataset of the HDF5 file with one entry a particle, as the sidecar must describe it.
struct XdmfArray {
  std::string name;       ///< what ParaView calls it; "position" becomes the geometry
  std::string path;       ///< inside the HDF5 file
  int components = 1;     ///< 1: [N], 3: [N][3]
  bool is_float = true;   ///< else a signed integer
  int bytes = 4;          ///< of one number
  bool in_frames = true;  ///< has a first dimension of frames; else one [N] for the whole run
};

/// How the sidecar's old text gives way to the new.
enum class SidecarSwap {
  exchange,  ///< two files take turns by renameat2(RENAME_EXCHANGE): a frame costs what it adds
  copy,      ///< for file systems without that: rename, then copy the whole text
};

/// Writes the sidecar. At every moment `path` is a whole document: a frame is added to a hidden
/// twin beside it, then the two change names.
class XdmfWriter {
 public:
  /// `heavy_file` is the HDF5 file's name seen from the sidecar's directory. Throws SystemError.
  XdmfWriter(const std::filesystem::path& path, std::string heavy_file, std::int64_t particles,
             std::vector<XdmfArray> arrays, SidecarSwap swap = SidecarSwap::exchange);
  ~XdmfWriter();
  XdmfWriter(const XdmfWriter&) = delete;
  XdmfWriter& operator=(const XdmfWriter&) = delete;

  /// Adds the next frame of the HDF5 file. Throws SystemError.
  void append(double time);

  /// Removes the twin. Throws SystemError.
  void close();

  /// The hidden twin of a sidecar, there while a run writes.
  static std::filesystem::path twin_of(const std::filesystem::path& path);

 private:
  /// One of the two files: what it holds and what it still lacks.
  struct Text {
    OutputFile file;
    std::int64_t body_end;
    std::string missing;
  };

  std::string data_item(const XdmfArray& array) const;
  std::string frame_text(double time) const;
  void write_missing(Text& text);
  void swap_names();

  std::filesystem::path path_, twin_path_;
  std::string heavy_file_;
  std::int64_t particles_;
  std::vector<XdmfArray> arrays_;
  SidecarSwap swap_;
  std::int64_t frames_ = 0;
  Text shown_, twin_;
};

}  // namespace pencilbox

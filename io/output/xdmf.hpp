// trajectory.xmf2: the XML by which ParaView 5.11 and newer open the H5MD file (the extension
// chooses the Xdmf2 reader there, which alone can read a frame out of a [T][N][3] dataset).
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "io/output/file.hpp"
#include "io/output/particle_array.hpp"

namespace pencilbox {

/// How the sidecar's old text gives way to the new.
enum class SidecarSwap {
  exchange,  ///< two files take turns by renameat2(RENAME_EXCHANGE): a frame costs what it adds
  copy,      ///< for file systems without that: rename, then copy the whole text
};

/// Writes the sidecar. At every moment `path` is a whole document: a frame is added to a hidden
/// twin beside it, then the two change names.
class XdmfWriter {
 public:
  /// Begins a sidecar without frames; one that is there is replaced. Throws SystemError.
  XdmfWriter(const std::filesystem::path& path, std::int64_t particles,
             std::vector<ParticleArray> arrays, SidecarSwap swap = SidecarSwap::exchange);
  ~XdmfWriter();
  XdmfWriter(const XdmfWriter&) = delete;
  XdmfWriter& operator=(const XdmfWriter&) = delete;

  /// Adds the next frames. Throws SystemError.
  void append(std::span<const FramePlace> frames);

  /// Removes the twin. Throws SystemError.
  void close();

 private:
  /// One of the two files: what it holds and what it still lacks.
  struct Text {
    OutputFile file;
    std::int64_t body_end;
    std::string missing;
  };

  std::string data_item(const ParticleArray& array, const FramePlace& frame) const;
  std::string frame_text(const FramePlace& frame) const;
  void write_missing(Text& text);
  void swap_names();

  std::filesystem::path path_, twin_path_;
  std::int64_t particles_;
  std::vector<ParticleArray> arrays_;
  SidecarSwap swap_;
  Text shown_, twin_;
};

}  // namespace pencilbox

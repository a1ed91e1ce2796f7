// trajectory.h5md: what the particles did, in H5MD 1.1 (https://www.nongnu.org/h5md/h5md.html), and
// beside it the sidecar by which ParaView opens the same data.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/observation.hpp"
#include "core/precision.hpp"
#include "core/start_state.hpp"

namespace pencilbox {

/// What a trajectory says about the run that made it, and which fields it holds.
struct TrajectoryHeader {
  FieldSet fields;  ///< `position` is always written
  Precision precision = Precision::mixed;
  std::string version;  ///< of pencilbox
  std::string deck;     ///< the resolved deck, YAML
  std::string backend;
  std::string device;
};

/// The fields that a frame must carry so that `asked` can be written: the positions, and the
/// velocities where the speed is asked for.
FieldSet frame_fields(const FieldSet& asked);

/// Writes a trajectory frame by frame. T frames, N particles, rows in the order of `start.id` in
/// every frame; reduced Lennard-Jones units throughout.
///
///   /particles/all/position/{value,step,time}     [T][N][3] [sigma], [T], [T] [tau]
///   /particles/all/{velocity,force}/value         [T][N][3]
///   /particles/all/image/value                    [T][N][3] i32
///   /particles/all/{potential_energy,speed}/value [T][N] [epsilon], [sigma/tau]
///   /particles/all/id/value                       [T][N] i32, if asked for or not 1..N
///   /particles/all/{species,mass}                 [N] i32 (0-based, attribute `names`), float
///   /particles/all/box                            attributes `dimension`, `boundary`, `origin` [3]
///   /particles/all/box/edges/value                [T][3][3], rows are the edge vectors
///   /observables/<name>/value                     [T]: temperature, pressure, and, per particle,
///                                                 kinetic_, potential_ and total_energy
///   /parameters                                   `deck`; attributes `version`, `backend`,
///                                                 `device`, `precision`
///
/// Every `step` and `time` is a hard link to those of `position`. Floats of particles are f64 in a
/// run in double precision, f32 in single and mixed: there f32 is what the pairs were computed with
/// and half the disk. Sums, box and time are always f64. H5MD knows no origin, so positions are
/// absolute and lie in [origin, origin + edges) up to rounding. A pressure that is not defined
/// (open boundary) is NaN.
///
/// After each frame the file is flushed and the sidecar shows that frame, so a run that is killed
/// between two frames leaves both whole.
class TrajectoryWriter {
 public:
  /// Creates `path` and, with the extension .xmf2, its sidecar; what is there is replaced. `start`
  /// gives the box, the ids, the species and their masses. Throws SystemError.
  TrajectoryWriter(const std::filesystem::path& path, const StartState& start,
                   const TrajectoryHeader& header);
  ~TrajectoryWriter();
  TrajectoryWriter(TrajectoryWriter&&) noexcept;

  /// Appends the frame and the sums of one step, later than the last. `frame` carries what
  /// frame_fields() names, or std::logic_error. Throws SystemError, for instance when the disk is
  /// full; the frames before stay readable and nothing more can be appended.
  void append(const Frame& frame, const Observation& observation);

  /// Closes file and sidecar. Throws SystemError; the destructor closes too, but cannot tell.
  void close();

 private:
  class File;
  std::unique_ptr<File> file_;
};

}  // namespace pencilbox

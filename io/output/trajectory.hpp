// trajectory.h5md: what the particles did, in H5MD 1.1 (https://www.nongnu.org/h5md/h5md.html), and
// beside it the sidecars by which ParaView opens the same data. Written by a thread of its own,
// while the device computes on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/observable_info.hpp"
#include "core/observation.hpp"
#include "core/packed_frame.hpp"
#include "core/start_state.hpp"
#include "io/output/trajectory_header.hpp"

namespace pencilbox {

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
///   /observables/<type>/...                       what the deck's observables have found
///                                                 (trajectory_results.hpp)
///   /parameters                                   `deck`; attributes `version`, `backend`,
///                                                 `device`, `precision`, `split_every`
///   /AMBER                                        the same data for OVITO (amber_group.hpp)
///
/// Every `step` and `time` is a hard link to those of `position`. Floats of particles are f64 in a
/// run in double precision, f32 in single and mixed: there f32 is what the pairs were computed with
/// and half the disk. Sums, box and time are always f64. H5MD knows no origin, so positions are
/// absolute and lie in [origin, origin + edges) up to rounding. A pressure that is not defined
/// (open boundary) is NaN. With `split_every` the frames go to trajectory-0000.h5md and so on, each
/// a trajectory for itself; the sidecars show all.
///
/// After each frame the file is flushed and the sidecars show that frame, so a run that is killed
/// leaves whole all frames but those that were still queued, two at most.
///
/// While a writer lives its thread calls HDF5: everybody else holds an hdf5::Lock to do so.
class TrajectoryWriter {
 public:
  /// Creates `path` and, with other extensions, its sidecars; what is there is replaced. `start`
  /// gives the box, the ids, the species and their masses. Throws SystemError.
  TrajectoryWriter(const std::filesystem::path& path, const StartState& start,
                   const TrajectoryHeader& header);

  /// Goes on with the trajectory that an earlier run with the same particles, fields and precision
  /// left at `path`: frames later than `step` are dropped, incomplete ones too, and the sidecars
  /// are rewritten. Throws InputError, one line with the file and both values, if it is damaged or
  /// of another run, and then changes nothing; SystemError if the disk refuses.
  static TrajectoryWriter resume(const std::filesystem::path& path, const StartState& start,
                                 const TrajectoryHeader& header, std::int64_t step);

  /// Writes what is queued, then closes; an error is lost: call close().
  ~TrajectoryWriter();
  TrajectoryWriter(TrajectoryWriter&&) noexcept;

  /// What append() needs in a frame.
  FieldSet frame_fields() const;

  /// The step of the last frame that was appended or, after resume(), kept; -1: none.
  std::int64_t last_step() const;

  /// Queues the frame and the sums of one step, later than the last, and returns; waits only while
  /// two frames are queued already. A frame that does not belong is std::logic_error. Throws the
  /// SystemError of an earlier frame that could not be written, for instance on a full disk: the
  /// frames before stay readable and nothing more can be appended.
  void append(PackedFrame frame, const Observation& observation);

  /// Queues what the header's observables have found up to `step`. Throws as append().
  void append_results(std::int64_t step, double time, std::vector<ObservableResult> results);

  /// Returns when all that was appended is with the file system: then a kill takes none of it.
  /// Throws as append().
  void wait();

  /// Writes what is queued and closes files and sidecars. Throws as append().
  void close();

 private:
  class Worker;
  explicit TrajectoryWriter(std::unique_ptr<Worker> worker);

  std::unique_ptr<Worker> worker_;
};

}  // namespace pencilbox

// One rank's part of a simulation: the particles in its cells, copies of others' in the cells
// around them, and forces. All of it stays on the device while steps go on; between two phases
// letters travel from device to device, and nobody else knows how.
//
//   move          v, x of its own; each into the cell where it is now, or into a letter: who
//                 leaves, and copies of those in cells that others see
//                                                                          -> letters ->
//   order         what came, among its own, cell by cell
//   compute       forces (of copies too, which nobody reads)
//   second_half   v
//
// How many particles there are the device alone knows: kernels run over rows for as many as there
// may be. Where rows or letters turn out to be too few it is noted, and told between batches; then
// the batch is done again from a copy of what it began with, with more of them.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/engine/simulation.hpp"
#include "app/ranks/decomposition.hpp"
#include "app/ranks/departures.hpp"
#include "app/ranks/mailbox.hpp"
#include "app/ranks/particle_copy.hpp"
#include "app/ranks/particle_rows.hpp"
#include "core/profile.hpp"
#include "integrators/integrator.hpp"
#include "neighbor/backend.hpp"
#include "neighbor/cells/binning.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Precision>
class RankDomain {
 public:
  using Row = ParticleRow<Precision>;

  /// `global`: the problem of all ranks. Throws BackendRefusal if the back end cannot run the part
  /// of this rank.
  RankDomain(const SimulationSettings& setup, const std::vector<ParticleType>& types,
             const Problem& global, const Decomposition& decomposition, int rank);

  int rank() const { return rank_; }
  Mailbox<Precision>& mailbox() { return mailbox_; }
  Profiler& profiler() { return profiler_; }
  Stream& stream() { return stream_; }

  /// The particles in its cells, to begin with, in no order: ghosts are lacking.
  void own(std::vector<Row> rows);

  // Phases. Each only enqueues.
  void show() { move<Moving::not_at_all>(); }
  void first_half();
  void both_halves();
  void order();
  void compute(Wanted wanted);
  void second_half();

  // Between batches; each waits for the device.

  /// Keeps what the batch to come begins with.
  void keep();
  /// Whether rows or room for letters were too few since keep(); then all that came of it is wrong.
  bool was_short();
  /// Rows and room enough for what was wanted. Rows are not there before lay_rows().
  void grow();
  /// When the mailbox knows what comes.
  void lay_rows();
  /// Back to what was kept.
  void begin_again();

  /// Its own, by cell and id, with forces and whatever else was wanted of the last evaluation.
  std::vector<Row> rows();
  /// Its steps are counted from the first of this domain.
  BinningHealth health();
  /// Candidates and partners of each of its own particles.
  struct Counts {
    std::vector<Index> candidates, partners;
  };
  Counts count();

  LaunchReport launch_report() const { return backend_->launch_report(); }

 private:
  using State = typename Precision::State;

  template <Moving moving>
  void move();
  KickAndDrift<Precision> kick_and_drift(StepNumber step);
  Departures<Precision> departures();
  CellBox cells_that_nobody_sees() const;
  BinnedParticles<Precision> view() const { return binning_->view(particles_); }
  const Index* rows_used() const;
  Index rows_now();
  std::vector<std::optional<Index>> own_cells();
  StepNumber step() const { return {nullptr, step_}; }

  const Decomposition& decomposition_;
  int rank_;
  OrderRules rules_;
  Stream stream_;
  Profiler profiler_;
  Mailbox<Precision> mailbox_;

  /// Rows [0, count) are its particles' and ghosts'; behind them lies what letters bring, until it
  /// is ordered.
  Particles<Precision> particles_;
  std::optional<Binning<Precision>> binning_;
  bool is_ordered_ = false;         ///< and ghosts are there
  Buffer<Index> used_, most_used_;  ///< rows: while it is not ordered; and at most, so far
  ParticleCopy<Precision> kept_;
  Index wanted_rows_ = 0;
  std::vector<LetterSize> wanted_letters_;

  std::array<Buffer<PlacesOfCell>, 3> places_;
  std::array<Buffer<Index>, 3> cells_of_ranks_;
  std::optional<Interaction<typename Precision::Pair>> interaction_;
  std::unique_ptr<Backend<Precision>> backend_;
  std::unique_ptr<Integrator<Precision>> integrator_;
  std::int32_t step_ = 0, kept_step_ = 0;
};

}  // namespace pencilbox::PENCILBOX_DEVICE

// One rank's part of a simulation: the particles in its cells, and forces on them. A step is a
// sequence of phases; between them ranks exchange letters, and nobody else knows how these travel.
//
//   first_half       v, x of its own; each into the cell of the global grid where it is now
//   emigrants        who is in a cell of another rank      -> letters -> immigrate
//   ghosts           who is in a cell that others see too   -> letters -> evaluate
//   second_half      v
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/engine/simulation.hpp"
#include "app/ranks/decomposition.hpp"
#include "app/ranks/mail.hpp"
#include "app/ranks/particle_rows.hpp"
#include "core/profile.hpp"
#include "integrators/integrator.hpp"
#include "neighbor/backend.hpp"
#include "neighbor/cells/binning.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Another rank's particle, as a source.
template <class Precision>
struct GhostRow {
  Vec3<typename Precision::State> position;  ///< relative to the centre of `cell` [sigma]
  Index cell;                                ///< in the grid of who sees it
  ParticleId id;
  std::int32_t type;
};

template <class Precision>
class RankDomain {
 public:
  using Row = ParticleRow<Precision>;

  /// `global`: the problem of all ranks. Throws BackendRefusal if the back end cannot run the part
  /// of this rank.
  RankDomain(const SimulationSettings& setup, const std::vector<ParticleType>& types,
             const Problem& global, const Decomposition& decomposition, int rank);

  /// The particles in its cells, to begin with.
  void own(std::vector<Row> rows);

  void first_half();
  Mail emigrants();
  void immigrate(const Mail& arrived);
  Mail ghosts() const;
  void evaluate(const Mail& arrived, Wanted wanted);
  void second_half();

  /// Its own, with forces and whatever else was wanted of the last evaluation.
  std::vector<Row> rows() { return download_rows(own_, stream_); }
  /// Its steps are counted from the first of this domain.
  BinningHealth health();
  /// Candidates and partners of each of its own particles.
  struct Counts {
    std::vector<Index> candidates, partners;
  };
  Counts count();

  LaunchReport launch_report() const { return backend_->launch_report(); }

 private:
  using Accumulator = typename Precision::Accumulator;

  void order_all(const Mail& ghosts);
  void take_sums(Wanted wanted);

  const Decomposition& decomposition_;
  int rank_;
  Stream stream_;
  Profiler profiler_;
  Particles<Precision> own_;
  std::vector<Row> rows_;     ///< of own_, when it came into being
  Particles<Precision> all_;  ///< and ghosts, in the cells of the domain
  std::vector<Index>
      own_number_;  ///< [all] in the order of all_: whose sums these are; -1 of a ghost
  Binning<Precision> into_global_cells_, in_domain_;
  std::optional<Interaction<typename Precision::Pair>> interaction_;
  std::unique_ptr<Backend<Precision>> backend_;
  std::unique_ptr<Integrator<Precision>> integrator_;
  std::int32_t step_ = 0;
};

}  // namespace pencilbox::PENCILBOX_DEVICE

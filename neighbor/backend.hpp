// The contract of a back end: a way of finding and evaluating neighbour interactions.
//
// A back end is one file in neighbor/backends/ and one line in its CMakeLists.txt. The file defines
// a class template over the precision, and one function, named like the file, that returns its
// BackendEntry. See neighbor/README.md.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "core/interactions/interaction.hpp"
#include "core/kick_and_drift.hpp"
#include "core/observation.hpp"
#include "core/particles.hpp"
#include "core/registry.hpp"
#include "neighbor/binned_particles.hpp"
#include "neighbor/problem.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// What an evaluation writes. Forces alone are the common case. `counts` writes candidates and
/// partners, for which there must be room, and nothing else. (Of an interaction that has no forces,
/// forces are its potential, in `energy`.)
enum class Wanted { forces, forces_and_energies, counts };

/// How the last evaluation was launched, and a note in words, which are made when somebody asks.
struct LaunchReport {
  LaunchShape shape;
  std::function<std::string()> note = [] { return std::string(); };
};

/// Units of a cycle that are enqueued as one.
template <class Precision>
struct UnitsOfCycle {
  using Mirror = PackedPosition<typename Precision::Pair>*;
  std::int32_t count;
  const std::int32_t* limit;  ///< unit k runs while k < *limit
  Mirror even, odd;           ///< mirrors that even and odd units read

  /// What unit k reads, and the one before it writes.
  PENCILBOX_DEVICE_FUNCTION Mirror read_by(std::int32_t k) const { return k % 2 == 0 ? even : odd; }
};

template <class Precision>
class Backend {
 public:
  virtual ~Backend() = default;

  /// Builds what this back end adds to the binned particles: sub-boxes, a list, a coarse grid. Once
  /// for each order of the particles: before each evaluation, or, where BackendInfo::rebuild says
  /// so, when one has moved so far that a list of pairs within cutoff plus skin may miss one.
  virtual void rebuild(const BinnedParticles<Precision>& particles, Stream& stream) = 0;

  /// For every particle the sum over all sources within the cutoff, into `sums`, in the order of
  /// `particles`. A source is a particle with an image shift; only the particle itself with zero
  /// shift is skipped.
  virtual void compute(const BinnedParticles<Precision>& particles,
                       const Interaction<typename Precision::Pair>& interaction, Wanted wanted,
                       PairSums<Precision>& sums, Stream& stream) = 0;

  /// Whether it has kernels that hand each target's force straight to the move that follows: a
  /// step is a launch less then, and forces need not be stored.
  virtual bool moves_targets() const { return false; }

  /// Whether compute_and_move() can be for a part of the targets, as `particles` says: both parts
  /// may then run at the same time. (Only for those of one's own cells, the interior is what a rank
  /// computes while its letters travel.)
  virtual bool takes_parts() const { return false; }

  /// compute() for forces that go into `move` and nowhere else, to the bit as if they had been
  /// stored. New positions are written where this evaluation reads none.
  virtual void compute_and_move(const BinnedParticles<Precision>& /*particles*/,
                                const Interaction<typename Precision::Pair>& /*interaction*/,
                                const KickAndDrift<Precision>& /*move*/, Stream& /*stream*/) {
    throw std::logic_error("this back end stores its forces");
  }

  /// The same for units of a cycle from unit 0 on, in one launch whose blocks all run at once and
  /// meet between units; to the bit the same. `move` is that of unit 0. False, with nothing
  /// enqueued, where that cannot be: where kernels do not fit the device at once, for one.
  virtual bool compute_and_move_units(const BinnedParticles<Precision>& /*particles*/,
                                      const Interaction<typename Precision::Pair>& /*interaction*/,
                                      const KickAndDrift<Precision>& /*move*/,
                                      const UnitsOfCycle<Precision>& /*units*/,
                                      Stream& /*stream*/) {
    return false;
  }

  /// Told whenever the host looks: the most particles in one cell now. Launch shapes may follow it;
  /// results must not depend on it.
  virtual void occupancy_changed(Index /*largest_cell*/) {}

  /// The box has become larger or smaller: `problem` has the same cells with other sides. Whoever
  /// keeps a length of the problem takes it from here; particles come in a new order before the
  /// next evaluation.
  virtual void box_changed(const Problem& /*problem*/) {}

  /// Whether what is enqueued from now on stays the same, so that it can be noted in a graph: not
  /// while launch shapes are being tried.
  virtual bool settled() const { return true; }

  /// Of a back end that keeps a row of partners for each particle: entries that a row has room for.
  /// A rebuild that needed more is not used; it is done once more after grow_rows().
  virtual Index row_capacity() const { return std::numeric_limits<Index>::max(); }
  virtual void grow_rows(Index /*wanted*/) {}

  virtual LaunchReport launch_report() const = 0;
};

/// What the registry knows of a back end.
struct BackendEntry {
  BackendInfo info;

  /// Nothing, or the reason in words why it cannot run this problem.
  std::optional<std::string> (*refuse)(const Problem&, const BackendOptions&);

  /// Device memory of its own, as far as it is known before a run [bytes].
  std::int64_t (*own_bytes)(const Problem&, const BackendOptions&);

  std::unique_ptr<Backend<SinglePrecision>> (*make_single)(const Problem&, const BackendOptions&);
  std::unique_ptr<Backend<MixedPrecision>> (*make_mixed)(const Problem&, const BackendOptions&);
  std::unique_ptr<Backend<DoublePrecision>> (*make_double)(const Problem&, const BackendOptions&);
};

/// The arithmetic of a back end's pairs: the run's, unless the back end says that it computes in
/// double whatever comes.
template <class BackendInPrecision>
constexpr pencilbox::Precision arithmetic_of(pencilbox::Precision precision) {
  constexpr bool in_double = requires { typename BackendInPrecision::PairArithmetic; };
  if (in_double && precision == pencilbox::Precision::mixed) return pencilbox::Precision::double_;
  return precision;  // in single positions are float all the same
}

/// Whether a back end has kernels for tabulated pairs: it says so by a type `EvaluatesTables`. Few
/// do, since each functor more is compiled into every kernel of every back end that has it.
template <class BackendInPrecision>
constexpr bool has_kernels_for_tables = requires {
  typename BackendInPrecision::EvaluatesTables;
};

/// What the back end refuses in the precision of the problem.
template <template <class> class BackendOf>
std::optional<std::string> refuse_in_precision(const Problem& problem,
                                               const BackendOptions& options) {
  using Any = BackendOf<DoublePrecision>;
  if (!has_kernels_for_tables<Any> && std::holds_alternative<TabulatedModel>(problem.potential)) {
    return "it has no kernels for tabulated pairs, which reference, par-part-no-loop and "
           "verlet-list have";
  }
  if (auto reason = separations_too_coarse(problem, arithmetic_of<Any>(problem.precision))) {
    return reason;
  }
  switch (problem.precision) {
    case pencilbox::Precision::single:
      return BackendOf<SinglePrecision>::refuse(problem, options);
    case pencilbox::Precision::mixed:
      return BackendOf<MixedPrecision>::refuse(problem, options);
    default:
      return BackendOf<DoublePrecision>::refuse(problem, options);
  }
}

/// What a back end says of its memory with `static std::int64_t own_bytes(problem, options)`.
template <template <class> class BackendOf>
std::int64_t own_bytes_of(const Problem& problem, const BackendOptions& options) {
  if constexpr (requires { BackendOf<SinglePrecision>::own_bytes(problem, options); }) {
    return BackendOf<SinglePrecision>::own_bytes(problem, options);
  } else {
    return 0;
  }
}

/// The entry of a back end whose class template is constructible from (Problem, BackendOptions) and
/// has a static refuse(Problem, BackendOptions).
template <template <class> class BackendOf>
BackendEntry make_entry(BackendInfo info) {
  using Options = BackendOptions;
  return {std::move(info),
          &refuse_in_precision<BackendOf>,
          &own_bytes_of<BackendOf>,
          [](const Problem& problem,
             const Options& options) -> std::unique_ptr<Backend<SinglePrecision>> {
            return std::make_unique<BackendOf<SinglePrecision>>(problem, options);
          },
          [](const Problem& problem,
             const Options& options) -> std::unique_ptr<Backend<MixedPrecision>> {
            return std::make_unique<BackendOf<MixedPrecision>>(problem, options);
          },
          [](const Problem& problem,
             const Options& options) -> std::unique_ptr<Backend<DoublePrecision>> {
            return std::make_unique<BackendOf<DoublePrecision>>(problem, options);
          }};
}

/// Makes the back end for the precision.
template <class Precision>
std::unique_ptr<Backend<Precision>> make_backend(const BackendEntry& entry, const Problem& problem,
                                                 const BackendOptions& options) {
  if constexpr (Precision::value == pencilbox::Precision::single) {
    return entry.make_single(problem, options);
  } else if constexpr (Precision::value == pencilbox::Precision::mixed) {
    return entry.make_mixed(problem, options);
  } else {
    return entry.make_double(problem, options);
  }
}

/// All back ends of this build, in the order of neighbor/backends/CMakeLists.txt (generated).
const std::vector<BackendEntry>& backend_registry();

/// Throws InputError, naming what there is, if no back end is called `name`.
const BackendEntry& find_backend(const std::string& name);

template <Wanted wanted>
using WantedConstant = std::integral_constant<Wanted, wanted>;

/// Calls run(functor, wanted constant) with what kernels are compiled for that need a cutoff: the
/// interaction's functor, or the cutoff alone where candidates are counted.
template <class Real, class Run>
void dispatch_short_ranged(const Interaction<Real>& interaction, Wanted wanted, Run&& run) {
  switch (wanted) {
    case Wanted::forces:
      return interaction.visit_for_forces(
          [&](const auto& functor) { run(functor, WantedConstant<Wanted::forces>{}); });
    case Wanted::forces_and_energies:
      return interaction.visit_for_energies([&](const auto& functor) {
        run(functor, WantedConstant<Wanted::forces_and_energies>{});
      });
    case Wanted::counts:
      return run(interaction.cutoff_test(), WantedConstant<Wanted::counts>{});
  }
}

/// Of one that has kernels for tabulated pairs: they give forces and energies whatever is asked for
/// (but counts), so that there is one for each. False where pairs are not tabulated.
template <class Real, class Run>
bool dispatch_tabulated(const Interaction<Real>& interaction, Wanted wanted, Run&& run) {
  if (wanted == Wanted::counts || !interaction.is_tabulated()) return false;
  interaction.visit_tabulated(
      [&](const auto& functor) { run(functor, WantedConstant<Wanted::forces_and_energies>{}); });
  return true;
}

/// As dispatch_short_ranged, of a back end that also evaluates what acts at any distance.
template <class Real, class Run>
void dispatch_any(const Interaction<Real>& interaction, Wanted wanted, Run&& run) {
  if (wanted == Wanted::counts || !interaction.is_softened_gravity()) {
    return dispatch_short_ranged(interaction, wanted, run);
  }
  interaction.visit_softened_gravity([&](const auto& functor) {
    if (wanted == Wanted::forces) return run(functor, WantedConstant<Wanted::forces>{});
    run(functor, WantedConstant<Wanted::forces_and_energies>{});
  });
}

/// The same of one that looks at all candidates in cells: it also sums potentials without forces.
template <class Precision, class Run>
void dispatch(const Interaction<typename Precision::Pair>& interaction, Wanted wanted, Run&& run) {
  if (wanted != Wanted::forces || !interaction.is_candidate_potential()) {
    return dispatch_short_ranged(interaction, wanted, run);
  }
  if constexpr (Precision::value == pencilbox::Precision::single) {
    interaction.visit_candidate_potential(
        [&](const auto& functor) { run(functor, WantedConstant<Wanted::forces>{}); });
  } else {
    throw std::logic_error("a potential without forces exists in single precision only");
  }
}

}  // namespace pencilbox::PENCILBOX_DEVICE

// Where the energy is: the kinetic energy of each type, and the potential energy of each pair of
// types, a pair of particles once. All are divided by the number of all particles, so that they add
// up to the columns of thermo.csv. Pairs are those of the potential with its truncation, evaluated
// here in double whatever back end and precision a run has; a tail correction is in them.
#include <optional>
#include <type_traits>

#include "core/interactions/interaction.hpp"
#include "core/reduction.hpp"
#include "observables/cell_pairs.hpp"
#include "observables/series_observable.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// One thread a particle: what its pairs add, each pair once, by the type of the other.
template <class State, class Pair>
struct PairEnergies {
  static constexpr const char* name = "energies by type: pairs";
  CellPairs<State> pairs;
  const std::int32_t* type;
  Pair interaction;
  Index particles, types;
  double* energies;  ///< [types][N]

  PENCILBOX_DEVICE_FUNCTION void operator()(Index target) const {
    double* own = energies + target;
    for (Index t = 0; t < types; ++t) own[std::int64_t{t} * particles] = 0.0;
    const std::int32_t mine = type[target];
    pairs.each_pair_once(target, [&](Index source, const Vec3<double>&, double squared) {
      if (!interaction.in_range(squared)) return;
      const std::int32_t other = type[source];
      own[std::int64_t{other} * particles] += interaction(squared, mine, other).energy;
    });
  }
};

/// Of the particles of one type.
struct EnergyOfType {
  const double* energies;  ///< [N] with partners of one type
  const std::int32_t* type;
  std::int32_t wanted;

  PENCILBOX_DEVICE_FUNCTION double operator()(Index i) const {
    return type[i] == wanted ? energies[i] : 0.0;
  }
};

template <class State>
struct KineticEnergyOfType {
  Vec3View<const State> velocity;
  const std::int32_t* type;
  double mass;
  std::int32_t wanted;

  PENCILBOX_DEVICE_FUNCTION double operator()(Index i) const {
    if (type[i] != wanted) return 0.0;
    const Vec3<double> v = velocity[i].template to<double>();
    return 0.5 * mass * dot(v, v);
  }
};

template <class Precision>
class EnergiesByType final : public SeriesObservable<Precision> {
  using State = typename Precision::State;

 public:
  explicit EnergiesByType(const ObservableSettings& settings)
      : SeriesObservable<Precision>(settings, quantities(settings.system),
                                    "Energies by type, running means",
                                    "energy / (epsilon per particle)"),
        system_(settings.system) {}

  static void require(const ObservableSettings&) {}

  static std::int64_t own_bytes(const ObservableSettings& settings) {
    return static_cast<std::int64_t>(settings.system.types.size() * sizeof(double)) *
           settings.system.particles();
  }

  void sample(const ObservedState<Precision>& state, Stream& stream) override {
    add_up_pairs(state, stream);
    const auto& particles = state.particles.state;
    const Index count = state.particles.count;
    const auto types = static_cast<std::int32_t>(system_.types.size());
    const double all = static_cast<double>(count);
    std::vector<double> values;
    for (std::int32_t t = 0; t < types; ++t) {
      const KineticEnergyOfType<State> kinetic{particles.velocity.view(), particles.type.data(),
                                               system_.types[static_cast<std::size_t>(t)].mass, t};
      values.push_back(reduction_.sum(kinetic, count, stream) / all);
    }
    const auto potential = [&](std::int32_t own, std::int32_t other) {
      const EnergyOfType energy{energies_.data() + std::int64_t{other} * count,
                                particles.type.data(), own};
      return reduction_.sum(energy, count, stream);
    };
    for (std::int32_t a = 0; a < types; ++a) {
      for (std::int32_t b = a; b < types; ++b) {
        const double pairs = a == b ? potential(a, a) : potential(a, b) + potential(b, a);
        values.push_back((pairs + tail_energy(static_cast<std::size_t>(a),
                                              static_cast<std::size_t>(b), volume_of(state.grid))) /
                         all);
      }
    }
    this->add_sample(state, values);
  }

 private:
  static std::vector<SeriesQuantity> quantities(const ObservedSystem& system) {
    std::vector<SeriesQuantity> all;
    const std::size_t types = system.types.size();
    const auto legend = [&](const std::string& what, const std::string& of) {
      return types > 1 ? what + " " + of : what;
    };
    for (std::size_t a = 0; a < types; ++a) {
      all.push_back({"kinetic_energy" + suffix_of(system, {a}), "epsilon",
                     legend("kinetic", system.types[a].name)});
    }
    for (std::size_t a = 0; a < types; ++a) {
      for (std::size_t b = a; b < types; ++b) {
        all.push_back({"potential_energy" + suffix_of(system, {a, b}), "epsilon",
                       legend("potential", system.types[a].name + " " + system.types[b].name)});
      }
    }
    return all;
  }

  void add_up_pairs(const ObservedState<Precision>& state, Stream& stream) {
    if (!interaction_) interaction_.emplace(system_.potential, 0.0, stream);
    const auto types = static_cast<Index>(system_.types.size());
    energies_.resize(std::int64_t{types} * state.particles.count);
    const auto add_up = [&](const auto& pair) {
      using Pair = std::decay_t<decltype(pair)>;
      for_each(stream, state.particles.count,
               PairEnergies<State, Pair>{pairs_within(cutoff_of(system_.potential), state),
                                         state.particles.state.type.data(), pair,
                                         state.particles.count, types, energies_.data()});
    };
    interaction_->visit_any(add_up);
  }

  /// It is a sum over pairs of types: what is left of that of both where each alone is taken away.
  double tail_energy(std::size_t a, std::size_t b, double volume) const {
    const auto* model = std::get_if<LennardJonesModel>(&system_.potential);
    if (model == nullptr || !model->tail_correction) return 0.0;
    const auto of = [&](std::size_t first, std::size_t second) {
      std::vector<std::int64_t> counts(system_.types.size(), 0);
      counts[first] = system_.type_counts[first];
      counts[second] = system_.type_counts[second];
      return tail_correction(*model, counts, volume).energy;
    };
    return a == b ? of(a, a) : of(a, b) - of(a, a) - of(b, b);
  }

  ObservedSystem system_;
  std::optional<Interaction<double>> interaction_;
  Buffer<double> energies_;  ///< [types][N]
  Reduction reduction_;
};

}  // namespace

ObservableEntry energies_by_type() {
  return make_observable_entry<EnergiesByType>(
      {.name = "energies-by-type",
       .summary = "kinetic energy of each type and potential energy of each pair of types",
       .source = "Allen and Tildesley, Computer Simulation of Liquids, section 2.4",
       .parameters = {blocks_parameter()}});
}

}  // namespace pencilbox::PENCILBOX_DEVICE

// The pressure tensor of a periodic box:
//
//   P_ab = (sum over particles of m v_a v_b + sum over pairs of r_a f_b) / V
//
// Allen and Tildesley, Computer Simulation of Liquids, 2nd edition, section 2.7 (equation 2.177),
// whose trace is three times the pressure of section 2.4. Pairs are those of the potential with its
// truncation, evaluated here in double whatever back end and precision a run has; with a tail
// correction a third of its virial is in each diagonal element.
#include <array>
#include <optional>
#include <type_traits>

#include "core/interactions/interaction.hpp"
#include "core/reduction.hpp"
#include "observables/cell_pairs.hpp"
#include "observables/series_observable.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// xx, yy, zz, xy, xz, yz: the tensor is symmetric.
constexpr std::size_t components = 6;
constexpr std::array<std::array<int, 2>, components> axes_of{
    {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};
constexpr std::array<const char*, components> names_of_components{"xx", "yy", "zz",
                                                                  "xy", "xz", "yz"};

/// One thread a particle: what each of its pairs adds, each pair once.
template <class State, class Pair>
struct PairVirial {
  static constexpr const char* name = "pressure tensor: pairs";
  CellPairs<State> pairs;
  const std::int32_t* type;
  Pair interaction;
  Index particles;
  double* virial;  ///< [components][N]

  PENCILBOX_DEVICE_FUNCTION void operator()(Index target) const {
    Vec3<double> diagonal{}, across{};
    const std::int32_t own = type[target];
    pairs.each_pair_once(target, [&](Index source, const Vec3<double>& apart, double squared) {
      if (!interaction.in_range(squared)) return;
      const double strength = interaction(squared, own, type[source]).force_over_r;
      diagonal += strength * Vec3<double>{apart.x * apart.x, apart.y * apart.y, apart.z * apart.z};
      across += strength * Vec3<double>{apart.x * apart.y, apart.x * apart.z, apart.y * apart.z};
    });
    double* sums = virial + target;
    const std::int64_t stride = particles;
    sums[0] = diagonal.x;
    sums[stride] = diagonal.y;
    sums[2 * stride] = diagonal.z;
    sums[3 * stride] = across.x;
    sums[4 * stride] = across.y;
    sums[5 * stride] = across.z;
  }
};

/// m v_a v_b of a particle.
template <class State>
struct MomentumFlux {
  const State* a;
  const State* b;
  const std::int32_t* type;
  const double* mass;

  PENCILBOX_DEVICE_FUNCTION double operator()(Index i) const {
    return mass[type[i]] * static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
};

std::vector<SeriesQuantity> quantities() {
  const std::string unit = "epsilon/sigma^3";
  std::vector<SeriesQuantity> all{{"pressure", unit, "pressure"}};
  for (std::size_t k = 0; k < components; ++k) {
    const bool is_diagonal = axes_of[k][0] == axes_of[k][1];
    const std::string name = names_of_components[k];
    all.push_back({"pressure_" + name, unit, is_diagonal ? name : std::string()});
  }
  return all;
}

template <class Precision>
class PressureTensor final : public SeriesObservable<Precision> {
  using State = typename Precision::State;

 public:
  explicit PressureTensor(const ObservableSettings& settings)
      : SeriesObservable<Precision>(settings, quantities(), "Pressure tensor, running means",
                                    "pressure / (epsilon/sigma^3)"),
        system_(settings.system) {}

  static void require(const ObservableSettings& settings) {
    if (settings.system.box.fully_periodic()) return;
    throw ObservableRefusal("pressure-tensor", "type",
                            "a pressure is relative to a volume, which an open direction has none "
                            "of",
                            "an open direction", "boundary: [periodic, periodic, periodic]");
  }

  static std::int64_t own_bytes(const ObservableSettings& settings) {
    return static_cast<std::int64_t>(components * sizeof(double)) * settings.system.particles();
  }

  void sample(const ObservedState<Precision>& state, Stream& stream) override {
    add_up_pairs(state, stream);
    const auto& particles = state.particles.state;
    const std::array<const State*, 3> velocity{
        particles.velocity.x.data(), particles.velocity.y.data(), particles.velocity.z.data()};
    const Index count = state.particles.count;
    const double volume = volume_of(state.grid);
    const double tail = tail_virial(volume) / 3.0;
    std::vector<double> values(1 + components, 0.0);
    for (std::size_t k = 0; k < components; ++k) {
      const auto [a, b] = axes_of[k];
      const MomentumFlux<State> flux{velocity[static_cast<std::size_t>(a)],
                                     velocity[static_cast<std::size_t>(b)], particles.type.data(),
                                     state.particles.mass.data()};
      const ElementOf of_pairs{virial_.data() + static_cast<std::int64_t>(k) * count};
      double sum = reduction_.sum(flux, count, stream) + reduction_.sum(of_pairs, count, stream);
      if (a == b) sum += tail;
      values[1 + k] = sum / volume;
    }
    values[0] = (values[1] + values[2] + values[3]) / 3.0;
    this->add_sample(state, values);
  }

 private:
  void add_up_pairs(const ObservedState<Precision>& state, Stream& stream) {
    if (!interaction_) interaction_.emplace(system_.potential, 0.0, stream);
    virial_.resize(static_cast<std::int64_t>(components) * state.particles.count);
    interaction_->visit_with_cutoff([&](const auto& pair) {
      using Pair = std::decay_t<decltype(pair)>;
      for_each(stream, state.particles.count,
               PairVirial<State, Pair>{pairs_within(cutoff_of(system_.potential), state),
                                       state.particles.state.type.data(), pair,
                                       state.particles.count, virial_.data()});
    });
  }

  double tail_virial(double volume) const {
    const auto* model = std::get_if<LennardJonesModel>(&system_.potential);
    if (model == nullptr || !model->tail_correction) return 0.0;
    return tail_correction(*model, system_.type_counts, volume).virial;
  }

  ObservedSystem system_;
  std::optional<Interaction<double>> interaction_;
  Buffer<double> virial_;  ///< [components][N]
  Reduction reduction_;
};

}  // namespace

ObservableEntry pressure_tensor() {
  return make_observable_entry<PressureTensor>(
      {.name = "pressure-tensor",
       .summary = "all elements of the pressure tensor, their means and standard errors",
       .source = "Allen and Tildesley, Computer Simulation of Liquids, sections 2.4 and 2.7",
       .parameters = {blocks_parameter()}});
}

}  // namespace pencilbox::PENCILBOX_DEVICE

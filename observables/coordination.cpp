// How many neighbours particles have: those nearer than a distance, the radius of a coordination
// shell as a rule (the first minimum of g(r)). Allen and Tildesley, Computer Simulation of Liquids,
// 2nd edition, section 2.6.
#include <limits>

#include "observables/cell_pairs.hpp"
#include "observables/counted_observable.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// For a type of particle and a type of neighbours, or all of them: so many particles have 0, 1,
/// ..., `most` or more neighbours; and the sum of the neighbours of all.
struct NeighborCounts {
  Index types, most;

  PENCILBOX_DEVICE_FUNCTION std::int64_t row() const { return std::int64_t{most} + 2; }
  /// `other` is a type, or `types` for all.
  PENCILBOX_DEVICE_FUNCTION std::int64_t begin(Index own, Index other) const {
    return (std::int64_t{own} * (types + 1) + other) * row();
  }
  PENCILBOX_DEVICE_FUNCTION void add(Count* counts, Index own, Index other, Index neighbors) const {
    Count* first = counts + begin(own, other);
    atomic_add(first + (neighbors < most ? neighbors : most), Count{1});
    if (neighbors > 0) atomic_add(first + most + 1, static_cast<Count>(neighbors));
  }
  std::int64_t size() const { return std::int64_t{types} * (types + 1) * row(); }
};

/// One thread a particle.
template <class State>
struct CountNeighbors {
  static constexpr const char* name = "coordination";
  CellPairs<State> pairs;
  const std::int32_t* type;
  Index particles;
  double distance_squared;
  Index* neighbors;  ///< [types][N]: room to count in
  NeighborCounts places;
  CountsView counts;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index target) const {
    Index* own = neighbors + target;
    for (Index t = 0; t < places.types; ++t) own[std::int64_t{t} * particles] = 0;
    pairs.all_around(target, [&](Index source, const Vec3<double>&, double squared) {
      if (squared < distance_squared) own[std::int64_t{type[source]} * particles] += 1;
    });
    Count* common = counts.of_target(target);
    Index all = 0;
    for (Index t = 0; t < places.types; ++t) {
      const Index count = own[std::int64_t{t} * particles];
      all += count;
      places.add(common, type[target], t, count);
    }
    places.add(common, type[target], places.types, all);
  }
};

template <class Precision>
class Coordination final : public CountedObservable<Precision> {
 public:
  explicit Coordination(const ObservableSettings& settings)
      : CountedObservable<Precision>(places_of(settings).size()),
        system_(settings.system),
        distance_(settings.parameter("max_distance")),
        places_(places_of(settings)) {}

  static void require(const ObservableSettings& settings) {
    require_nearest_images(settings);
    const NeighborCounts places = places_of(settings);
    if (places.size() <= Counts::most) return;
    const auto types = std::int64_t{places.types};
    throw ObservableRefusal("coordination", "max_neighbors", "too many for so many types",
                            std::to_string(places.most),
                            "at most " + std::to_string(Counts::most / (types * (types + 1)) - 2));
  }

  static std::int64_t own_bytes(const ObservableSettings& settings) {
    const NeighborCounts places = places_of(settings);
    return Counts::bytes_of(places.size()) +
           places.types * settings.system.particles() * static_cast<std::int64_t>(sizeof(Index));
  }

  void sample(const ObservedState<Precision>& state, Stream& stream) override {
    neighbors_.resize(std::int64_t{places_.types} * state.particles.count);
    for_each(stream, state.particles.count,
             CountNeighbors<typename Precision::State>{
                 pairs_within(distance_, state), state.particles.state.type.data(),
                 state.particles.count, distance_ * distance_, neighbors_.data(), places_,
                 this->view_of_sample(stream)});
  }

  ObservableResult result(Stream& stream) override {
    ObservableResult result;
    result.samples = this->samples();
    result.title = "Neighbours within " + shortest_text(distance_) + " sigma";
    result.x_label = "neighbours";
    result.y_label = "fraction of the particles";
    const std::vector<double> counts = this->counts_so_far(stream);
    std::vector<double> neighbors;
    for (Index n = 0; n <= places_.most; ++n) neighbors.push_back(n);
    result.columns.push_back({"neighbors", std::move(neighbors)});
    const std::size_t types = system_.types.size();
    for (std::size_t a = 0; a < types; ++a) {
      append(result, counts, a, types, suffix_of(system_, {a}),
             types > 1 ? system_.types[a].name + ", all around" : "all");
      for (std::size_t b = 0; types > 1 && b < types; ++b) {
        append(result, counts, a, b, suffix_of(system_, {a, b}),
               system_.types[a].name + " " + system_.types[b].name);
      }
    }
    return result;
  }

 private:
  static NeighborCounts places_of(const ObservableSettings& settings) {
    return {static_cast<Index>(settings.system.types.size()),
            static_cast<Index>(settings.integer("max_neighbors"))};
  }

  /// NaN where there are no particles or no samples.
  void append(ObservableResult& result, const std::vector<double>& counts, std::size_t own,
              std::size_t other, const std::string& suffix, const std::string& legend) const {
    const double* first =
        counts.data() + places_.begin(static_cast<Index>(own), static_cast<Index>(other));
    const double particles =
        static_cast<double>(this->samples()) * static_cast<double>(system_.type_counts[own]);
    ObservableColumn column{"fraction" + suffix, {}, legend};
    for (Index n = 0; n <= places_.most; ++n) column.values.push_back(first[n] / particles);
    result.columns.push_back(std::move(column));
    result.numbers.push_back({"coordination_number" + suffix, first[places_.most + 1] / particles});
  }

  ObservedSystem system_;
  double distance_;
  NeighborCounts places_;
  Buffer<Index> neighbors_;
};

}  // namespace

ObservableEntry coordination() {
  return make_observable_entry<Coordination>(
      {.name = "coordination",
       .summary = "how many neighbours particles have within a distance, by pair of types",
       .source = "Allen and Tildesley, Computer Simulation of Liquids, section 2.6",
       .parameters = {max_distance_parameter(),
                      {.name = "max_neighbors",
                       .description = "The last entry is for particles with so many neighbours or "
                                      "more",
                       .unit = "",
                       .minimum = 1.0,
                       .maximum = 100000.0,
                       .default_value = "50",
                       .is_integer = true}}});
}

}  // namespace pencilbox::PENCILBOX_DEVICE

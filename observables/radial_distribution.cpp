// The radial distribution function by pair of types: how often pairs are at a distance, relative to
// an ideal gas of the same density. Allen and Tildesley, Computer Simulation of Liquids, 2nd
// edition, sections 2.6 and 8.2:
//
//   g_ab(r) = V h_ab(r) / (samples P_ab (4 pi / 3) (r_outer^3 - r_inner^3))
//
// h_ab counts the pairs of a bin, P_ab is the number of pairs: N_a N_b, or N_a (N_a - 1) / 2 of one
// type. (The book has N^2 / 2 there, with which an ideal gas has 1 - 1/N.)
//
// Each pair is met once: by one of the two particles, which looks at half of the cells around it
// (the others look at it), as many cells as the distance takes. Distances are in double whatever
// the precision of a run. Pairs are integers, so neither the order of particles nor the number of
// threads changes a count.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/device/math.hpp"
#include "observables/observable.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// Of bins and pairs of types: 128 MB.
constexpr std::int64_t most_numbers = 1 << 24;

/// Wide enough for any run; the spelling that atomics of every device take.
using Count = unsigned long long;

/// Many threads count at the same time, and most of them into few bins. So there are several copies
/// of the histogram: neighbouring threads of a GPU use different ones, a thread of a CPU stays with
/// one for a while.
struct Copies {
  static constexpr Index targets_on_host = 256;

  Index number;

  PENCILBOX_DEVICE_FUNCTION Index of(Index target) const {
    return (emulates_blocks ? target / targets_on_host : target) % number;
  }
};

/// Which bin a distance belongs to.
struct Bins {
  Index number;
  double most_squared;  ///< of a distance [sigma^2]
  double per_length;    ///< [1/sigma]

  PENCILBOX_DEVICE_FUNCTION Index of(double distance_squared) const {
    const auto bin = static_cast<Index>(square_root(distance_squared) * per_length);
    return bin < number ? bin : number - 1;  // what rounding has put on the outermost edge
  }
};

/// The number of an unordered pair of types: 00, 01, ..., 11, 12, ...
PENCILBOX_DEVICE_FUNCTION constexpr Index number_of_pair(Index a, Index b, Index types) {
  const Index low = a < b ? a : b;
  const Index high = a < b ? b : a;
  return low * types - low * (low - 1) / 2 + high - low;
}

/// One thread a particle.
template <class State>
struct CountPairs {
  static constexpr const char* name = "radial-distribution";

  Vec3View<const State> position;  ///< [N] relative to the cell's centre [sigma]
  const Index* cell;               ///< [N]
  const std::int32_t* type;        ///< [N]
  const Index* offset;             ///< [cells + 1]
  GridView<double> grid;
  CellCoordinates reach;  ///< cells in each direction
  Index types;
  Bins bins;
  Copies copies;
  Count* counts;  ///< [copies][pairs of types][bins]

  PENCILBOX_DEVICE_FUNCTION void operator()(Index target) const {
    const CellCoordinates home = grid.coordinates(cell[target]);
    const Index pairs = types * (types + 1) / 2;
    Count* own = counts + std::int64_t{copies.of(target)} * pairs * bins.number;
    for (Index z = 0; z <= reach.z; ++z) {
      for (Index y = z == 0 ? 0 : -reach.y; y <= reach.y; ++y) {
        for (Index x = z == 0 && y == 0 ? 0 : -reach.x; x <= reach.x; ++x) {
          const Index other =
              grid.linear({wrapped(home.x + x, grid.cells.x), wrapped(home.y + y, grid.cells.y),
                           wrapped(home.z + z, grid.cells.z)});
          const bool is_home = x == 0 && y == 0 && z == 0;
          count(target, is_home ? target + 1 : offset[other], offset[other + 1],
                grid.shift(x, y, z).exact, own);
        }
      }
    }
  }

  /// Any number of boxes away.
  PENCILBOX_DEVICE_FUNCTION static Index wrapped(Index coordinate, Index cells) {
    const Index rest = coordinate % cells;
    return rest < 0 ? rest + cells : rest;
  }

  PENCILBOX_DEVICE_FUNCTION void count(Index target, Index first, Index end,
                                       const Vec3<double>& shift, Count* own) const {
    const Vec3<double> from = position[target].template to<double>();
    for (Index source = first; source < end; ++source) {
      const Vec3<double> apart = shift + (position[source].template to<double>() - from);
      const double squared = dot(apart, apart);
      if (!(squared < bins.most_squared)) continue;
      const Index pair = types > 1 ? number_of_pair(type[target], type[source], types) : 0;
      atomic_add(own + std::int64_t{pair} * bins.number + bins.of(squared), Count{1});
    }
  }
};

/// How many cells away a particle may be that is nearer than `distance`. (One that rounding has put
/// beyond its cell's face could be nearer than that by the same rounding: where the last bin ends.)
Index reach_of(double distance, double stray, double side) {
  return static_cast<Index>(std::ceil((distance + 2.0 * stray) / side));
}

template <class Precision>
class RadialDistribution final : public Observable<Precision> {
 public:
  explicit RadialDistribution(const ObservableSettings& settings)
      : system_(settings.system),
        types_(static_cast<Index>(system_.types.size())),
        bins_(static_cast<Index>(settings.parameter("bins"))),
        distance_(settings.parameter("max_distance")),
        copies_{copies_for(settings)},
        earlier_(static_cast<std::size_t>(size()), 0.0) {}

  /// A uniform density needs a periodic box; and beyond half a side a particle would meet images of
  /// one and the same other.
  static void require(const ObservableSettings& settings) {
    const Box& box = settings.system.box;
    if (!box.fully_periodic()) {
      throw ObservableRefusal("radial-distribution", "type",
                              "g(r) is relative to a uniform density, which an open direction has "
                              "none of",
                              "an open direction", "boundary: [periodic, periodic, periodic]");
    }
    const double most = 0.5 * *std::min_element(box.edges.begin(), box.edges.end());
    const double distance = settings.parameter("max_distance");
    if (distance > most) {
      throw ObservableRefusal("radial-distribution", "max_distance",
                              "more than half of the shortest side of the box", text_of(distance),
                              "at most " + text_of(most));
    }
    if (numbers(settings) > most_numbers) {
      throw ObservableRefusal("radial-distribution", "bins", "too many for so many pairs of types",
                              std::to_string(settings.integer("bins")),
                              "at most " + std::to_string(most_numbers / pairs(settings)));
    }
  }

  static std::int64_t own_bytes(const ObservableSettings& settings) {
    return copies_for(settings) * numbers(settings) * static_cast<std::int64_t>(sizeof(Count));
  }

  void sample(const ObservedState<Precision>& state, Stream& stream) override {
    if (counts_.size() == 0) {
      counts_.resize(copies_.number * size());
      counts_.fill_bytes(0, stream);
    }
    const auto& particles = state.particles.state;
    const Double3& side = state.grid.side;
    for_each(
        stream, state.particles.count,
        CountPairs<typename Precision::State>{
            particles.position.view(),
            particles.cell.data(),
            particles.type.data(),
            state.offset,
            state.grid.template view<double>(),
            {reach_of(distance_, state.stray, side[0]), reach_of(distance_, state.stray, side[1]),
             reach_of(distance_, state.stray, side[2])},
            types_,
            {bins_, distance_ * distance_, static_cast<double>(bins_) / distance_},
            copies_,
            counts_.data()});
    ++samples_;
  }

  ObservableResult result(Stream& stream) override {
    ObservableResult result;
    result.samples = samples_;
    result.title = "Radial distribution function";
    result.x_label = "distance / sigma";
    result.y_label = "g(r)";
    const std::vector<double> counts = counts_so_far(stream);
    result.columns.push_back({"r", middles()});
    for (std::size_t a = 0; a < system_.types.size(); ++a) {
      for (std::size_t b = a; b < system_.types.size(); ++b) append_g(result, counts, a, b);
    }
    for (std::size_t a = 0; a < system_.types.size(); ++a) {
      for (std::size_t b = 0; b < system_.types.size(); ++b) append_n(result, counts, a, b);
    }
    return result;
  }

  NamedNumbers state(Stream& stream) override {
    return {{"samples", {static_cast<double>(samples_)}}, {"counts", counts_so_far(stream)}};
  }

  void restore(const NamedNumbers& state, Stream& stream) override {
    samples_ = static_cast<std::int64_t>(numbers_of(state, "samples", 1).front());
    earlier_ = numbers_of(state, "counts", static_cast<std::size_t>(size()));
    if (counts_.size() > 0) counts_.fill_bytes(0, stream);
  }

 private:
  static std::int64_t pairs(const ObservableSettings& settings) {
    const auto types = static_cast<std::int64_t>(settings.system.types.size());
    return types * (types + 1) / 2;
  }
  static std::int64_t numbers(const ObservableSettings& settings) {
    return pairs(settings) * settings.integer("bins");
  }
  static Index copies_for(const ObservableSettings& settings) {
    constexpr std::int64_t most_copies = 256, most_numbers_of_all = 1 << 22;
    return static_cast<Index>(
        std::clamp(most_numbers_of_all / numbers(settings), std::int64_t{1}, most_copies));
  }

  std::int64_t size() const { return std::int64_t{types_} * (types_ + 1) / 2 * bins_; }

  /// [pairs of types][bins]; whole numbers.
  std::vector<double> counts_so_far(Stream& stream) const {
    std::vector<double> sums = earlier_;
    if (counts_.size() == 0) return sums;
    const std::vector<Count> counts = counts_.download(stream);
    for (std::size_t k = 0; k < counts.size(); ++k) {
      sums[k % sums.size()] += static_cast<double>(counts[k]);
    }
    return sums;
  }

  double edge(Index bin) const {
    return distance_ * static_cast<double>(bin) / static_cast<double>(bins_);
  }

  std::vector<double> middles() const {
    std::vector<double> middles;
    for (Index bin = 0; bin < bins_; ++bin) middles.push_back(0.5 * (edge(bin) + edge(bin + 1)));
    return middles;
  }

  const double* counts_of(const std::vector<double>& counts, std::size_t a, std::size_t b) const {
    return counts.data() +
           std::int64_t{number_of_pair(static_cast<Index>(a), static_cast<Index>(b), types_)} *
               bins_;
  }

  /// Of a sample.
  double pairs_of(std::size_t a, std::size_t b) const {
    const auto first = static_cast<double>(system_.type_counts[a]);
    const auto second = static_cast<double>(system_.type_counts[b]);
    return a == b ? 0.5 * first * (first - 1.0) : first * second;
  }

  /// NaN where there are no pairs or no samples.
  void append_g(ObservableResult& result, const std::vector<double>& counts, std::size_t a,
                std::size_t b) const {
    const double* of_pair = counts_of(counts, a, b);
    const std::string suffix = suffix_of(system_, {a, b});
    ObservableColumn column{"g" + suffix, {}, legend_of(a, b)};
    ObservableNumber highest{"highest_g" + suffix, std::numeric_limits<double>::quiet_NaN()};
    ObservableNumber place{"r_of_highest_g" + suffix, highest.value, "sigma"};
    for (Index bin = 0; bin < bins_; ++bin) {
      const double inner = edge(bin), outer = edge(bin + 1);
      const double shell =
          4.0 / 3.0 * std::numbers::pi * (outer * outer * outer - inner * inner * inner);
      const double of_ideal_gas =
          static_cast<double>(samples_) * pairs_of(a, b) * shell / system_.box.volume();
      const double g = of_ideal_gas > 0.0 ? of_pair[bin] / of_ideal_gas
                                          : std::numeric_limits<double>::quiet_NaN();
      column.values.push_back(g);
      if (g > highest.value || (std::isnan(highest.value) && g > 0.0)) {
        highest.value = g;
        place.value = 0.5 * (inner + outer);
      }
    }
    result.columns.push_back(std::move(column));
    result.numbers.push_back(std::move(highest));
    result.numbers.push_back(std::move(place));
  }

  /// How many of type b are around one of type a, up to the outer edge of each bin.
  void append_n(ObservableResult& result, const std::vector<double>& counts, std::size_t a,
                std::size_t b) const {
    const double* of_pair = counts_of(counts, a, b);
    ObservableColumn column{"n" + suffix_of(system_, {a, b}), {}};
    const double centres =
        static_cast<double>(samples_) * static_cast<double>(system_.type_counts[a]);
    double sum = 0.0;
    for (Index bin = 0; bin < bins_; ++bin) {
      sum += a == b ? 2.0 * of_pair[bin] : of_pair[bin];  // a pair of one type has two centres
      column.values.push_back(sum / centres);
    }
    result.columns.push_back(std::move(column));
  }

  std::string legend_of(std::size_t a, std::size_t b) const {
    return system_.types.size() < 2 ? "g" : system_.types[a].name + " " + system_.types[b].name;
  }

  /// The shortest that reads back: what is named as allowed has to be.
  static std::string text_of(double number) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.begin(), text.end(), number).ptr;
    return {text.begin(), end};
  }

  ObservedSystem system_;
  Index types_;
  Index bins_;
  double distance_;
  Copies copies_;
  std::int64_t samples_ = 0;
  std::vector<double> earlier_;  ///< [pairs of types][bins] of the parts before this one
  Buffer<Count> counts_;         ///< [copies][pairs of types][bins] of this part
};

}  // namespace

ObservableEntry radial_distribution() {
  return make_observable_entry<RadialDistribution>(
      {.name = "radial-distribution",
       .summary = "g(r) by pair of types, and how many neighbours are within r",
       .source = "Allen and Tildesley, Computer Simulation of Liquids, sections 2.6 and 8.2",
       .parameters = {{.name = "bins",
                       .description = "Bins from 0 to max_distance",
                       .unit = "",
                       .minimum = 1.0,
                       .maximum = 100000.0,
                       .default_value = "250",
                       .is_integer = true},
                      {.name = "max_distance",
                       .description = "Pairs farther apart are not counted; at most half of the "
                                      "shortest side of the box",
                       .unit = "sigma",
                       .minimum = 1e-6,
                       .maximum = 1e7}}});
}

}  // namespace pencilbox::PENCILBOX_DEVICE

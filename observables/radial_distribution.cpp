// The radial distribution function by pair of types: how often pairs are at a distance, relative to
// an ideal gas of the same density. Allen and Tildesley, Computer Simulation of Liquids, 2nd
// edition, sections 2.6 and 8.2:
//
//   g_ab(r) = V h_ab(r) / (samples P_ab (4 pi / 3) (r_outer^3 - r_inner^3))
//
// With a barostat samples / V is the sum of 1 / V over the samples.
//
// h_ab counts the pairs of a bin, P_ab is the number of pairs: N_a N_b, or N_a (N_a - 1) / 2 of one
// type. (The book has N^2 / 2 there, with which an ideal gas has 1 - 1/N.)
//
// Each pair is met once: by one of the two particles, which looks at half of the cells around it
// (the others look at it), as many cells as the distance takes.
#include <cmath>
#include <limits>
#include <numbers>

#include "observables/pair_histogram.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

template <class Precision>
class RadialDistribution final : public Observable<Precision> {
 public:
  explicit RadialDistribution(const ObservableSettings& settings)
      : system_(settings.system),
        types_(static_cast<Index>(system_.types.size())),
        bins_(static_cast<Index>(settings.parameter("bins"))),
        distance_(settings.parameter("max_distance")),
        histogram_(types_, bins_, distance_) {}

  /// A uniform density needs a periodic box.
  static void require(const ObservableSettings& settings) {
    const Box& box = settings.system.box;
    if (!box.fully_periodic()) {
      throw ObservableRefusal("radial-distribution", "type",
                              "g(r) is relative to a uniform density, which an open direction has "
                              "none of",
                              "an open direction", "boundary: [periodic, periodic, periodic]");
    }
    require_nearest_images(settings);
    if (numbers(settings) > Counts::most) {
      throw ObservableRefusal("radial-distribution", "bins", "too many for so many pairs of types",
                              std::to_string(settings.integer("bins")),
                              "at most " + std::to_string(Counts::most / pairs(settings)));
    }
  }

  static std::int64_t own_bytes(const ObservableSettings& settings) {
    return Counts::bytes_of(numbers(settings));
  }

  void sample(const ObservedState<Precision>& state, Stream& stream) override {
    histogram_.add(state, stream);
    inverse_volumes_ += 1.0 / volume_of(state.grid);
    ++samples_;
  }

  ObservableResult result(Stream& stream) override {
    ObservableResult result;
    result.samples = samples_;
    result.title = "Radial distribution function";
    result.x_label = "distance / sigma";
    result.y_label = "g(r)";
    const std::vector<double> counts = histogram_.counts().so_far(stream);
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
    NamedNumbers numbers{{"samples", {static_cast<double>(samples_)}},
                         {"counts", histogram_.counts().so_far(stream)}};
    if (system_.box_changes) numbers["inverse_volumes"] = {inverse_volumes_};
    return numbers;
  }

  void restore(const NamedNumbers& state, Stream& stream) override {
    samples_ = static_cast<std::int64_t>(numbers_of(state, "samples", 1).front());
    if (system_.box_changes) inverse_volumes_ = numbers_of(state, "inverse_volumes", 1).front();
    Counts& counts = histogram_.counts();
    counts.restore(numbers_of(state, "counts", counts.size()), stream);
  }

 private:
  static std::int64_t pairs(const ObservableSettings& settings) {
    const auto types = static_cast<std::int64_t>(settings.system.types.size());
    return types * (types + 1) / 2;
  }
  static std::int64_t numbers(const ObservableSettings& settings) {
    return pairs(settings) * settings.integer("bins");
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
          system_.box_changes
              ? pairs_of(a, b) * shell * inverse_volumes_
              : static_cast<double>(samples_) * pairs_of(a, b) * shell / system_.box.volume();
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

  ObservedSystem system_;
  Index types_;
  Index bins_;
  double distance_;
  std::int64_t samples_ = 0;
  double inverse_volumes_ = 0.0;  ///< of all samples [1/sigma^3]
  PairHistogram histogram_;
};

}  // namespace

ObservableEntry radial_distribution() {
  return make_observable_entry<RadialDistribution>(
      {.name = "radial-distribution",
       .summary = "g(r) by pair of types, and how many neighbours are within r",
       .source = "Allen and Tildesley, Computer Simulation of Liquids, sections 2.6 and 8.2",
       .parameters = {bins_parameter(), max_distance_parameter()}});
}

}  // namespace pencilbox::PENCILBOX_DEVICE

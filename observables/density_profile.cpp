// How many particles there are in the slices across an axis:
//
//   rho(z) = n(z) / (samples A dz)
//
// n counts the particles of a slice of thickness dz over all samples, A is the cross-section of the
// box. Allen and Tildesley, Computer Simulation of Liquids, 2nd edition, section 14.1.2.
#include <cmath>
#include <limits>

#include "observables/cell_pairs.hpp"
#include "observables/counted_observable.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// One thread a particle.
template <class State>
struct CountInSlices {
  static constexpr const char* name = "density profile";
  const State* offset;  ///< [N] from the cell's centre, along the axis [sigma]
  const Index* cell;
  const std::int32_t* type;
  GridView<double> grid;
  int axis;
  double lower;       ///< of the grid, seen from the box [sigma]
  double per_length;  ///< [1/sigma]
  Index bins;
  CountsView counts;  ///< [types][bins]

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const CellCoordinates home = grid.coordinates(cell[i]);
    const double off = static_cast<double>(offset[i]);
    const double inside =
        axis == 0   ? coordinate(home.x, off, grid.exact_side.x, grid.cells.x, grid.periodic.x)
        : axis == 1 ? coordinate(home.y, off, grid.exact_side.y, grid.cells.y, grid.periodic.y)
                    : coordinate(home.z, off, grid.exact_side.z, grid.cells.z, grid.periodic.z);
    const bool is_periodic = axis == 0   ? grid.periodic.x
                             : axis == 1 ? grid.periodic.y
                                         : grid.periodic.z;
    const double place = (lower + inside) * per_length;
    const bool is_outside = place < 0.0 || place >= static_cast<double>(bins);
    if (is_outside && !is_periodic) return;
    const auto bin = static_cast<Index>(place);
    // Rounding may have put it on a face.
    const Index within = bin < 0 ? 0 : bin < bins ? bin : bins - 1;
    atomic_add(counts.of_target(i) + std::int64_t{type[i]} * bins + within, Count{1});
  }

  PENCILBOX_DEVICE_FUNCTION static double coordinate(Index home, double off, double side,
                                                     Index cells, bool is_periodic) {
    return inside_grid(home, off, side, cells, is_periodic).coordinate;
  }
};

template <class Precision>
class DensityProfile final : public CountedObservable<Precision> {
  using State = typename Precision::State;

 public:
  explicit DensityProfile(const ObservableSettings& settings)
      : CountedObservable<Precision>(numbers(settings)),
        system_(settings.system),
        bins_(static_cast<Index>(settings.integer("bins"))),
        axis_(static_cast<std::size_t>(settings.integer("axis"))) {}

  static void require(const ObservableSettings& settings) {
    require_fixed_box(settings, "its slices are those of a box that stays");
    if (numbers(settings) <= Counts::most) return;
    const auto types = static_cast<std::int64_t>(settings.system.types.size());
    throw ObservableRefusal("density-profile", "bins", "too many for so many types",
                            std::to_string(settings.integer("bins")),
                            "at most " + std::to_string(Counts::most / types));
  }

  static std::int64_t own_bytes(const ObservableSettings& settings) {
    return Counts::bytes_of(numbers(settings));
  }

  void sample(const ObservedState<Precision>& state, Stream& stream) override {
    const auto& particles = state.particles.state;
    const std::array<const State*, 3> offsets{
        particles.position.x.data(), particles.position.y.data(), particles.position.z.data()};
    for_each(stream, state.particles.count,
             CountInSlices<State>{offsets[axis_], particles.cell.data(), particles.type.data(),
                                  state.grid.template view<double>(), static_cast<int>(axis_),
                                  state.grid.lower[axis_] - system_.box.lower[axis_],
                                  static_cast<double>(bins_) / edge(), bins_,
                                  this->view_of_sample(stream)});
  }

  ObservableResult result(Stream& stream) override {
    constexpr std::array<const char*, 3> axes{"x", "y", "z"};
    ObservableResult result;
    result.samples = this->samples();
    result.title = std::string("Density profile along ") + axes[axis_];
    result.x_label = std::string(axes[axis_]) + " / sigma";
    result.y_label = "density / (1/sigma^3)";
    const std::vector<double> counts = this->counts_so_far(stream);
    const std::size_t types = system_.types.size();
    result.columns.push_back({axes[axis_], middles()});
    result.columns.push_back({"density", density_of(counts, 0, types), "all"});
    for (std::size_t t = 0; types > 1 && t < types; ++t) {
      result.columns.push_back({"density" + suffix_of(system_, {t}), density_of(counts, t, t + 1),
                                system_.types[t].name});
    }
    const std::vector<double>& all = result.columns[1].values;
    result.numbers = {{"highest_density", *std::max_element(all.begin(), all.end()), "1/sigma^3"},
                      {"lowest_density", *std::min_element(all.begin(), all.end()), "1/sigma^3"}};
    return result;
  }

 private:
  static std::int64_t numbers(const ObservableSettings& settings) {
    return static_cast<std::int64_t>(settings.system.types.size()) * settings.integer("bins");
  }

  double edge() const { return system_.box.edges[axis_]; }

  std::vector<double> middles() const {
    std::vector<double> middles;
    for (Index bin = 0; bin < bins_; ++bin) {
      middles.push_back(system_.box.lower[axis_] +
                        edge() * (static_cast<double>(bin) + 0.5) / static_cast<double>(bins_));
    }
    return middles;
  }

  /// Of the types in [first, last); NaN where there are no samples.
  std::vector<double> density_of(const std::vector<double>& counts, std::size_t first,
                                 std::size_t last) const {
    const auto bins = static_cast<std::size_t>(bins_);
    const double slice = system_.box.volume() / static_cast<double>(bins_);
    std::vector<double> density(bins, 0.0);
    for (std::size_t t = first; t < last; ++t) {
      for (std::size_t bin = 0; bin < bins; ++bin) density[bin] += counts[t * bins + bin];
    }
    for (double& one : density) one /= static_cast<double>(this->samples()) * slice;
    return density;
  }

  ObservedSystem system_;
  Index bins_;
  std::size_t axis_;
};

}  // namespace

ObservableEntry density_profile() {
  return make_observable_entry<DensityProfile>(
      {.name = "density-profile",
       .summary = "how many particles there are in the slices across an axis, by type",
       .source = "Allen and Tildesley, Computer Simulation of Liquids, section 14.1.2",
       .parameters = {bins_parameter()},
       .words = {{.name = "axis",
                  .description = "Across which the box is cut into slices",
                  .choices = {"x", "y", "z"},
                  .default_value = "z"}}});
}

}  // namespace pencilbox::PENCILBOX_DEVICE

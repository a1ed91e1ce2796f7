// How far particles get: <|r(t) - r(0)|^2>, of positions that are not wrapped into the box, over
// all particles and several origins in time. Its slope is the diffusion coefficient (Einstein):
//
//   D = slope / 6
//
// by a straight line of least squares through the second half of the lags, from length/2 to length;
// not known before there is an origin for each of them.
// Allen and Tildesley, Computer Simulation of Liquids, 2nd edition, sections 2.7 and 8.3.
#include "observables/correlation_observable.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// The slope of the straight line of least squares through the points from `first` on; NaN where
/// one of them is not known.
double slope_from(const std::vector<double>& x, const std::vector<double>& y, std::size_t first) {
  const auto count = static_cast<double>(x.size() - first);
  double mean_x = 0.0, mean_y = 0.0;
  for (std::size_t k = first; k < x.size(); ++k) {
    mean_x += x[k] / count;
    mean_y += y[k] / count;
  }
  double products = 0.0, squares = 0.0;
  for (std::size_t k = first; k < x.size(); ++k) {
    products += (x[k] - mean_x) * (y[k] - mean_y);
    squares += (x[k] - mean_x) * (x[k] - mean_x);
  }
  return products / squares;
}

struct Displacement {
  static constexpr bool needs_fixed_box = true;
  static constexpr const char* title = "Mean squared displacement";
  static constexpr const char* y_label = "mean squared displacement / sigma^2";

  /// Cell, offset and images crossed, in double.
  template <class Precision>
  struct Vector {
    Vec3View<const typename Precision::State> position;
    Vec3View<const std::int32_t> image;
    const Index* cell;
    GridView<double> grid;
    Vec3<double> lower;  ///< of the grid, which may be laid anew where a direction is open

    explicit Vector(const ObservedState<Precision>& state)
        : position(state.particles.state.position.view()),
          image(state.particles.state.image.view()),
          cell(state.particles.state.cell.data()),
          grid(state.grid.template view<double>()),
          lower{state.grid.lower[0], state.grid.lower[1], state.grid.lower[2]} {}

    PENCILBOX_DEVICE_FUNCTION Vec3<double> operator()(Index i) const {
      const CellCoordinates home = grid.coordinates(cell[i]);
      const Vec3<double> offset = position[i].template to<double>();
      const Vec3<std::int32_t> crossed = image[i];
      return lower +
             Vec3<double>{unwrapped(home.x, offset.x, crossed.x, grid.exact_side.x, grid.cells.x),
                          unwrapped(home.y, offset.y, crossed.y, grid.exact_side.y, grid.cells.y),
                          unwrapped(home.z, offset.z, crossed.z, grid.exact_side.z, grid.cells.z)};
    }

    /// From the grid's lower corner. Cells first: they are whole numbers, and lose no digit.
    PENCILBOX_DEVICE_FUNCTION static double unwrapped(Index home, double offset,
                                                      std::int32_t crossed, double side,
                                                      Index cells) {
      const double all_cells =
          static_cast<double>(crossed) * static_cast<double>(cells) + static_cast<double>(home);
      return (all_cells + 0.5) * side + offset;
    }
  };

  struct Product {
    PENCILBOX_DEVICE_FUNCTION double operator()(const Vec3<double>& then,
                                                const Vec3<double>& now) const {
      const Vec3<double> moved = now - then;
      return dot(moved, moved);
    }
  };

  static void append(ObservableResult& result, const std::string& suffix, const std::string& legend,
                     const std::vector<double>& mean) {
    const std::vector<double>& times = result.columns.front().values;
    const std::size_t half = (times.size() - 1) / 2;
    result.numbers.push_back(
        {"diffusion_coefficient" + suffix, slope_from(times, mean, half) / 6.0, "sigma^2/tau"});
    result.columns.push_back({"msd" + suffix, mean, legend});
  }
};

template <class Precision>
using MeanSquaredDisplacement = CorrelationObservable<Precision, Displacement>;

}  // namespace

ObservableEntry mean_squared_displacement() {
  return make_observable_entry<MeanSquaredDisplacement>(
      {.name = "mean-squared-displacement",
       .summary = "how far particles get, and the diffusion coefficient by Einstein's relation",
       .source = "Allen and Tildesley, Computer Simulation of Liquids, sections 2.7 and 8.3",
       .parameters = TimeCorrelation<DoublePrecision, Displacement>::parameters()});
}

}  // namespace pencilbox::PENCILBOX_DEVICE

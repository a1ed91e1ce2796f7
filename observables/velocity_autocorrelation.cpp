// How long particles keep their velocities: <v(0) . v(t)>, over all particles and several origins
// in time. Its integral is the diffusion coefficient (Green and Kubo):
//
//   D = 1/3 integral from 0 to t of <v(0) . v(t')> dt'
//
// by the trapezoidal rule. Allen and Tildesley, Computer Simulation of Liquids, 2nd edition,
// sections 2.7 and 8.3.
#include "observables/correlation_observable.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// A third of the integral up to each time.
std::vector<double> diffusion_up_to(const std::vector<double>& times,
                                    const std::vector<double>& correlation) {
  std::vector<double> integral{0.0};
  for (std::size_t k = 1; k < times.size(); ++k) {
    const double step = times[k] - times[k - 1];
    integral.push_back(integral.back() + step * (correlation[k - 1] + correlation[k]) / 6.0);
  }
  return integral;
}

struct Velocity {
  static constexpr bool needs_fixed_box = false;
  static constexpr const char* title = "Velocity autocorrelation function";
  static constexpr const char* y_label = "<v(0) . v(t)> / (sigma/tau)^2";

  template <class Precision>
  struct Vector {
    Vec3View<const typename Precision::State> velocity;

    explicit Vector(const ObservedState<Precision>& state)
        : velocity(state.particles.state.velocity.view()) {}

    PENCILBOX_DEVICE_FUNCTION Vec3<double> operator()(Index i) const {
      return velocity[i].template to<double>();
    }
  };

  struct Product {
    PENCILBOX_DEVICE_FUNCTION double operator()(const Vec3<double>& then,
                                                const Vec3<double>& now) const {
      return dot(then, now);
    }
  };

  static void append(ObservableResult& result, const std::string& suffix, const std::string& legend,
                     const std::vector<double>& mean) {
    std::vector<double> diffusion = diffusion_up_to(result.columns.front().values, mean);
    result.numbers.push_back({"diffusion_coefficient" + suffix, diffusion.back(), "sigma^2/tau"});
    result.columns.push_back({"vacf" + suffix, mean, legend});
    result.columns.push_back({"diffusion" + suffix, std::move(diffusion)});
  }
};

template <class Precision>
using VelocityAutocorrelation = CorrelationObservable<Precision, Velocity>;

}  // namespace

ObservableEntry velocity_autocorrelation() {
  return make_observable_entry<VelocityAutocorrelation>(
      {.name = "velocity-autocorrelation",
       .summary = "how long velocities last, and the diffusion coefficient by Green and Kubo",
       .source = "Allen and Tildesley, Computer Simulation of Liquids, sections 2.7 and 8.3",
       .parameters = TimeCorrelation<DoublePrecision, Velocity>::parameters()});
}

}  // namespace pencilbox::PENCILBOX_DEVICE

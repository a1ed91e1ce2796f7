// How long particles keep their velocities: <v(0) . v(t)>, over all particles and several origins
// in time. Its integral is the diffusion coefficient (Green and Kubo):
//
//   D = 1/3 integral from 0 to t of <v(0) . v(t')> dt'
//
// by the trapezoidal rule. Allen and Tildesley, Computer Simulation of Liquids, 2nd edition,
// sections 2.7 and 8.3.
#include "observables/time_correlation.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

struct Velocity {
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
};

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

template <class Precision>
class VelocityAutocorrelation final : public Observable<Precision> {
  using Correlation = TimeCorrelation<Precision, Velocity>;

 public:
  explicit VelocityAutocorrelation(const ObservableSettings& settings)
      : settings_(settings), correlation_(settings) {}

  static void require(const ObservableSettings& settings) { Correlation::require(settings); }
  static std::int64_t own_bytes(const ObservableSettings& settings) {
    return Correlation::own_bytes(settings);
  }

  void sample(const ObservedState<Precision>& state, Stream& stream) override {
    correlation_.sample(state, stream);
  }
  NamedNumbers state(Stream& stream) override { return correlation_.state(stream); }
  void restore(const NamedNumbers& state, Stream& stream) override {
    correlation_.restore(state, stream);
  }

  ObservableResult result(Stream&) override {
    ObservableResult result;
    result.samples = correlation_.samples();
    result.title = "Velocity autocorrelation function";
    result.x_label = "time / tau";
    result.y_label = "<v(0) . v(t)> / (sigma/tau)^2";
    result.columns.push_back({"time", times_of(correlation_.sums(), settings_.interval())});
    const std::size_t types = settings_.system.types.size();
    append(result, "", "all", 0, types);
    for (std::size_t t = 0; types > 1 && t < types; ++t) {
      append(result, suffix_of(settings_.system, {t}), settings_.system.types[t].name, t, t + 1);
    }
    result.columns.push_back({"origins", correlation_.sums().origins});
    return result;
  }

 private:
  void append(ObservableResult& result, const std::string& suffix, const std::string& legend,
              std::size_t first, std::size_t last) const {
    const std::vector<double>& times = result.columns.front().values;
    const std::vector<double> mean = mean_of(correlation_.sums(), settings_.system, first, last);
    std::vector<double> diffusion = diffusion_up_to(times, mean);
    result.numbers.push_back({"diffusion_coefficient" + suffix, diffusion.back(), "sigma^2/tau"});
    result.columns.push_back({"vacf" + suffix, mean, legend});
    result.columns.push_back({"diffusion" + suffix, std::move(diffusion)});
  }

  ObservableSettings settings_;
  Correlation correlation_;
};

}  // namespace

ObservableEntry velocity_autocorrelation() {
  return make_observable_entry<VelocityAutocorrelation>(
      {.name = "velocity-autocorrelation",
       .summary = "how long velocities last, and the diffusion coefficient by Green and Kubo",
       .source = "Allen and Tildesley, Computer Simulation of Liquids, sections 2.7 and 8.3",
       .parameters = TimeCorrelation<DoublePrecision, Velocity>::parameters()});
}

}  // namespace pencilbox::PENCILBOX_DEVICE

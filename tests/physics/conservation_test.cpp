// What the equations of motion conserve: energy to the order of the integrator, momentum, time
// reversal; and that the force is the derivative of the energy.
#include <cmath>

#include "io/input/start_file.hpp"
#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

class Conservation : public EveryBackend {
 protected:
  SimulationSetup liquid(int cells, double timestep) const {
    SimulationSetup setup =
        make_lj_setup(thermal_crystal(cells, 0.8442), 2.5, Truncation::force_shift);
    setup.precision = precision();
    setup.timestep = timestep;
    setup.deterministic = has_a_fixed_order(GetParam());
    setup.backend = backend().info.name;
    setup.options = default_options(backend().info);
    return setup;
  }

  std::unique_ptr<Simulation> make(const SimulationSetup& setup) const {
    return backend().device->make(setup);
  }

  /// A melted state to start from, so that energies fluctuate as in a liquid.
  SimulationSetup melted(int cells, double timestep) const {
    const SimulationSetup setup = liquid(cells, 0.004);
    const auto simulation = make(setup);
    simulation->advance(500);
    return restarted(setup, *simulation, 1.0, timestep);
  }

  static SimulationSetup restarted(SimulationSetup setup, Simulation& simulation, double direction,
                                   double timestep) {
    FieldSet fields;
    for (const Field f : {Field::position, Field::velocity, Field::image}) fields.insert(f);
    const Frame frame = simulation.snapshot(fields);
    setup.start.position = frame.position;
    setup.start.image = frame.image;
    setup.start.velocity = frame.velocity;
    for (Double3& v : setup.start.velocity) {
      for (double& component : v) component *= direction;
    }
    setup.timestep = timestep;
    return setup;
  }

  struct EnergyTrace {
    double deviation;  ///< standard deviation per particle
    double slope;      ///< per particle and tau
  };

  EnergyTrace trace(const SimulationSetup& setup, double duration) const {
    const auto simulation = make(setup);
    const auto particles = static_cast<double>(setup.start.size());
    // Often: the slope's own error falls with the number of independent samples, and a hundred in
    // 20 tau leave it at 3e-7, as large as the bar.
    constexpr std::int64_t every = 5;
    const auto samples = std::llround(duration / setup.timestep / static_cast<double>(every));
    double n = 0, t = 0, e = 0, tt = 0, te = 0, ee = 0;
    const double origin = simulation->observe().total_energy() / particles;
    for (std::int64_t k = 0; k < samples; ++k) {
      simulation->advance(every);
      const Observation sums = simulation->observe();
      const double energy = sums.total_energy() / particles - origin;
      n += 1;
      t += sums.time;
      e += energy;
      tt += sums.time * sums.time;
      te += sums.time * energy;
      ee += energy * energy;
    }
    return {std::sqrt(ee / n - e / n * (e / n)), (te - t * e / n) / (tt - t * t / n)};
  }
};

/// Long runs go through every device and precision, and on the host through one back end only, the
/// one that long runs are made with there: forces are held equal by tests/backends.
bool is_fast(const BackendCase& one) {
  return !is_on_host(one) || one.backend.info.name == "vector-list";
}

class LongConservation : public Conservation {};

TEST_P(LongConservation, EnergyDrift) {
  constexpr Bars slope_bars{5e-7, 2e-6, 5e-6};
  SimulationSetup setup = liquid(4, 0.004);
  setup.start = read_start(reference_file("liquid4000.data"), {});
  // On the host the wider bars of lower precision are asked of shorter runs: what a run of half
  // the length leaves of noise in the slope, three times as much, is still far below them.
  const bool shorter = on_host() && precision() != Precision::double_;
  const EnergyTrace energy = trace(setup, shorter ? 10.0 : 20.0);
  EXPECT_LT(energy.deviation, 3e-5);
  EXPECT_LT(std::abs(energy.slope), slope_bars.of(precision()));
}

class LongConservationInDouble : public Conservation {};

TEST_P(LongConservationInDouble, EnergyErrorIsOfSecondOrder) {
  const SimulationSetup start = melted(5, 0.004);
  double deviations[3];
  const double timesteps[3] = {0.008, 0.004, 0.002};
  for (int k = 0; k < 3; ++k) {
    SimulationSetup setup = start;
    setup.timestep = timesteps[k];
    deviations[k] = trace(setup, 8.0).deviation;
  }
  EXPECT_NEAR(deviations[0] / deviations[1], 4.0, 1.0);
  EXPECT_NEAR(deviations[1] / deviations[2], 4.0, 1.0);
}

TEST_P(LongConservation, Momentum) {
  constexpr Bars bars{1e-12, 1e-12, 1e-4};
  const SimulationSetup setup = liquid(4, 0.004);
  const auto simulation = make(setup);
  simulation->advance(5000);
  const Observation sums = simulation->observe();
  const double thermal = std::sqrt(2.0 * sums.kinetic_energy);
  for (const double component : sums.momentum) {
    EXPECT_LT(std::abs(component) / thermal, bars.of(precision()));
  }
}

TEST_P(Conservation, TimeReversal) {
  constexpr Bars bars{1e-12, 3e-5, 2e-4};
  const SimulationSetup setup = liquid(4, 0.004);
  const std::int64_t steps = emulated() ? 25 : 100;
  const auto there = make(setup);
  there->advance(steps);
  const auto back = make(restarted(setup, *there, -1.0, 0.004));
  back->advance(steps);
  FieldSet fields;
  fields.insert(Field::position);
  const Frame frame = back->snapshot(fields);
  double largest = 0.0;
  for (std::size_t i = 0; i < frame.position.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      const double side = setup.start.box.edges[d];
      const double moved = frame.position[i][d] - setup.start.position[i][d];
      largest = std::max(largest, std::abs(moved - side * std::round(moved / side)));
    }
  }
  EXPECT_LT(largest, bars.of(precision()));
}

class ConservationInDouble : public Conservation {};

TEST_P(ConservationInDouble, ForceIsTheDerivativeOfTheEnergy) {
  constexpr double h = 1e-4;
  SimulationSetup setup = make_lj_setup(random_liquid(120, periodic_box(5.3, 5.4, 5.5), 0.85, 77),
                                        2.5, Truncation::force_shift);
  const Evaluation middle = run(setup);
  for (const std::size_t particle : {0U, 17U, 63U, 119U}) {
    for (std::size_t d = 0; d < 3; ++d) {
      SimulationSetup up = setup;
      SimulationSetup down = setup;
      up.start.position[particle][d] += h;
      down.start.position[particle][d] -= h;
      const double slope =
          (run(up).sums.potential_energy - run(down).sums.potential_energy) / (2.0 * h);
      const double force = middle.frame.force[particle][d];
      EXPECT_NEAR(force, -slope, 1e-4 * std::max(1.0, std::abs(force)));
    }
  }
}

PENCILBOX_FOR_EVERY_BACKEND(Conservation);
PENCILBOX_FOR_EVERY_BACKEND_IN_DOUBLE(ConservationInDouble);
PENCILBOX_WHERE(LongConservation, is_fast);
PENCILBOX_WHERE(LongConservationInDouble,
                [](const BackendCase& one) { return is_fast(one) && is_in_double(one); });

}  // namespace
}  // namespace pencilbox::testing

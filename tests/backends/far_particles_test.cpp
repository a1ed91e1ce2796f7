// A pair is right wherever other particles are and however large the box is, or the run says that
// its precision cannot tell: never a number that is silently wrong.
#include <cmath>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

using ::testing::HasSubstr;

StartState particles_at(const Box& box, const std::vector<Double3>& positions) {
  StartState state;
  state.box = box;
  state.types = {{"A", 1.0}};
  state.position = positions;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    state.id.push_back(static_cast<ParticleId>(i + 1));
    state.type.push_back(0);
    state.velocity.push_back({});
    state.image.push_back({});
  }
  return state;
}

SimulationSetup setup_of(StartState start, double sigma = 1.0) {
  SimulationSetup setup = make_lj_setup(std::move(start), 2.5 * sigma, Truncation::cut);
  std::get<LennardJonesModel>(setup.potential).pairs = {{1.0, sigma}};
  return setup;
}

const Box open_box{{0, 0, 0}, {9, 9, 9}, {false, false, false}};

class FarParticles : public EveryBackend {
 protected:
  /// Forces of a pair at 1.1 sigma, whatever else there is, or the particle's name.
  void expect_right_or_named(const SimulationSetup& setup, double sigma,
                             const std::string& particle) const {
    const double bar = Bars{1e-5, 1e-3, 1e-3}.of(precision());
    const double s6 = std::pow(1.0 / 1.1, 6);
    const double expected = 24.0 * (2.0 * s6 * s6 - s6) / (1.1 * sigma);
    try {
      const Evaluation mine = run(setup);
      EXPECT_NEAR(mine.frame.force[0][0], -expected, bar * std::abs(expected));
      EXPECT_NEAR(mine.frame.force[1][0], expected, bar * std::abs(expected));
    } catch (const PhysicsError& error) {
      EXPECT_THAT(error.what(), HasSubstr(particle));
    }
  }
};

TEST_P(FarParticles, APairKeepsItsForceWhateverIsFarAway) {
  for (std::size_t d = 0; d < 3; ++d) {
    for (const double far : {1e4, -1e6, 1e9, 1e11, -1e12, 1e15, 1e30}) {
      SCOPED_TRACE(far);
      // Where blocks are emulated, each of many cells would start hundreds of fibers.
      if (emulated() && std::abs(far) < 1e8) continue;
      Double3 third{2, 2, 2};
      third[d] = far;
      expect_right_or_named(setup_of(particles_at(open_box, {{2, 2, 2}, {3.1, 2, 2}, third})), 1.0,
                            "particle 3");
    }
  }
}

TEST_P(FarParticles, ALoneParticleFarAwayIsNoReasonToStopUnlessItsStateIsFloat) {
  const SimulationSetup setup =
      setup_of(particles_at(open_box, {{2, 2, 2}, {3.1, 2, 2}, {2, 1e9, 2}}));
  if (precision() == Precision::single) {
    EXPECT_THROW(run(setup), PhysicsError);
  } else {
    EXPECT_NO_THROW(run(setup));
  }
}

TEST_P(FarParticles, APairFarFromTheOthersIsRightOrNamed) {
  const double far = 1e9;
  const SimulationSetup setup = setup_of(
      particles_at(open_box, {{far, 1, 2}, {far + 1.1, 1, 2}, {0, 1, 2}, {0, 2.1, 2}, {1, 1, 2}}));
  expect_right_or_named(setup, 1.0, "particle ");
}

/// Millions of cells: not with the emulator's hundreds of fibers for each.
class FarParticlesInManyCells : public FarParticles {};

TEST_P(FarParticlesInManyCells, ALargeBoxIsRightOrRefused) {
  for (const auto& [sigma, side] : {std::pair{1.0, 1e4}, {1.0, 1e6}, {1.0, 1e7}, {0.01, 1e5}}) {
    SCOPED_TRACE(side);
    const double x = 0.3 * side;
    const SimulationSetup setup = setup_of(
        particles_at(periodic_box(side, side, side), {{x, x, x}, {x + 1.1 * sigma, x, x}}), sigma);
    try {
      expect_right_or_named(setup, sigma, "never");
      EXPECT_TRUE(precision() != Precision::single || side < 1e5);
    } catch (const BackendRefusal& refusal) {
      EXPECT_NE(precision(), Precision::double_);
      EXPECT_GT(side, 1e4);
      EXPECT_THAT(refusal.what(), HasSubstr("run.precision: double"));
    }
  }
}

PENCILBOX_FOR_EVERY_BACKEND(FarParticles);
PENCILBOX_WHERE(FarParticlesInManyCells, [](const BackendCase& one) { return !is_emulated(one); });

/// What happens in mid-run does not depend on the back end.
std::unique_ptr<Simulation> simulation_of(const StartState& start, Precision precision) {
  SimulationSetup setup = setup_of(start);
  setup.precision = precision;
  setup.backend = "par-part-no-loop";
  const DeviceBackend backend = device_backends().front();
  for (const BackendInfo& info : backend.device->backends()) {
    if (info.name == setup.backend) setup.options = default_options(info);
  }
  return backend.device->make(setup);
}

/// A pair at rest, and one that flies away.
StartState parting_pairs(double speed) {
  StartState start = particles_at(open_box, {{2, 2, 2}, {3.1, 2, 2}, {8, 2, 2}, {9.1, 2, 2}});
  start.velocity[2] = start.velocity[3] = {speed, 0.5 * speed, 0.0};
  return start;
}

TEST(FarParticlesInMidRun, APairThatFliesAwayIsFollowedByTheCells) {
  for (const Precision precision : {Precision::single, Precision::mixed}) {
    const auto simulation = simulation_of(parting_pairs(200.0), precision);
    const double start = simulation->observe().potential_energy;
    for (int i = 0; i < 40; ++i) {
      simulation->advance(50);
      const Observation now = simulation->observe();
      const double drift = now.total_energy() - start - 4.0 * 0.5 * 200.0 * 200.0 * 1.25 / 2.0;
      EXPECT_NEAR(drift / 5e4, 0.0, 2e-5) << now.step;
    }
  }
}

TEST(FarParticlesInMidRun, APairThatIsGoneAtOnceEndsTheRunByName) {
  const auto simulation = simulation_of(parting_pairs(1e6), Precision::mixed);
  try {
    simulation->advance(1);
    FAIL() << "5,000 sigma away the float arithmetic of a pair is too coarse";
  } catch (const PhysicsError& error) {
    EXPECT_THAT(error.what(), HasSubstr("step 1: particle "));
    EXPECT_THAT(error.what(), HasSubstr("beside it"));
  }
  EXPECT_NO_THROW(simulation_of(parting_pairs(1e6), Precision::double_)->advance(1));
}

TEST(FarParticlesInMidRun, InSingleAParticleThatCannotMoveAnyMoreEndsTheRun) {
  StartState start = particles_at(open_box, {{2, 2, 2}, {3.1, 2, 2}, {8, 2, 2}});
  start.velocity[2] = {1e6, 0.0, 0.0};
  EXPECT_THROW(simulation_of(start, Precision::single)->advance(5), PhysicsError);
  const auto mixed = simulation_of(start, Precision::mixed);
  mixed->advance(5);
  FieldSet fields;
  fields.insert(Field::position);
  EXPECT_NEAR(mixed->snapshot(fields).position[2][0], 8.0 + 5 * 0.005 * 1e6, 1e-3);
}

TEST(FarParticlesInMidRun, NumbersThatNoFloatHoldsEndTheRunByName) {
  StartState start = particles_at(periodic_box(9, 9, 9), {{2, 2, 2}, {3.1, 2, 2}, {5, 5, 5}});
  start.velocity[2] = {0.0, 1e39, 0.0};
  for (const Precision precision : {Precision::single, Precision::mixed}) {
    EXPECT_THROW(simulation_of(start, precision), PhysicsError);
  }
  EXPECT_NO_THROW(simulation_of(start, Precision::double_));
  start.velocity[2] = {};
  start.box.periodic = {true, true, false};
  start.position[2][2] = -1e39;
  EXPECT_THROW(simulation_of(start, Precision::mixed), PhysicsError);
}

}  // namespace
}  // namespace pencilbox::testing

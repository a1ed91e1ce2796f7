// One and two particles, where everything can be said exactly; and starts that cannot run.
#include <cmath>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

class FewParticles : public EveryBackend {
 protected:
  std::unique_ptr<Simulation> make(SimulationSetup setup) const {
    setup.precision = precision();
    setup.backend = backend().info.name;
    setup.options = default_options(backend().info);
    return backend().device->make(std::move(setup));
  }

  static SimulationSetup particles(const std::vector<Double3>& positions, const Box& box) {
    StartState start = random_particles(static_cast<int>(positions.size()), box, 1);
    start.position = positions;
    return make_lj_setup(std::move(start), 2.5, Truncation::cut);
  }

  static Frame everything(Simulation& simulation) {
    FieldSet fields;
    for (const Field f :
         {Field::position, Field::velocity, Field::force, Field::image, Field::id}) {
      fields.insert(f);
    }
    return simulation.snapshot(fields);
  }
};

TEST_P(FewParticles, OneParticleMovesStraightThroughTheBox) {
  SimulationSetup setup = particles({{1.0, 2.0, 3.0}}, periodic_box(6, 7, 8));
  setup.start.velocity[0] = {10.0, -7.0, 0.5};
  setup.timestep = 0.01;
  const auto simulation = make(setup);
  simulation->advance(1000);  // 100 sigma, 16 boxes
  const Frame frame = everything(*simulation);
  const double bar = precision() == Precision::single ? 1e-2 : 1e-9;
  for (std::size_t d = 0; d < 3; ++d) {
    const double unwrapped = frame.position[0][d] + frame.image[0][d] * setup.start.box.edges[d];
    EXPECT_NEAR(unwrapped, setup.start.position[0][d] + 10.0 * setup.start.velocity[0][d], bar);
    EXPECT_EQ(frame.force[0][d], 0.0);
  }
  EXPECT_EQ(simulation->observe().temperature, 0.0);
  EXPECT_EQ(simulation->observe().potential_energy, 0.0);
}

TEST_P(FewParticles, TwoParticlesFeelEachOtherThroughAFace) {
  const double r = 1.3;
  const auto simulation =
      make(particles({{0.4, 3.0, 3.0}, {6.0 - (r - 0.4), 3.0, 3.0}}, periodic_box(6, 6, 6)));
  const double s6 = 1.0 / std::pow(r, 6.0);
  const double force = 24.0 * (2.0 * s6 * s6 - s6) / r;
  const Frame frame = everything(*simulation);
  const Bars bars{1e-13, 2e-6, 2e-6};
  EXPECT_NEAR(frame.force[0][0], force, bars.of(precision()) * 10.0);
  EXPECT_NEAR(frame.force[1][0], -force, bars.of(precision()) * 10.0);
  EXPECT_NEAR(simulation->observe().potential_energy, 4.0 * (s6 * s6 - s6),
              bars.of(precision()) * 10.0);
}

TEST_P(FewParticles, OneParticleFeelsItsOwnImages) {
  // In a box of side 2.5 <= L < cutoff the nearest images interact; here L = 2.6, cutoff 2.5: none.
  const auto none = make(particles({{1.0, 1.0, 1.0}}, periodic_box(2.6, 2.6, 2.6)));
  EXPECT_EQ(none->observe().potential_energy, 0.0);
  // The truth also runs smaller boxes: six images at distance 2.
  if (backend().info.name != "reference") return;
  const auto six = make(particles({{1.0, 1.0, 1.0}}, periodic_box(2.0, 2.0, 2.0)));
  const double s6 = 1.0 / 64.0;
  EXPECT_NEAR(six->observe().potential_energy, 3.0 * 4.0 * (s6 * s6 - s6), 1e-6);
}

TEST_P(FewParticles, AnOverlappingStartIsFiniteAndThenStopsWithANamedParticle) {
  SimulationSetup setup =
      particles({{1.0, 1.0, 1.0}, {1.0, 1.0, 1.3}, {4.0, 4.0, 4.0}}, periodic_box(6, 6, 6));
  const auto simulation = make(setup);
  const Observation sums = simulation->observe();
  EXPECT_TRUE(std::isfinite(sums.potential_energy));
  EXPECT_GT(sums.potential_energy, 1e6);
  try {
    for (int k = 0; k < 20; ++k) {
      simulation->advance(10);
      simulation->observe();
    }
    FAIL() << "nothing was noticed";
  } catch (const PhysicsError& error) {
    EXPECT_THAT(error.what(), ::testing::AllOf(::testing::HasSubstr("step 1:"),
                                               ::testing::HasSubstr("particle 1 ")));
  }
}

TEST_P(FewParticles, TwoParticlesAtOnePointAreNamed) {
  SimulationSetup setup =
      particles({{4.0, 4.0, 4.0}, {1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}}, periodic_box(6, 6, 6));
  try {
    make(setup)->observe();
    FAIL() << "nothing was noticed";
  } catch (const PhysicsError& error) {
    EXPECT_THAT(error.what(), ::testing::AllOf(::testing::HasSubstr("step 0:"),
                                               ::testing::HasSubstr("particle 2 at (1, 1, 1)")));
  }
}

TEST_P(FewParticles, AnOpenClusterThatFliesApartStaysRight) {
  SimulationSetup setup =
      make_lj_setup(random_liquid(100, {{0, 0, 0}, {5, 5, 5}, {false, false, false}}, 0.9, 3), 2.5,
                    Truncation::force_shift);
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      setup.start.velocity[i][d] = 8.0 * (setup.start.position[i][d] - 2.5);
    }
  }
  setup.timestep = 0.001;
  if (refuses_the_crowd(setup)) GTEST_SKIP() << "100 particles in one cell";
  const auto simulation = make(setup);
  const double before = simulation->observe().total_energy();
  // As the cluster grows, to three times its size (emulated) or fifteen times, most of the grid's
  // cells are empty: minutes, where each is a block to emulate.
  const int looks = emulated() ? 5 : 20;
  for (int k = 0; k < looks; ++k) {
    simulation->advance(emulated() ? 50 : 100);
    simulation->observe();  // lays a new grid
  }
  const Observation after = simulation->observe();
  EXPECT_NEAR(after.total_energy(), before, 2e-3 * std::abs(before));
  EXPECT_TRUE(std::isnan(after.pressure));
  const Frame frame = everything(*simulation);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(frame.id[i], static_cast<ParticleId>(i + 1));
}

PENCILBOX_FOR_EVERY_BACKEND(FewParticles);

}  // namespace
}  // namespace pencilbox::testing

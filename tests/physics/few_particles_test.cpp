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

TEST_P(FewParticles, TwoParticlesInOneCellFeelEveryImageInRange) {
  // A box of one cell: the other is met eight times, over each face and over none, at 1 or -1.6,
  // 1.1 or -1.5, 1.25 or -1.35. Squares of
  // distances: 3.7725, 4.0325, 4.8125, 5.0725, 5.3325, 5.5925 and, beyond the cutoff's 6.25, 6.3725
  // and 6.6325. A particle's own images are 2.6 away: none.
  const auto simulation =
      make(particles({{0.3, 0.2, 0.1}, {1.3, 1.3, 1.35}}, periodic_box(2.6, 2.6, 2.6)));
  const Observation sums = simulation->observe();
  const Frame frame = everything(*simulation);
  const Bars bars{1e-13, 2e-6, 2e-6};
  EXPECT_EQ(simulation->backend_stats().pairs_in_range, 6.0);
  EXPECT_NEAR(sums.potential_energy, -0.24810783595479230, bars.of(precision()));
  const Double3 force{0.19603979904244179, 0.16172738620820221, 0.03441043628896431};
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_NEAR(frame.force[0][d], force[d], bars.of(precision())) << d;
    EXPECT_NEAR(frame.force[1][d], -force[d], bars.of(precision())) << d;
  }
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
  if (refusal_of_the_crowd(setup)) return;  // as it has to
  const auto simulation = make(setup);
  const double before = simulation->observe().total_energy();
  // As the cluster grows, to three times its size (emulated) or fifteen times, most of the grid's
  // cells are empty: minutes, where each is a block to emulate.
  const int looks = emulated() ? 5 : 20;
  for (int k = 0; k < looks; ++k) simulation->advance(emulated() ? 50 : 100);  // on a new grid each
  const Observation after = simulation->observe();
  EXPECT_NEAR(after.total_energy(), before, 2e-3 * std::abs(before));
  EXPECT_TRUE(std::isnan(after.pressure));
  const Frame frame = everything(*simulation);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(frame.id[i], static_cast<ParticleId>(i + 1));
}

PENCILBOX_FOR_EVERY_BACKEND(FewParticles);

/// The truth also runs boxes smaller than the cutoff; all others refuse them (Refusal, in
/// tests/backends).
class FewParticlesInASmallBox : public FewParticles {};

TEST_P(FewParticlesInASmallBox, OneFeelsItsOwnImages) {
  // In a cube of side 2 within a cutoff of 2.5: six images at distance 2, half of each energy.
  const auto simulation = make(particles({{1.0, 1.0, 1.0}}, periodic_box(2.0, 2.0, 2.0)));
  EXPECT_NEAR(simulation->observe().potential_energy, -0.1845703125, 1e-6);
  EXPECT_EQ(simulation->backend_stats().pairs_in_range, 3.0);
}

PENCILBOX_FOR_BACKEND(FewParticlesInASmallBox, "reference");

}  // namespace
}  // namespace pencilbox::testing

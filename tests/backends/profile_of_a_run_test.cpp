// Where the time of a run went, as its report says.
#include <algorithm>

#include "core/lattice.hpp"
#include "core/velocities.hpp"
#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

class ProfileOfARun : public EveryBackend {
 protected:
  /// What the moves of a run took by what its forces took, in batches of so many steps: the least
  /// of three runs, since other programs may take time from either.
  double moves_by_forces(std::int64_t batch) const {
    return std::min({of_one_run(batch), of_one_run(batch), of_one_run(batch)});
  }

 private:
  double of_one_run(std::int64_t batch) const {
    constexpr std::int64_t steps = 128;
    Lattice lattice;
    lattice.density = 0.8442;
    lattice.cells = {6, 6, 6};
    SimulationSetup setup =
        make_lj_setup(make_lattice(lattice, {true, true, true}), 2.5, Truncation::force_shift);
    draw_velocities(setup.start, 1.0, 1);
    setup.backend = backend().info.name;
    setup.options = default_options(backend().info);
    setup.precision = precision();
    const auto simulation = backend().device->make(setup);
    for (std::int64_t step = 0; step < steps; step += batch) {
      simulation->advance(batch, LastStep::forces_only);
    }
    return simulation->regions().integrate / simulation->regions().force;
  }
};

/// A batch begins with half a step of its own, of which there are as many as batches: it is not to
/// count for each of them where only some of the forces do.
TEST_P(ProfileOfARun, HasTheSameSharesHoweverOftenSomebodyLooks) {
  const double in_one_batch = moves_by_forces(128);
  EXPECT_GT(in_one_batch, 0.0);
  EXPECT_LT(moves_by_forces(2), 6.0 * in_one_batch);  // it was ten times as much and more
}

PENCILBOX_WHERE(ProfileOfARun, [](const BackendCase& one) {
  return one.backend.info.name == "par-part-loop" && one.precision == Precision::mixed;
});

}  // namespace
}  // namespace pencilbox::testing

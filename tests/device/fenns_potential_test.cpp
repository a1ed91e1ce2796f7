// The benchmark's sum over all candidates of the 27 cells, by FENNS and by one thread a particle:
// border sections must then hold whole cells, however far from a face a particle is.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "neighbor/backend.hpp"
#include "neighbor/cells/binning.hpp"
#include "neighbor/cells/particle_transfer.hpp"

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

using Precision = SinglePrecision;

class PotentialOfAllCandidates : public ::testing::Test {
 protected:
  void SetUp() override {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    start_.box = {{0, 0, 0}, {14.0, 11.0, 7.5}, {true, false, true}};
    start_.types = {{"A", 1.0}};
    for (int i = 0; i < 600; ++i) {
      start_.id.push_back(i + 1);
      start_.type.push_back(0);
      start_.position.push_back(
          {14.0 * uniform(random), 11.0 * uniform(random), 7.5 * uniform(random)});
      start_.velocity.push_back({});
      start_.image.push_back({});
    }
    problem_.box = start_.box;
    problem_.grid = make_cell_grid(start_.box, 2.0, start_.position);
    problem_.particles = 600;
    problem_.largest_cell = largest_cell(problem_.grid, start_.position);
    problem_.potential = CandidatePotentialModel{CandidatePotential::lennard_jones};
    problem_.precision = pencilbox::Precision::single;
    problem_.deterministic = true;  // the same order of particles for all
    problem_.device = device_properties();
  }

  std::vector<float> potentials(const std::string& name, const std::string& coarse_cells) {
    const BackendEntry& entry = find_backend(name);
    BackendOptions options = default_options(entry.info);
    if (!coarse_cells.empty()) options["coarse_cells"] = coarse_cells;
    EXPECT_FALSE(entry.refuse(problem_, options).has_value());
    Binning<Precision> binning(problem_.grid, OrderRules{.deterministic = true}, stream_);
    Particles<Precision> particles;
    upload(start_, problem_.grid, particles, stream_);
    Profiler profiler;
    binning.run(particles, 0, profiler, stream_);
    particles.sums.resize(particles.count);
    const Interaction<float> interaction(problem_.potential, 0.0, stream_);
    const auto backend = make_backend<Precision>(entry, problem_, options);
    const auto binned = binning.view(particles);
    backend->rebuild(binned, stream_);
    backend->compute(binned, interaction, Wanted::forces, particles.sums, stream_);
    return particles.sums.energy.download(stream_);
  }

  Stream stream_;
  StartState start_;
  Problem problem_;
};

TEST_F(PotentialOfAllCandidates, IsTheSameByFenns) {
  const std::vector<float> expected = potentials("par-part-no-loop", "");
  for (const char* coarse_cells : {"1", "2", "64"}) {
    const std::vector<float> mine = potentials("fenns", coarse_cells);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(mine[i], expected[i], 1e-4F * (1.0F + std::abs(expected[i])))
          << "particle " << i << ", coarse cells " << coarse_cells;
    }
  }
}

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE

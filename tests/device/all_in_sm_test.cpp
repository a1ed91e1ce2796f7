// All-in-SM under every cut of the grid: how many multiprocessors there are, how full cells were
// when the host last looked and how much shared memory there is change the launch, and with it
// whether a sub-box finds room. The bits must not change.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "neighbor/backend.hpp"
#include "neighbor/cells/binning.hpp"
#include "neighbor/cells/particle_transfer.hpp"

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

StartState jittered_lattice(const Box& box, int along_x, int along_y, int along_z) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> jitter(-0.1, 0.1);
  StartState state;
  state.box = box;
  state.types = {{"A", 1.0}};
  const std::array<int, 3> count{along_x, along_y, along_z};
  for (int i = 0; i < along_x * along_y * along_z; ++i) {
    const std::array<int, 3> at{i % along_x, i / along_x % along_y, i / along_x / along_y};
    Double3 position{};
    for (std::size_t d = 0; d < 3; ++d) {
      position[d] = box.lower[d] + (at[d] + 0.5) * box.edges[d] / count[d] + jitter(random);
    }
    state.id.push_back(i + 1);
    state.type.push_back(0);
    state.position.push_back(position);
    state.velocity.push_back({});
    state.image.push_back({});
  }
  return state;
}

template <class Precision>
class AllInSmTest : public ::testing::Test {
 protected:
  AllInSmTest() {
    start_ = jittered_lattice({{0, 0, 0}, {12.7, 7.6, 5.1}, {true, true, false}}, 11, 7, 4);
    model_.cutoff = 2.5;
    problem_.box = start_.box;
    problem_.grid = make_cell_grid(start_.box, model_.cutoff, start_.position);
    problem_.particles = static_cast<Index>(start_.size());
    problem_.largest_cell = largest_cell(problem_.grid, start_.position);
    problem_.potential = model_;
    problem_.precision = Precision::value;
    problem_.deterministic = true;
    problem_.device = device_properties();
    binning_.emplace(problem_.grid, OrderRules{.deterministic = true}, stream_);
    upload(start_, problem_.grid, particles_, stream_);
    Profiler profiler;
    binning_->run(particles_, 0, profiler, stream_);
  }

  /// Forces where the host last saw `largest_cell` particles in a cell, and the launch's note.
  std::vector<double> forces(const Problem& problem, const BackendOptions& options,
                             Index largest_cell) {
    const auto backend = make_backend<Precision>(entry_, problem, options);
    const Interaction<typename Precision::Pair> interaction(
        problem.potential, problem.grid.float_uncertainty(), stream_);
    backend->occupancy_changed(largest_cell);
    const auto binned = binning_->view(particles_);
    PairSums<Precision> sums;
    sums.resize(particles_.count);
    backend->rebuild(binned, stream_);
    backend->compute(binned, interaction, Wanted::forces, sums, stream_);
    report_ = backend->launch_report();
    std::vector<double> all;
    for (const auto& component : {sums.force.x.download(stream_), sums.force.y.download(stream_),
                                  sums.force.z.download(stream_)}) {
      all.insert(all.end(), component.begin(), component.end());
    }
    return all;
  }

  Stream stream_;
  const BackendEntry& entry_ = find_backend("all-in-sm");
  StartState start_;
  LennardJonesModel model_;
  Problem problem_;
  std::optional<Binning<Precision>> binning_;
  Particles<Precision> particles_;
  LaunchReport report_;
};

using Precisions = ::testing::Types<SinglePrecision, MixedPrecision, DoublePrecision>;
TYPED_TEST_SUITE(AllInSmTest, Precisions);

TYPED_TEST(AllInSmTest, TheCutOfTheGridDoesNotChangeABit) {
  const BackendOptions defaults = default_options(this->entry_.info);
  const auto expected = this->forces(this->problem_, defaults, this->problem_.largest_cell);
  double largest = 0.0;
  for (const double force : expected) largest = std::max(largest, std::abs(force));
  ASSERT_GT(largest, 0.1);
  for (const std::string threads : {"paper", "targets"}) {
    for (const int multiprocessors : {1, 7, 1000}) {
      // 1: no sub-box finds room; 5: some may; 200: 27 cells of so many do not fit
      for (const Index told : {1, 5, 30, 200}) {
        Problem problem = this->problem_;
        problem.device.multiprocessors = multiprocessors;
        BackendOptions options = defaults;
        options["threads"] = threads;
        EXPECT_EQ(this->forces(problem, options, told), expected)
            << multiprocessors << " multiprocessors, told of " << told
            << " particles, threads: " << threads << ": " << this->report_.note();
        EXPECT_LE(this->report_.shape.shared_bytes, 48U * 1024);
        EXPECT_LE(this->report_.shape.threads, 512);
        EXPECT_EQ(this->report_.shape.threads % problem.device.warp_size, 0);
      }
    }
  }
}

TYPED_TEST(AllInSmTest, SharedMemoryIsNeverExceeded) {
  Problem problem = this->problem_;
  const auto expected =
      this->forces(problem, default_options(this->entry_.info), problem.largest_cell);
  for (const std::int64_t bytes : {8 * 1024, 16 * 1024, 20 * 1000, 32 * 1024}) {
    problem.device.shared_bytes_opt_in = bytes;
    for (const std::string memory : {"paper", "device"}) {
      BackendOptions options = default_options(this->entry_.info);
      options["shared_memory"] = memory;
      EXPECT_EQ(this->forces(problem, options, problem.largest_cell), expected);
      EXPECT_LE(this->report_.shape.shared_bytes, static_cast<std::size_t>(bytes));
    }
  }
}

TYPED_TEST(AllInSmTest, RefusesWithTheNumber) {
  Problem problem = this->problem_;
  const BackendOptions options = default_options(this->entry_.info);
  const std::int64_t value_bytes = 3 * sizeof(typename TypeParam::Pair) + 4;
  const auto at_most = static_cast<Index>(((48 * 1024 - 4) / 27 - 16) / value_bytes);
  problem.largest_cell = at_most;
  EXPECT_FALSE(this->entry_.refuse(problem, options));
  problem.largest_cell = at_most + 1;
  const auto reason = this->entry_.refuse(problem, options);
  ASSERT_TRUE(reason);
  EXPECT_NE(reason->find("hold 26 cells of " + std::to_string(at_most + 1) + " particles"),
            std::string::npos)
      << *reason;
}

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE

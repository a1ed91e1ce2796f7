// How simulations on ranks of this device come to be.
#include "app/ranks/rank_device.hpp"

#include <stdexcept>

#include "app/engine/candidates.hpp"
#include "app/engine/changing_box.hpp"
#include "app/engine/large_forces.hpp"
#include "app/engine/observers.hpp"
#include "app/engine/simulation_problem.hpp"
#include "app/ranks/changing_on_ranks.hpp"
#include "app/ranks/first_rank_alone.hpp"
#include "app/ranks/rank_choices.hpp"
#include "app/ranks/rank_team.hpp"
#include "app/ranks/ranked_simulation.hpp"
#include "app/ranks/sharing.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

template <class State>
RankCuts cuts_for(const State& state, const Problem& problem, const RankWish& wish, int ranks) {
  return share_cells(problem.grid, particles_in_cells(problem.grid, state), wish, ranks).cuts;
}

const DeviceApi& one_rank() {
  for (const DeviceApi* device : devices()) {
    if (device->kind() == device_kind) return *device;
  }
  throw std::logic_error("no device of this kind");
}

/// Of the grid with the least work; where the back end cannot be cut so, of `ranks`, which it can.
template <class State>
RankCuts cuts_that_can_be(const SimulationSettings& setup, const State& state,
                          const Problem& problem, RankWish wish, const RankGrid& ranks) {
  const int count = ranks[0] * ranks[1] * ranks[2];
  RankCuts cuts = cuts_for(state, problem, wish, count);
  try {
    require_ranks(setup, problem, ranks_of(cuts));
    return cuts;
  } catch (const RanksRefusal&) {
    wish.grid = ranks;
    return cuts_for(state, problem, wish, count);
  }
}

class Ranks final : public RankDevice {
 public:
  std::string kind() const override { return device_kind; }

  std::unique_ptr<Simulation> make(SimulationSetup setup, const RankWish& wish,
                                   std::shared_ptr<Post> post) const override {
    const Problem bare = make_problem(setup, setup.start, device_properties());
    require_resolved(setup.start, bare);
    require_observables(setup.observables, observed_system(setup.start, setup));
    const DoneBy by = done_by(setup, bare, wish, post);
    return make_by_stages(std::move(setup), by);
  }

  std::unique_ptr<Simulation> resume(SimulationSetup setup, const ExactState& state,
                                     const RankWish& wish,
                                     std::shared_ptr<Post> post) const override {
    const Problem bare = make_problem(setup, state, device_properties());
    require_observables(setup.observables, observed_system(state, setup));
    return resume_by_stages(setup, state, done_by(setup, bare, wish, post));
  }

  void follow(Commission commission, Post& post) const override {
    switch (commission.settings.precision) {
      case Precision::single:
        return PENCILBOX_DEVICE::follow<SinglePrecision>(commission, post);
      case Precision::mixed:
        return PENCILBOX_DEVICE::follow<MixedPrecision>(commission, post);
      case Precision::double_:
        return PENCILBOX_DEVICE::follow<DoublePrecision>(commission, post);
    }
  }

 private:
  static DoneBy done_by(const SimulationSettings& setup, const Problem& bare, const RankWish& wish,
                        const std::shared_ptr<Post>& post) {
    const SimulationMaker alone{[](SimulationSetup one) { return one_rank().make(std::move(one)); },
                                [](SimulationSetup one, const ExactState& state) {
                                  return one_rank().resume(std::move(one), state);
                                }};
    return {maker(wish, post), alone, grid_of_ranks(setup, bare, wish, post->ranks()), post};
  }

  static SimulationMaker maker(const RankWish& wish, const std::shared_ptr<Post>& post) {
    return {[=](SimulationSetup setup) { return make_on_all(std::move(setup), wish, post); },
            [=](SimulationSetup setup, const ExactState& state) {
              return resume_on_all(std::move(setup), state, wish, post);
            }};
  }

  static SimulationMaker maker_of_named(const RankWish& wish, const std::shared_ptr<Post>& post) {
    return {[=](const SimulationSetup& setup) { return make_named(setup, wish, post); },
            [=](const SimulationSetup& setup, const ExactState& state) {
              return resume_named(setup, state, wish, post);
            }};
  }

  static bool balances(const RankWish& wish, const Post& post) {
    return wish.balance == Balance::best && post.ranks() > 1;
  }

  static std::unique_ptr<Simulation> make_on_all(SimulationSetup setup, const RankWish& wish,
                                                 const std::shared_ptr<Post>& post) {
    const Problem bare = make_problem(setup, setup.start, device_properties());
    auto choices = choices_on_ranks(setup, bare, wish, post->ranks());
    return make_changing(std::move(setup), std::move(choices), maker_of_named(wish, post),
                         balances(wish, *post));
  }

  static std::unique_ptr<Simulation> resume_on_all(SimulationSetup setup, const ExactState& state,
                                                   const RankWish& wish,
                                                   const std::shared_ptr<Post>& post) {
    const Problem bare = make_problem(setup, state, device_properties());
    auto choices = choices_on_ranks(setup, bare, wish, post->ranks());
    return resume_changing(setup, state, std::move(choices), maker_of_named(wish, post),
                           balances(wish, *post));
  }

  static std::unique_ptr<Simulation> make_named(const SimulationSetup& setup, const RankWish& wish,
                                                const std::shared_ptr<Post>& post) {
    const Problem problem =
        as_it_runs(setup, make_problem(setup, setup.start, device_properties()));
    const RankGrid ranks = rank_grid_for(problem.grid, wish.grid, post->ranks());
    require_ranks(setup, problem, ranks);
    RankCuts cuts = cuts_that_can_be(setup, setup.start, problem, wish, ranks);
    return make_ranked(
        {setup, setup.start.types, problem, std::move(cuts), wish.shares_devices, wish.exchange},
        setup.start, post);
  }

  static std::unique_ptr<Simulation> resume_named(const SimulationSetup& setup,
                                                  const ExactState& state, const RankWish& wish,
                                                  const std::shared_ptr<Post>& post) {
    Problem problem = as_it_goes_on(setup, state);
    const RankGrid ranks = rank_grid_for(problem.grid, wish.grid, post->ranks());
    require_ranks(setup, problem, ranks);
    auto barostat = barostat_of(setup, problem);
    NamedNumbers carried = state.integrator;
    take_from(carried, barostat);  // what only the first rank has
    take_forces_from(carried, state, problem);
    RankCuts cuts = cuts_that_can_be(setup, state, problem, wish, ranks);
    return make_ranked({setup, state.types, problem, std::move(cuts), wish.shares_devices,
                        wish.exchange, state.step, carried, state.list_age, state.list_age_before},
                       state, post);
  }
};

}  // namespace

const RankDevice& rank_device() {
  static const Ranks ranks;
  return ranks;
}

}  // namespace pencilbox::PENCILBOX_DEVICE

#include "app/compare/race.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "app/compare/not_known.hpp"
#include "core/error.hpp"

namespace pencilbox {
namespace {

RegionSeconds divided(const RegionSeconds& seconds, double by) {
  RegionSeconds result;
  result.integrate = seconds.integrate / by;
  result.bin = seconds.bin / by;
  result.reorder = seconds.reorder / by;
  result.prepare = seconds.prepare / by;
  result.force = seconds.force / by;
  return result;
}

/// One simulation on its way through the rounds.
struct Racer {
  Contender* contender = nullptr;
  bool is_other_setting = false;  ///< of `deterministic`: only its time matters
  std::unique_ptr<Simulation> simulation;
  std::int64_t device_bytes = 0;
  std::int64_t steps = 0;       ///< in one timing
  std::vector<double> seconds;  ///< of a step, one for each round

  double timed_seconds() const {
    return std::accumulate(seconds.begin(), seconds.end(), 0.0) * static_cast<double>(steps);
  }
};

class Race {
 public:
  Race(const Contest& contest, const MakeSimulation& make, Comparison& comparison)
      : contest_(contest), make_(make), comparison_(comparison) {}

  void operator()() {
    for (Contender& contender : comparison_.contenders) {
      if (contender.refusal) continue;
      if (!enter(contender)) {  // no room beside the others
        finish_group();
        (void)enter(contender);
      }
      if (is_full()) finish_group();
    }
    finish_group();
  }

 private:
  /// False if the device has no room for it; then others have to go first.
  bool enter(Contender& contender) {
    const std::size_t before = group_.size();
    contest_.tell("warming up " + contender.choice.name);
    try {
      named(contender.choice, [&] {
        add(contender, false);
        try {
          add(contender, true);
        } catch (const BackendRefusal&) {
          // It cannot do both: what the other costs is not known.
        }
      });
    } catch (const SystemError&) {
      if (before == 0) throw;
      group_.resize(before);
      return false;
    }
    return true;
  }

  void add(Contender& contender, bool is_other_setting) {
    Racer racer;
    racer.contender = &contender;
    racer.is_other_setting = is_other_setting;
    racer.simulation = start_of(contest_, make_, contender.choice,
                                contest_.setup.deterministic != is_other_setting);
    warm_up(*racer.simulation);
    racer.device_bytes = racer.simulation->device_bytes() - bytes_in_use();
    racer.steps = steps_of_a_timing(*racer.simulation);
    racer.simulation->forget_regions();
    group_.push_back(std::move(racer));
  }

  /// Of all that are there already: a simulation tells what the whole device has given out.
  std::int64_t bytes_in_use() const {
    std::int64_t bytes = 0;
    for (const Racer& racer : group_) bytes += racer.device_bytes;
    return bytes;
  }

  /// No room for another pair like the last.
  bool is_full() const {
    if (contest_.memory_bytes == 0 || group_.empty()) return false;
    return bytes_in_use() + 2 * group_.back().device_bytes > contest_.memory_bytes;
  }

  /// In short batches at first: a back end that finds its launch shape by trying reads its trials
  /// when nothing is left to do for the device.
  void warm_up(Simulation& simulation) const {
    constexpr std::int64_t batch = 10;
    for (std::int64_t done = 0; done < contest_.warm_up; done += batch) {
      simulation.advance(std::min(batch, contest_.warm_up - done), LastStep::forces_only);
    }
    let_choose(simulation);
  }

  /// Its trials of others are not what is to be timed.
  void let_choose(Simulation& simulation) const {
    constexpr std::int64_t batch = 50;
    constexpr std::int64_t most = 5000;
    for (std::int64_t done = 0; done < most && simulation.backend_stats().is_choosing;
         done += batch) {
      simulation.advance(batch, LastStep::forces_only);
    }
  }

  /// So many that the repeats together take the time that is asked for.
  std::int64_t steps_of_a_timing(Simulation& simulation) const {
    if (contest_.least_seconds <= 0.0) return contest_.steps;
    constexpr double margin = 1.2;
    simulation.advance(contest_.steps, LastStep::forces_only);
    const double step = simulation.last_advance_seconds() / static_cast<double>(contest_.steps);
    const double wanted = margin * contest_.least_seconds / (contest_.repeats * step);
    constexpr double most = 1e6;
    return std::max(contest_.steps, static_cast<std::int64_t>(std::ceil(std::min(wanted, most))));
  }

  void finish_group() {
    const int most_rounds = 4 * contest_.repeats;
    for (int round = 0; round < most_rounds && wants_round(round); ++round) run_round(round);
    for (Racer& racer : group_) conclude(racer);
    group_.clear();
  }

  /// A second is a second, also where the first timing was a slow one.
  bool wants_round(int round) const {
    if (round < contest_.repeats) return true;
    return std::any_of(group_.begin(), group_.end(), [&](const Racer& racer) {
      return racer.timed_seconds() < contest_.least_seconds;
    });
  }

  void run_round(int round) {
    for (Racer& racer : group_) {
      contest_.tell(fmt::format("round {}: timing {}", round + 1, racer.contender->choice.name));
      named(racer.contender->choice,
            [&] { racer.simulation->advance(racer.steps, LastStep::forces_only); });
      racer.seconds.push_back(racer.simulation->last_advance_seconds() /
                              static_cast<double>(racer.steps));
    }
  }

  /// What is of the contest's own setting comes first in the group.
  void conclude(Racer& racer) {
    Contender& contender = *racer.contender;
    if (racer.is_other_setting) {
      if (racer.seconds.size() < 2) return;  // nothing tells what is noise
      const Spread other = spread_of(racer.seconds);
      const bool deterministic = contest_.setup.deterministic;
      contender.deterministic_cost =
          deterministic ? cost_of(contender.step, other) : cost_of(other, contender.step);
      return;
    }
    contender.steps = racer.steps;
    contender.step = spread_of(racer.seconds);
    contender.regions =
        divided(racer.simulation->regions(),
                static_cast<double>(racer.steps) * static_cast<double>(racer.seconds.size()));
    contender.stats = racer.simulation->backend_stats();
    contender.neighbors = racer.simulation->neighbor_stats();
    contender.device_bytes = racer.device_bytes;
    if (contender.choice.name == yardstick && std::isnan(comparison_.yardstick_step)) {
      comparison_.yardstick_step = contender.step.median;
      if (racer.seconds.size() > 1) {
        comparison_.yardstick_drift = racer.seconds.back() / racer.seconds.front() - 1.0;
      }
    }
  }

  static DeterministicCost cost_of(const Spread& with, const Spread& without) {
    const double noise = std::max(with.most - with.least, without.most - without.least);
    return {with.median / without.median - 1.0, noise / without.median};
  }

  const Contest& contest_;
  const MakeSimulation& make_;
  Comparison& comparison_;
  std::vector<Racer> group_;
};

}  // namespace

void race(const Contest& contest, const MakeSimulation& make, Comparison& comparison) {
  comparison.yardstick_step = comparison.yardstick_drift = not_known;
  Race(contest, make, comparison)();
}

std::unique_ptr<Simulation> start_of(const Contest& contest, const MakeSimulation& make,
                                     const BackendChoice& choice, bool deterministic) {
  SimulationSetup setup = contest.setup;
  setup.backend = choice.name;
  setup.options = choice.options;
  setup.deterministic = deterministic;
  return make(std::move(setup));
}

}  // namespace pencilbox

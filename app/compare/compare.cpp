#include "app/compare/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "app/bench/bench_arguments.hpp"
#include "core/error.hpp"

namespace pencilbox {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// The back end that tries the others in its first steps.

/// What one timing of a back end gives.
struct Timing {
  Spread step;
  RegionSeconds regions;
  BackendStats stats;
  std::int64_t device_bytes = 0;
};

RegionSeconds divided(const RegionSeconds& seconds, double by) {
  RegionSeconds result;
  result.integrate = seconds.integrate / by;
  result.bin = seconds.bin / by;
  result.reorder = seconds.reorder / by;
  result.prepare = seconds.prepare / by;
  result.force = seconds.force / by;
  return result;
}

class Referee {
 public:
  Referee(const Contest& contest, const MakeSimulation& make)
      : contest_(contest),
        make_(make),
        check_(contest.setup, contest.known, contest.uncertainty, make) {}

  Comparison operator()() {
    Comparison result;
    result.particles = contest_.setup.start.size();
    result.truth = check_.truth();
    for (const BackendChoice& choice : contest_.backends)
      result.contenders.push_back(check(choice));
    for (Contender& contender : result.contenders) {
      if (!contender.refusal) measure(contender);
    }
    look_at_yardstick(result);
    return result;
  }

 private:
  const BackendInfo& info_of(const BackendChoice& choice) const {
    for (const BackendInfo& info : contest_.known) {
      if (info.name == choice.name) return info;
    }
    throw InputError("compare: unknown back end " + choice.name);
  }

  /// Nobody asked for it, and it would take longer than all others together.
  std::optional<std::string> leave_out(const BackendChoice& choice) const {
    if (!contest_.all_of_them) return {};
    const BackendInfo& info = info_of(choice);
    if (needs_blocks(info, choice.options) && contest_.blocks_are_emulated) {
      return "left out: on this device its blocks are emulated, which is for tests and not for "
             "speed; --backends " +
             choice.name + " times it all the same";
    }
    if (info.all_pairs && contest_.setup.start.size() > most_against_reference) {
      return fmt::format(
          "left out: it looks at all pairs of more than {} particles; --backends {} times it all "
          "the same",
          most_against_reference, choice.name);
    }
    return {};
  }

  std::unique_ptr<Simulation> start(const BackendChoice& choice, bool deterministic) const {
    SimulationSetup setup = contest_.setup;
    setup.backend = choice.name;
    setup.options = choice.options;
    setup.deterministic = deterministic;
    return make_(std::move(setup));
  }

  /// Names the back end in whatever goes wrong with the physics.
  template <class Action>
  auto as(const BackendChoice& choice, Action action) const {
    try {
      return action();
    } catch (const PhysicsError& error) {
      const std::string text = error.what();
      throw PhysicsError(text.starts_with(choice.name) ? text : choice.name + ": " + text);
    }
  }

  Contender check(const BackendChoice& choice) const {
    constexpr std::int64_t steps_of_forces_alone = 2;
    Contender contender;
    contender.choice = choice;
    contender.refusal = leave_out(choice);
    if (contender.refusal) return contender;
    contest_.tell("checking " + choice.name);
    try {
      as(choice, [&] {
        const auto simulation = start(choice, contest_.setup.deterministic);
        const double at_start = check_(choice.name, *simulation);
        simulation->advance(steps_of_forces_alone, LastStep::forces_only);
        contender.largest_error = std::max(at_start, check_(choice.name, *simulation));
      });
    } catch (const BackendRefusal& refusal) {
      contender.refusal = refusal.what();
    }
    return contender;
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

  Timing time(const BackendChoice& choice, bool deterministic) const {
    return as(choice, [&] {
      const auto simulation = start(choice, deterministic);
      warm_up(*simulation);
      simulation->forget_regions();
      const double steps = static_cast<double>(contest_.steps);
      std::vector<double> seconds;
      for (int k = 0; k < contest_.repeats; ++k) {
        simulation->advance(contest_.steps, LastStep::forces_only);
        seconds.push_back(simulation->last_advance_seconds() / steps);
      }
      Timing timing;
      timing.step = spread_of(std::move(seconds));
      timing.regions = divided(simulation->regions(), steps * contest_.repeats);
      timing.device_bytes = simulation->device_bytes();
      timing.stats = simulation->backend_stats();
      return timing;
    });
  }

  void measure(Contender& contender) const {
    contest_.tell("timing " + contender.choice.name);
    const bool deterministic = contest_.setup.deterministic;
    const Timing timing = time(contender.choice, deterministic);
    contender.step = timing.step;
    contender.regions = timing.regions;
    contender.stats = timing.stats;
    contender.device_bytes = timing.device_bytes;
    contender.deterministic_cost = not_known;
    try {
      const double other = time(contender.choice, !deterministic).step.median;
      const double with = deterministic ? timing.step.median : other;
      const double without = deterministic ? other : timing.step.median;
      contender.deterministic_cost = with / without - 1.0;
    } catch (const BackendRefusal&) {
      // It cannot do both: the column stays empty.
    }
  }

  void look_at_yardstick(Comparison& result) const {
    result.yardstick_step = result.yardstick_drift = not_known;
    for (const Contender& contender : result.contenders) {
      if (contender.choice.name != yardstick || contender.refusal) continue;
      contest_.tell(std::string("timing ") + yardstick + " once more");
      result.yardstick_step = contender.step.median;
      result.yardstick_drift =
          time(contender.choice, contest_.setup.deterministic).step.median / contender.step.median -
          1.0;
      return;
    }
  }

  const Contest& contest_;
  const MakeSimulation& make_;
  ForceCheck check_;
};

}  // namespace

Comparison compare_backends(const Contest& contest, const MakeSimulation& make) {
  return Referee(contest, make)();
}

}  // namespace pencilbox

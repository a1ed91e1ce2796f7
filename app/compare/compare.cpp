#include "app/compare/compare.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/compare/race.hpp"
#include "core/error.hpp"

namespace pencilbox {
namespace {

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
    race(contest_, make_, result);
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

  Contender check(const BackendChoice& choice) const {
    constexpr std::int64_t steps_of_forces_alone = 2;
    Contender contender;
    contender.choice = choice;
    contender.refusal = leave_out(choice);
    if (contender.refusal) return contender;
    contest_.tell("checking " + choice.name);
    try {
      named(choice, [&] {
        const auto simulation = start_of(contest_, make_, choice, contest_.setup.deterministic);
        const double at_start = check_(choice.name, *simulation);
        simulation->advance(steps_of_forces_alone, LastStep::forces_only);
        contender.largest_error = std::max(at_start, check_(choice.name, *simulation));
      });
    } catch (const BackendRefusal& refusal) {
      contender.refusal = refusal.what();
    }
    return contender;
  }

  const Contest& contest_;
  const MakeSimulation& make_;
  ForceCheck check_;
};

}  // namespace

std::optional<std::size_t> fastest_of(const Comparison& comparison) {
  std::optional<std::size_t> fastest;
  for (std::size_t k = 0; k < comparison.contenders.size(); ++k) {
    const Contender& contender = comparison.contenders[k];
    if (contender.refusal) continue;
    const bool first = !fastest;
    if (first || contender.step.median < comparison.contenders[*fastest].step.median) fastest = k;
  }
  return fastest;
}

bool cannot_be_told_from(const Contender& slower, const Contender& faster) {
  const double gap = slower.step.median - faster.step.median;
  const auto range = [](const Contender& one) { return one.step.most - one.step.least; };
  return gap <= std::max(range(slower), range(faster));
}

Comparison compare_backends(const Contest& contest, const MakeSimulation& make) {
  return Referee(contest, make)();
}

}  // namespace pencilbox

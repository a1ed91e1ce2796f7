// Timing in rounds: every back end advances once in each round, so a clock that drifts, or a
// machine that somebody else begins to use, meets all of them.
#pragma once

#include <memory>
#include <string>

#include "app/compare/compare.hpp"
#include "core/error.hpp"

namespace pencilbox {

/// Times every contender of `comparison` that was not refused, with and without `deterministic`,
/// and fills in what that tells. All are in memory at once where `contest.memory_bytes` allows it,
/// else in groups. Errors of the physics name the back end.
void race(const Contest& contest, const MakeSimulation& make, Comparison& comparison);

/// A new simulation of this back end at the contest's start. Throws as DeviceApi::make.
std::unique_ptr<Simulation> start_of(const Contest& contest, const MakeSimulation& make,
                                     const BackendChoice& choice, bool deterministic);

/// Names the back end in whatever goes wrong with the physics.
template <class Action>
auto named(const BackendChoice& choice, Action action) {
  try {
    return action();
  } catch (const PhysicsError& error) {
    const std::string text = error.what();
    throw PhysicsError(text.starts_with(choice.name) ? text : choice.name + ": " + text);
  }
}

}  // namespace pencilbox

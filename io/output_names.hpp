// The names of all that a run leaves in its folder: what --overwrite replaces, and what an input
// must not be called.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace pencilbox::output_names {

inline constexpr std::string_view trajectory = "trajectory.h5md";
inline constexpr std::string_view trajectory_xdmf = "trajectory.xmf2";
inline constexpr std::string_view trajectory_vtkhdf = "trajectory.vtkhdf";
inline constexpr std::string_view thermo = "thermo.csv";
inline constexpr std::string_view report = "report.json";
inline constexpr std::string_view deck = "deck.yaml";  ///< no output: a user's own may lie there
inline constexpr std::string_view checkpoint = "checkpoint.h5";
inline constexpr std::string_view previous_checkpoint = "checkpoint.previous.h5";

inline constexpr std::array<std::string_view, 7> all{
    trajectory, trajectory_xdmf, trajectory_vtkhdf,  thermo,
    report,     checkpoint,      previous_checkpoint};

/// What holds the folder for one run.
inline constexpr std::string_view lock = ".lock";

/// trajectory-0007.h5md: a part of a trajectory that is split.
inline bool is_trajectory_part(std::string_view name) {
  constexpr std::string_view head = "trajectory-", tail = ".h5md";
  if (name.size() <= head.size() + tail.size()) return false;
  if (!name.starts_with(head) || !name.ends_with(tail)) return false;
  name.remove_prefix(head.size());
  name.remove_suffix(tail.size());
  return std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// observable-radial-distribution.csv, and .svg.
inline constexpr std::string_view observable_head = "observable-";
inline constexpr std::array<std::string_view, 2> observable_tails{".csv", ".svg"};

/// What an observable has found, of whatever registry.
inline bool is_observable(std::string_view name) {
  if (!name.starts_with(observable_head)) return false;
  name.remove_prefix(observable_head.size());
  for (const std::string_view tail : observable_tails) {
    if (!name.ends_with(tail) || name.size() == tail.size()) continue;
    name.remove_suffix(tail.size());
    return std::all_of(name.begin(), name.end(),
                       [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
  }
  return false;
}

inline bool is_output(std::string_view name) {
  return std::find(all.begin(), all.end(), name) != all.end() || is_trajectory_part(name) ||
         is_observable(name);
}

/// What a killed run may leave beside its outputs: a file that was being made, a sidecar's twin.
inline bool is_leftover(std::string_view name) {
  constexpr std::string_view made = ".tmp", twin = ".next";
  if (name.ends_with(made)) {
    name.remove_suffix(made.size());
    return is_output(name) || name == deck;
  }
  if (name.starts_with('.') && name.ends_with(twin)) {
    return is_output(name.substr(1, name.size() - 1 - twin.size()));
  }
  return false;
}

}  // namespace pencilbox::output_names

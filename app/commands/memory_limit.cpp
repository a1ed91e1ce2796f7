#include "app/commands/memory_limit.hpp"

#include <algorithm>

#include "core/memory_limit.hpp"
#include "io/input/hdf5_start.hpp"

namespace pencilbox {
namespace {

/// 0 where a file says it.
std::int64_t particles_of(const Deck& deck) {
  if (const auto* lattice = std::get_if<LatticeStart>(&deck.start)) return particle_count(*lattice);
  if (const auto* random = std::get_if<RandomStart>(&deck.start)) return random->count;
  if (const auto* sphere = std::get_if<PlummerStart>(&deck.start)) return sphere->count;
  return 0;
}

/// What is asked takes time, so not where any particle could have more than it ever needs.
bool is_plenty(const MemoryLeft& left, std::int64_t particles) {
  constexpr std::int64_t more_than_any_needs = 4096;  // bytes a particle
  return particles < left.bytes / more_than_any_needs;
}

}  // namespace

void require_memory_for_start(const Deck& deck) {
  require_memory(bytes_of_start(particles_of(deck)));
}

void require_memory_on_host(const DeviceApi& device, const SimulationSetup& setup, int at_once) {
  if (device.kind() != "host") return;
  const MemoryLeft left = memory_left();
  if (is_plenty(left, setup.start.size() * at_once)) return;
  require_memory(device.check(setup).device_bytes * at_once, left);
}

void require_memory_on_host(const DeviceApi& device, SimulationSetup setup,
                            const ExactState& state) {
  if (device.kind() != "host" || is_plenty(memory_left(), state.size())) return;
  constexpr std::int64_t bytes_to_check =
      96;  // of a particle: its coordinates, its place in a grid
  require_memory(bytes_of_start(state.size()) + bytes_to_check * state.size());
  setup.start = start_of(state);
  const std::int64_t bytes = device.check(setup).device_bytes;
  setup.start = {};
  require_memory(bytes);
}

}  // namespace pencilbox

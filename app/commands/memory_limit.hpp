// How much memory a run may take here: a control group's limit ends a process without a word.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "app/engine/simulation.hpp"
#include "io/input/deck.hpp"

namespace pencilbox {

struct MemoryLeft {
  std::int64_t bytes = 0;
  std::string where;  ///< "the control group /batch/job-7", "this machine"
};

/// What the control group of this process (versions 1 and 2) and the machine have left, whichever
/// is less. `root` holds proc and sys. What cannot be read limits nothing.
MemoryLeft memory_left(const std::filesystem::path& root = "/");

/// Throws SystemError, in words, if `bytes` more are not to be had.
void require_memory(std::int64_t bytes, const MemoryLeft& left);

/// The same for the start of a deck, before it is made; not asked of a start file, whose particles
/// nobody knows yet.
void require_memory_for_start(const Deck& deck);

/// The same for what a device that computes in this machine's own memory needs beside the start.
void require_memory_on_host(const DeviceApi& device, const SimulationSetup& setup);

}  // namespace pencilbox

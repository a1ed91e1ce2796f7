// The device's part of the benchmark of neighbour searches.
#pragma once

#include "app/bench/search_bench.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Times sort and search together, from particles in no order, between events: what is evaluated
/// for a neighbour is a Lennard-Jones force. Before a method is timed, the number of neighbours of
/// every particle is compared with one counted in double: PhysicsError, naming method and particle,
/// where they differ by more than there are partners whose side of the radius float cannot tell.
SearchResult time_searches(const SearchBench& bench);

}  // namespace pencilbox::PENCILBOX_DEVICE

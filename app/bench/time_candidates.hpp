// The device's part of benchmarks of the candidate kernels.
#pragma once

#include "app/bench/candidate_bench.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Bins the particles once, then times how long each back end takes for their potential. Before and
/// after, its sums are compared with sums taken in double, and its candidates with those that the
/// cells hold: PhysicsError, naming back end and particle, where they differ.
CandidateResult time_candidates(const CandidateBench& bench);

}  // namespace pencilbox::PENCILBOX_DEVICE

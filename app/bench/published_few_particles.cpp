// Algis, Bramas, Darles and Aveneau, "Efficient GPU Implementation of Particle Interactions with
// Cutoff Radius and Few Particles per Cell", Table 1; for the H200: the authors' kernel
// par-part-no-loop, and x-pencil rebuilt from their Algorithm 5 with their rule for its length,
// 200 calls as one CUDA graph, best of three, driver 580, CUDA 13.0.
#include "app/bench/published.hpp"

namespace pencilbox {

const std::array<PublishedCandidateTimes, 15> published_candidate_times{{
    {2, 1, {7.9e-06, 8.3e-06}, {1.0e-05, 1.1e-05}, {8.6e-06, 6.9e-06}, {3.86e-06, 4.9e-06}},
    {4, 1, {1.4e-05, 9.1e-06}, {2.0e-05, 1.2e-05}, {2.9e-05, 1.9e-05}, {1.528e-05, 1.201e-05}},
    {8, 1, {2.0e-05, 1.2e-05}, {2.8e-05, 1.9e-05}, {4.3e-05, 4.1e-05}, {2.091e-05, 1.84e-05}},
    {16, 1, {3.2e-05, 3.4e-05}, {3.7e-05, 2.0e-05}, {1.4e-04, 9.8e-05}, {2.837e-05, 2.706e-05}},
    {32, 1, {1.1e-04, 2.3e-04}, {4.2e-05, 3.8e-05}, {6.3e-04, 2.3e-04}, {2.982e-05, 3.382e-05}},
    {2, 10, {3.0e-05, 2.6e-05}, {3.4e-05, 1.8e-05}, {3.2e-05, 4.2e-05}, {1.349e-05, 1.466e-05}},
    {4, 10, {5.1e-05, 3.5e-05}, {7.2e-05, 4.6e-05}, {1.4e-04, 7.8e-05}, {5.439e-05, 4.502e-05}},
    {8, 10, {7.3e-05, 5.7e-05}, {9.1e-05, 5.6e-05}, {4.6e-04, 4.6e-04}, {6.894e-05, 6.166e-05}},
    {16, 10, {3.7e-04, 4.3e-04}, {1.0e-04, 8.1e-05}, {2.2e-03, 1.8e-04}, {7.509e-05, 7.867e-05}},
    {32, 10, {3.0e-03, 3.8e-03}, {4.2e-04, 4.0e-04}, {9.2e-04, 1.2e-03}, {0.0002303, 0.0003342}},
    {2, 100, {2.6e-04, 8.4e-05}, {1.6e-04, 1.2e-04}, {4.2e-04, 2.7e-04}, {0.000118, 0.0001037}},
    {4, 100, {4.4e-04, 3.5e-04}, {5.2e-04, 3.7e-04}, {3.9e-03, 2.1e-03}, {0.000401, 0.0003503}},
    {8, 100, {2.6e-03, 3.0e-03}, {6.1e-04, 6.1e-04}, {7.8e-03, 5.3e-03}, {0.0004344, 0.0004506}},
    {16, 100, {2.2e-02, 2.7e-02}, {3.2e-03, 3.2e-03}, {1.2e-02, 8.0e-03}, {0.001662, 0.001865}},
    {32, 100, {1.9e-01, 2.2e-01}, {2.5e-02, 2.5e-02}, {5.1e-02, 5.3e-02}, {0.01236, 0.01353}},
}};

const PublishedCandidateTimes* find_published_times(std::int32_t cells, std::int32_t per_cell) {
  for (const PublishedCandidateTimes& row : published_candidate_times) {
    if (row.cells == cells && row.per_cell == per_cell) return &row;
  }
  return nullptr;
}

}  // namespace pencilbox

// What others have published of the benchmarks, to be set beside what is measured here.
#pragma once

#include <array>
#include <cstdint>

namespace pencilbox {

/// Seconds a call of one row of "Few particles per cell", as in the paper's Table 1, and seconds of
/// a graph of its kernels on an H200, measured by hand before this program could.
struct PublishedCandidateTimes {
  std::int32_t cells, per_cell;
  struct Pair {
    double par_part_no_loop, x_pencil;
  } t600, a100, mi210, h200;
};

extern const std::array<PublishedCandidateTimes, 15> published_candidate_times;

const PublishedCandidateTimes* find_published_times(std::int32_t cells, std::int32_t per_cell);

/// Milliseconds of one search, as in Tables 1 to 3 of FENNS.
struct PublishedSearch {
  int scenario;
  std::int64_t particles;
  double radius;
  struct Milliseconds {
    double gtx_1080_ti, titan_x;
  } hoetzlein, green, fenns;
};

extern const std::array<PublishedSearch, 60> published_fenns;

/// Nothing if the paper has no such row.
const PublishedSearch* find_published_search(int scenario, std::int64_t particles, double radius);

/// Seconds for the histogram of all distances between 512,000 points in 500 buckets, with blocks of
/// 128, on a GTX Titan X (Pascal): a student's report on "Efficient 2-Body Statistics Computation
/// on GPUs: Parallelization & Beyond", naive and with tiles and private histograms.
struct PublishedHistogram {
  static constexpr std::int64_t points = 512000;
  static constexpr double naive = 54.58330;
  static constexpr double privatised = 16.83682;
};

}  // namespace pencilbox

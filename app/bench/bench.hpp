// Benchmarks: `pencilbox bench NAME`. Each is a struct of arguments, as typed, and one function
// that checks them, runs and prints; app/main.cpp gives them their names.
#pragma once

#include <string>

#include "app/bench/bench_arguments.hpp"

namespace pencilbox {

struct FewParticlesArguments : BenchArguments {
  std::string backends, options;
  std::string cells, per_cell;
  std::string potential = "lennard-jones";
  std::string calls;
  std::string repeats = "3";
  std::string csv;
};

struct FennsArguments : BenchArguments {
  std::string scenarios = "1,2,3";
  std::string particles, radii;
  std::string repeats;
};

struct NBodyArguments : BenchArguments {
  std::string particles;
  std::string options = "all-pairs:threads_per_target=1;all-pairs:threads_per_target=8";
};

struct PairHistogramArguments : BenchArguments {
  std::string points;
  std::string buckets = "500";
  std::string block = "128";
};

void few_particles_command(const FewParticlesArguments& arguments);
void fenns_command(const FennsArguments& arguments);
void n_body_command(const NBodyArguments& arguments);
void pair_histogram_command(const PairHistogramArguments& arguments);

}  // namespace pencilbox

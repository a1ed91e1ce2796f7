// Benchmarks: `pencilbox bench NAME`. Each is a struct of arguments, as typed, and one function
// that checks them, runs and prints; app/main.cpp gives them their names. bench_arguments.cpp reads
// what several of them take.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/candidate_bench.hpp"
#include "core/registry.hpp"

namespace pencilbox {

/// `bench few-particles`. An empty text is the default.
struct FewParticlesArguments {
  std::string backends, options;
  std::string cells, per_cell;
  std::string potential = "lennard-jones";
  std::string device = "auto";
  std::string calls;
  std::string repeats = "3";
  std::string csv;
  bool overwrite = false;
};

void few_particles_command(const FewParticlesArguments& arguments);

// What arguments have in common. `place` is what an error begins with, "bench NAME: --option";
// InputError where the text is not what it should be.

std::vector<std::string> split(std::string_view text, char separator);

std::int32_t read_integer(const std::string& place, const std::string& text, std::int32_t least,
                          std::int32_t most);

/// Integers between commas, none of them twice.
std::vector<std::int32_t> read_integers(const std::string& place, const std::string& text,
                                        std::int32_t least, std::int32_t most);

/// The number of `name` in `names`.
std::size_t read_name(const std::string& place, const std::string& name,
                      const std::vector<std::string>& names);

/// Back ends between commas, all that there are if `names` is empty, with their options:
/// "a:key=value,key=value;b:key=value". A back end runs with its defaults unless it is among the
/// options, and as often as it is there. `command` is "bench NAME".
std::vector<BackendChoice> read_backends(const std::string& command, const std::string& names,
                                         const std::string& options,
                                         const std::vector<BackendInfo>& known);

/// The back end's name and those of its options that are not at their defaults.
std::string describe(const BackendChoice& choice, const std::vector<BackendInfo>& known);

}  // namespace pencilbox

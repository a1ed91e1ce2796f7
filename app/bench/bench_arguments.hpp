// What the arguments of benchmarks and of `compare` have in common: how they are read, and where
// results go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/simulation.hpp"
#include "core/registry.hpp"
#include "io/output/result_files.hpp"

namespace pencilbox {

/// What every benchmark takes. An empty text is the default, here and in what is derived from it.
struct BenchArguments {
  std::string device = "auto";
  std::string output;  ///< directory; empty: nothing is written
  bool overwrite = false;
  std::string command;  ///< the command line
};

// `place` is what an error begins with, "bench NAME: --option"; InputError where the text is not
// what it should be.

std::vector<std::string> split(std::string_view text, char separator);

std::int32_t read_integer(const std::string& place, const std::string& text, std::int32_t least,
                          std::int32_t most);

/// Integers between commas, none of them twice.
std::vector<std::int32_t> read_integers(const std::string& place, const std::string& text,
                                        std::int32_t least, std::int32_t most);

/// Positive numbers between commas, none of them twice.
std::vector<double> read_numbers(const std::string& place, const std::string& text, double least,
                                 double most);

/// `text`, or what is usual where it is empty.
std::string or_usual(const std::string& text, const std::string& usual);

/// The device of `--device`.
const DeviceApi& read_device(std::string_view command, const BenchArguments& arguments);

/// A result that says what was typed and on which device, to be filled. `name` of its files.
Result begin_result(const std::string& name, const std::string& title,
                    const BenchArguments& arguments, const DeviceApi& device);

/// Where `--output` says, for a result with these tables and plots.
ResultFiles bench_files(const std::string& command, const BenchArguments& arguments,
                        const std::string& page, std::vector<std::string> tables,
                        std::vector<std::string> plots);

/// Title, device, tables and notes on standard output.
void print_result(const Result& result);

/// The number of `name` in `names`.
std::size_t read_name(const std::string& place, const std::string& name,
                      const std::vector<std::string>& names);

/// Back ends between commas, all that there are if `names` is empty, with their options:
/// "a:key=value,key=value;b:key=value". A back end runs with its defaults unless it is among the
/// options, and as often as it is there. `command` is "bench NAME".
std::vector<BackendChoice> read_backends(const std::string& command, const std::string& names,
                                         const std::string& options,
                                         const std::vector<BackendInfo>& known);

/// All options of a back end: "a=1 b=2".
std::string options_text(const BackendChoice& choice);

/// The back end's name and those of its options that are not at their defaults.
std::string describe(const BackendChoice& choice, const std::vector<BackendInfo>& known);

}  // namespace pencilbox

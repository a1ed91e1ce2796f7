// `pencilbox compare`: from a deck to a table that says which back end is fastest, and why.
#include "app/compare/compare_command.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/bench/bench_arguments.hpp"
#include "app/commands/program.hpp"
#include "app/commands/setup.hpp"
#include "app/compare/compare.hpp"
#include "core/error.hpp"
#include "io/output/result_files.hpp"

namespace pencilbox {
namespace {

constexpr const char* command = "compare";

/// "melt" of the deck becomes "melt-compare": a run's folder stays its own.
std::filesystem::path directory_of(const CompareArguments& arguments, const Deck& deck) {
  if (!arguments.output.empty()) return arguments.output;
  return deck.output.directory.string() + "-compare";
}

ResultFiles result_files(const CompareArguments& arguments, const Deck& deck) {
  return ResultFiles({"compare: --output",
                      directory_of(arguments, deck),
                      {compare_name},
                      {compare_name},
                      compare_name,
                      arguments.overwrite,
                      inputs_of(deck)});
}

/// The deck's own back end runs with the deck's options, unless --options has others for it.
void take_options_of_deck(std::vector<BackendChoice>& backends, const CompareArguments& arguments,
                          const Deck& deck) {
  if (!arguments.options.empty()) return;
  for (BackendChoice& choice : backends) {
    if (choice.name == deck.backend) choice.options = deck.options;
  }
}

/// Speed-ups are counted from it, so it takes part, named or not.
void add_yardstick(std::vector<BackendChoice>& backends, const std::vector<BackendInfo>& known) {
  const auto is_yardstick = [](const auto& one) { return one.name == yardstick; };
  if (std::any_of(backends.begin(), backends.end(), is_yardstick)) return;
  const auto info = std::find_if(known.begin(), known.end(), is_yardstick);
  if (info == known.end()) return;
  backends.insert(backends.begin(), {info->name, default_options(*info)});
}

Contest make_contest(const CompareArguments& arguments, const Deck& deck,
                     const DeviceProperties& device) {
  Contest contest;
  contest.known = build_catalogue().backends;
  contest.backends = read_backends(command, arguments.backends, arguments.options, contest.known);
  contest.all_of_them = arguments.backends.empty();
  contest.blocks_are_emulated = device.emulates_blocks;
  take_options_of_deck(contest.backends, arguments, deck);
  add_yardstick(contest.backends, contest.known);
  const std::string usual_steps = device.emulates_blocks ? "16" : "200";
  const std::string usual_repeats = device.emulates_blocks ? "3" : "5";
  contest.steps = read_integer("compare: --steps",
                               arguments.steps.empty() ? usual_steps : arguments.steps, 1, 1000000);
  contest.repeats = read_integer(
      "compare: --repeats", arguments.repeats.empty() ? usual_repeats : arguments.repeats, 1, 1000);
  contest.warm_up = device.emulates_blocks ? 2 : 200;
  contest.tell = terminal_teller();
  return contest;
}

double uncertainty_of(const DeviceApi& device, const SimulationSetup& setup) {
  const Double3 side = device.check(setup).cell_side;
  return 2e-6 * *std::max_element(side.begin(), side.end());  // twice CellGrid's, as both move
}

}  // namespace

void compare_command(const CompareArguments& arguments) {
  const Deck deck = load_deck(arguments.deck, arguments.overrides, build_catalogue());
  const DeviceApi& device = choose_device(deck.device);
  const DeviceProperties properties = device.properties();
  Contest contest = make_contest(arguments, deck, properties);
  const ResultFiles files = result_files(arguments, deck);
  contest.setup = make_setup(deck);
  contest.uncertainty = uncertainty_of(device, contest.setup);
  const Comparison comparison = compare_backends(
      contest, [&](SimulationSetup setup) { return device.make(std::move(setup)); });
  contest.tell("");
  Result result = result_of(comparison, contest, properties);
  result.title = "Back ends compared: " + (deck.title.empty() ? deck.name : deck.title);
  result.facts = facts_of(arguments.command, properties);
  result.facts.emplace_back("deck", deck.name);
  print_result(result);
  files.write(result);
  print(files.closing_line());
}

}  // namespace pencilbox

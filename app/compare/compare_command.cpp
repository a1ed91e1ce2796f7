// `pencilbox compare`: from a deck to a table that says which back end is fastest, and why.
#include "app/compare/compare_command.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/bench/bench_arguments.hpp"
#include "app/commands/memory_limit.hpp"
#include "app/commands/program.hpp"
#include "app/commands/provenance.hpp"
#include "app/commands/setup.hpp"
#include "app/commands/stages.hpp"
#include "app/compare/compare.hpp"
#include "core/memory_limit.hpp"
#include "io/input/complaint.hpp"
#include "io/output/result_files.hpp"
#include "io/output_names.hpp"

namespace pencilbox {
namespace {

constexpr const char* compare_words = "compare";

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

void require_there(const std::filesystem::path& file, const std::string& allowed) {
  std::error_code error;
  if (std::filesystem::exists(file, error)) return;
  complain("compare: --from", "no such file", file.string(), allowed);
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

/// What `--from` and `--frame` say: a start that is none of the deck's.
std::optional<OtherStart> other_start(const CompareArguments& arguments) {
  const std::filesystem::path folder = arguments.from;
  if (arguments.frame.empty()) {
    if (folder.empty()) return {};
    const auto checkpoint = folder / output_names::checkpoint;
    require_there(checkpoint,
                  "the output directory of a run that has a checkpoint, or --frame -1 "
                  "for the last frame of its trajectory");
    return OtherStart{checkpoint, {}};
  }
  if (folder.empty()) {
    complain("compare: --frame", "a frame of what?", arguments.frame, "--frame with --from DIR");
  }
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  const std::int32_t frame = read_integer("compare: --frame", arguments.frame, -most, most);
  const auto trajectory = folder / output_names::trajectory;
  require_there(trajectory, "the output directory of a run that has its trajectory in one file");
  return OtherStart{trajectory, frame, "compare: --frame"};
}

std::string start_text(const Deck& deck) {
  const auto* file = std::get_if<FileStart>(&deck.start);
  if (file == nullptr) return "of the deck";
  return file->path.string() + (file->frame ? fmt::format(", frame {}", *file->frame) : "");
}

/// What is timed of a deck with several stages.
std::string note_on_stages(const Deck& deck, bool is_other_start) {
  const std::string last = deck.stages.back().name;
  if (is_other_start) return "Timed: stage " + last + ", the last of the deck, from this start.";
  return fmt::format(
      "Timed: stage {}, the last of the deck, from where the one before it, {}, ended.", last,
      deck.stages[deck.stages.size() - 2].name);
}

Contest make_contest(const CompareArguments& arguments, const Deck& deck,
                     std::vector<BackendInfo> known, const DeviceProperties& device) {
  Contest contest;
  contest.known = std::move(known);
  contest.backends =
      read_backends(compare_words, arguments.backends, arguments.options, contest.known);
  contest.all_of_them = arguments.backends.empty();
  contest.blocks_are_emulated = device.emulates_blocks;
  take_options_of_deck(contest.backends, arguments, deck);
  add_yardstick(contest.backends, contest.known);
  const bool on_cpu = device.emulates_blocks;
  constexpr double second = 1.0;
  contest.steps = read_integer("compare: --steps", or_usual(arguments.steps, on_cpu ? "16" : "200"),
                               1, 1000000);
  if (on_cpu && arguments.steps.empty()) contest.least_seconds = second;
  contest.repeats = read_integer("compare: --repeats", or_usual(arguments.repeats, "5"), 1, 1000);
  contest.warm_up = on_cpu ? 10 : 200;
  contest.memory_bytes = device.memory_bytes / (on_cpu ? 2 : 1) / 5 * 4;
  if (on_cpu) contest.memory_bytes = std::min(contest.memory_bytes, memory_left().bytes / 5 * 4);
  contest.tell = terminal_teller();
  return contest;
}

double uncertainty_of(const DeviceApi& device, const SimulationSetup& setup) {
  const Double3 side = device.check(setup).cell_side;
  return 2e-6 * *std::max_element(side.begin(), side.end());  // twice CellGrid's, as both move
}

/// A deck that asks for several is not timed on one without a word.
void require_one_rank(const Deck& deck) {
  if (!deck.ranks || *deck.ranks == std::array{1, 1, 1}) return;
  complain(deck.place("run.ranks"), "compare times one rank",
           fmt::format("[{}]", fmt::join(*deck.ranks, ", ")), "auto, or [1, 1, 1]");
}

}  // namespace

void compare_command(const CompareArguments& arguments) {
  const Deck deck =
      load_deck(arguments.deck, arguments.overrides, build_catalogue(), other_start(arguments));
  require_one_rank(deck);
  const DeviceApi& device = choose_device(deck.device);
  const DeviceProperties properties = device.properties();
  const Provenance provenance = provenance_of(device, resolved_yaml(deck));
  Contest contest = make_contest(arguments, deck, device.backends(), properties);
  const ResultFiles files = result_files(arguments, deck);
  require_memory_for_start(deck);
  contest.setup = setup_of_last_stage(deck, arguments.from.empty()
                                                ? start_of_last_stage(deck, device, contest.tell)
                                                : make_setup(deck).start);
  contest.setup.observables.clear();  // what is compared is the steps
  constexpr int with_and_without_deterministic = 2;
  require_memory_on_host(device, contest.setup, with_and_without_deterministic);
  contest.uncertainty = uncertainty_of(device, contest.setup);
  const Comparison comparison = compare_backends(
      contest, [&](SimulationSetup setup) { return device.make(std::move(setup)); });
  contest.tell("");
  Result result = result_of(comparison, contest, properties);
  result.title = "Back ends compared: " + (deck.title.empty() ? deck.name : deck.title);
  result.facts = facts_of(arguments.command, provenance);
  result.facts.emplace_back("deck", deck.name);
  result.facts.emplace_back("start", start_text(deck));
  result.provenance = entries_of(provenance);
  if (deck.stages.size() > 1) {
    result.notes.insert(result.notes.begin(), note_on_stages(deck, !arguments.from.empty()));
  }
  files.write(result);
  print_result(result);
  print(files.closing_line() + result.conclusion + "\n");
}

}  // namespace pencilbox

// `pencilbox check`: a dry run. Says what a run would be, and touches nothing.
#include <fmt/format.h>

#include "app/commands/memory_limit.hpp"
#include "app/commands/program.hpp"
#include "app/commands/real_units.hpp"
#include "app/commands/resume.hpp"
#include "app/commands/setup.hpp"
#include "app/ranks/rank_device.hpp"
#include "app/ranks/sharing.hpp"
#include "core/error.hpp"
#include "core/memory_limit.hpp"
#include "io/input/deck.hpp"
#include "io/output/output_directory.hpp"

namespace pencilbox {

namespace {

std::string megabytes(std::int64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string words_for(const BackendVerdict& verdict, const Deck& deck,
                      const DeviceProperties& device) {
  if (verdict.refusal) return "no: " + *verdict.refusal;
  const bool chosen = verdict.info.name == deck.backend;
  const bool blocks =
      needs_blocks(verdict.info, chosen ? deck.options : default_options(verdict.info));
  return device.emulates_blocks && blocks ? "yes, emulated: right, but slow" : "yes";
}

/// Where the deck has a list of them.
std::string stages_text(const Deck& deck) {
  std::string text;
  for (const DeckStage& stage : deck.stages) {
    if (stage.name.empty()) continue;
    text += fmt::format("{:12} {}: {}{}, steps {} to {}\n", text.empty() ? "stages" : "",
                        stage.name, stage.integrator, stage.barostat ? " with a barostat" : "",
                        stage.first_step, stage.last_step());
  }
  return text;
}

std::string describe(const ProblemReport& report, const Deck& deck, const DeviceProperties& device,
                     std::int64_t particles) {
  std::string text = fmt::format("device       {}: {}\n", device.kind, device.name);
  text += fmt::format("particles    {}\n", particles) + stages_text(deck);
  text += fmt::format("cells        {} x {} x {}, {:.4g} x {:.4g} x {:.4g} sigma\n",
                      report.cells[0], report.cells[1], report.cells[2], report.cell_side[0],
                      report.cell_side[1], report.cell_side[2]);
  text += fmt::format("occupancy    {:.2f} particles per cell, at most {}\n",
                      report.particles_per_cell, report.largest_cell);
  if (report.skin > 0.0) {
    text += fmt::format("list         skin {:.4g} sigma to begin with\n", report.skin);
  }
  text += fmt::format("memory       {} on the device\n", megabytes(report.device_bytes));
  text += "back ends\n";
  for (const BackendVerdict& verdict : report.backends) {
    text += fmt::format("  {:18} {}\n", verdict.info.name, words_for(verdict, deck, device));
  }
  return text;
}

/// What a run would refuse to replace is no fault of the deck: a remark. What it could never write
/// is an error here, too.
std::string remark_on_outputs(OutputRequest request) {
  try {
    OutputDirectory::check(request);
    return {};
  } catch (const InputError& refusal) {
    request.overwrite = true;
    OutputDirectory::check(request);
    return std::string("remark       ") + refusal.what() + "\n";
  }
}

ProblemReport checked(const Deck& deck, const DeviceApi& device, const SimulationSetup& setup) {
  try {
    return device.check(setup);
  } catch (const ObservableRefusal& refusal) {
    throw InputError(refusal_text(deck, refusal));
  }
}

std::string sharing_text(const Sharing& sharing, const CellGrid& cells) {
  const Decomposition decomposition(cells, sharing.cuts);
  const RankGrid& grid = decomposition.rank_grid();
  const Domain& own = decomposition.domain(first_rank);
  const bool is_even = sharing.cuts == even_cuts(cells.cells, grid);
  return fmt::format(
      "ranks        {}: {} x {} x {}, {} x {} x {} cells {}, {} of {} that it sees; "
      "the busiest has {:.2f} times the mean work\n",
      decomposition.ranks(), grid[0], grid[1], grid[2], own.cells[0], own.cells[1], own.cells[2],
      is_even ? "each" : "for the first", own.cells[0] * own.cells[1] * own.cells[2],
      own.grid.count(), sharing.busiest);
}

/// How several ranks would share the box. Throws InputError where they cannot.
std::string ranks_text(const Deck& deck, const RunArguments& arguments, const DeviceApi& device,
                       const SimulationSetup& setup, const ProblemReport& report) {
  const int ranks = ranks_of(deck, arguments);
  if (ranks == 1) return {};
  CellGrid cells{report.cells_lower, report.cell_side, {}, setup.start.box.periodic};
  for (std::size_t d = 0; d < 3; ++d) cells.cells[d] = static_cast<Index>(report.cells[d]);
  const auto refuse = [&](const std::string& reason) {
    throw InputError(deck.place("run.ranks") + ": " + reason);
  };
  RankGrid grid{};
  try {
    grid = rank_grid_for(cells, deck.ranks, ranks);
  } catch (const RanksRefusal& refusal) {
    refuse(refusal.what());
  }
  if (const auto reason = refusal_on_ranks(setup, cells, grid, device.backends())) refuse(*reason);
  return sharing_text(share_cells(cells, particles_in_cells(cells, setup.start),
                                  {.grid = deck.ranks, .balance = deck.balance}, ranks),
                      cells);
}

}  // namespace

void check_command(const RunArguments& arguments) {
  const Deck deck = load_deck(arguments.deck, arguments.overrides, build_catalogue());
  const std::string remark = remark_on_outputs(output_request(deck, arguments));
  std::string resume;
  if (arguments.resume) {
    const FoundCheckpoint found = find_checkpoint_of(deck);
    resume = "resume       " + resume_text(deck, found) + "\n";
  }
  const DeviceApi& device = choose_device(deck.device);
  require_memory_for_start(deck);
  const SimulationSetup setup = make_setup(deck);
  const ProblemReport report = checked(deck, device, setup);
  if (device.kind() == "host") require_memory(report.device_bytes);
  const std::string ranks = ranks_text(deck, arguments, device, setup, report);
  for (const BackendVerdict& verdict : report.backends) {
    if (verdict.info.name == deck.backend && verdict.refusal) {
      throw InputError(refusal_text(deck, *verdict.refusal));
    }
  }
  print(resolved_yaml(deck) + "\n" +
        describe(report, deck, device.properties(), setup.start.size()) + ranks +
        real_units_text(deck) + resume + remark);
}

}  // namespace pencilbox

// `pencilbox run`: from a deck, or from what an earlier run of it left, to its outputs.
#include <optional>
#include <utility>

#include "app/commands/program.hpp"
#include "app/commands/resume.hpp"
#include "app/commands/run_session.hpp"
#include "app/commands/stopping.hpp"
#include "app/processes/start_ranks.hpp"
#include "app/ranks/device_on_ranks.hpp"
#include "core/error.hpp"
#include "io/input/deck.hpp"
#include "io/output/output_directory.hpp"

namespace pencilbox {

int run_command(const RunArguments& arguments) {
  std::optional<Stopping> stopping(std::in_place, arguments.wall_time);
  const Deck deck = load_deck(arguments.deck, arguments.overrides, build_catalogue());
  OutputDirectory::check(output_request(deck, arguments));
  const int ranks = ranks_of(deck, arguments);
  if (ranks > 1 && !arguments.post) {
    stopping.reset();  // signals are for the first rank
    return start_ranks(ranks, arguments.command);
  }
  std::optional<FoundCheckpoint> found;
  if (arguments.resume) {
    found = find_checkpoint_of(deck);
    if (found->checkpoint.state.step == deck.steps) {
      if (!arguments.quiet) print(resume_text(deck, *found) + "\n");
      return static_cast<int>(ExitCode::done);
    }
  }
  const DeviceApi& device = choose_device(deck.device);
  if (ranks == 1) return RunSession(arguments, deck, device, *stopping, std::move(found)).run();
  const DeviceOnRanks several(
      device, {deck.ranks, arguments.share_gpus, deck.exchange, deck.balance}, arguments.post);
  return RunSession(arguments, deck, several, *stopping, std::move(found)).run();
}

}  // namespace pencilbox

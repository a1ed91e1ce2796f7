#include "app/commands/program.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "app/commands/stopping.hpp"
#include "app/engine/simulation.hpp"
#include "core/error.hpp"
#include "io/input/complaint.hpp"

namespace pencilbox {

Catalogue build_catalogue() {
  Catalogue catalogue;
  for (const DeviceApi* device : devices()) catalogue.devices.push_back(device->kind());
  catalogue.backends = devices().front()->backends();
  catalogue.integrators = devices().front()->integrators();
  catalogue.observables = devices().front()->observables();
  return catalogue;
}

namespace {

bool answers(const DeviceApi& device) {
  try {
    (void)device.properties();
    return true;
  } catch (const SystemError&) {
    return false;
  }
}

}  // namespace

const DeviceApi& choose_device(const std::string& name) {
  for (auto device = devices().rbegin(); device != devices().rend(); ++device) {
    const bool chosen = name == "auto" ? answers(**device) : name == (*device)->kind();
    if (chosen) return **device;
  }
  std::string known = "auto";
  for (const DeviceApi* device : devices()) known += ", " + device->kind();
  throw InputError("run.device: unknown device, got '" + name + "', allowed: " + known);
}

namespace {

/// Of two numbers of ranks, of which 0 is none.
bool differ(int a, int b) { return a != 0 && b != 0 && a != b; }

int ranks_that_were_started(const RankArguments& arguments) {
  return arguments.post ? arguments.post->ranks() : 0;
}

}  // namespace

int ranks_of(const RankArguments& arguments) {
  const int started = ranks_that_were_started(arguments);
  if (differ(arguments.ranks, started)) {
    complain("--ranks", "not as many as were started", std::to_string(arguments.ranks),
             std::to_string(started) + ", or no --ranks");
  }
  return std::max({1, arguments.ranks, started});
}

int ranks_of(const Deck& deck, const RunArguments& arguments) {
  const int started = ranks_that_were_started(arguments);
  const auto& grid = deck.ranks;
  const int of_grid = grid ? (*grid)[0] * (*grid)[1] * (*grid)[2] : 0;
  if (differ(of_grid, arguments.ranks)) {
    complain(deck.place("run.ranks"), "not as many ranks as --ranks says", std::to_string(of_grid),
             std::to_string(arguments.ranks) + ", or auto");
  }
  if (differ(of_grid, started)) {
    complain(deck.place("run.ranks"), "not as many ranks as were started", std::to_string(of_grid),
             std::to_string(started) + ", or auto");
  }
  return std::max(of_grid, ranks_of(arguments));
}

std::vector<std::filesystem::path> inputs_of(const Deck& deck) {
  std::vector<std::filesystem::path> inputs{deck.name};
  if (const auto* file = std::get_if<FileStart>(&deck.start)) inputs.push_back(file->path);
  return inputs;
}

OutputRequest output_request(const Deck& deck, const RunArguments& arguments) {
  return {deck.output.directory, arguments.overwrite, inputs_of(deck), arguments.resume};
}

std::string refusal_text(const Deck& deck, const std::string& reason) {
  return deck.place("neighbor.backend") + ": " + deck.backend + " cannot run this: " + reason;
}

std::string refusal_text(const Deck& deck, const ObservableRefusal& refusal) {
  const auto one = std::find_if(
      deck.observables.begin(), deck.observables.end(),
      [&](const ObservableChoice& choice) { return choice.name == refusal.observable; });
  const auto number = static_cast<std::size_t>(one - deck.observables.begin());
  return deck.place_of_observable(number, refusal.key) + ": " + refusal.reason + ", got " +
         refusal.got + ", allowed " + refusal.allowed;
}

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) {
    return;
  }
  // Nobody reads on ("run DECK | head"): a run ends for that in good order, as for other signals.
  if (errno == EPIPE && a_signal_was_caught()) return;
  throw SystemError("standard output: cannot write");
}

}  // namespace pencilbox

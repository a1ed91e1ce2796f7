// What the subcommands share: the devices to choose from, and one function for each command.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/engine/simulation.hpp"
#include "app/ranks/post.hpp"
#include "io/input/catalogue.hpp"
#include "io/input/deck.hpp"
#include "io/output/output_directory.hpp"

namespace pencilbox {

/// What a deck may name in this build.
Catalogue build_catalogue();

/// The device called `name`; `auto` is the GPU where one answers, else the host. A device asked for
/// by name is never replaced: SystemError with its own text if it does not answer.
const DeviceApi& choose_device(const std::string& name);

/// Writes `text` to standard output.
void print(const std::string& text);

/// Of a command that several ranks may do together.
struct RankArguments {
  int ranks = 0;  ///< that were asked for; 0: none were
  bool share_gpus = false;
  std::vector<std::string> command;  ///< as typed, without the program's name
  std::shared_ptr<Post> post;        ///< of those that a launcher has started; null: alone
};

struct RunArguments : RankArguments {
  std::filesystem::path deck;
  std::vector<std::string> overrides;
  bool overwrite = false;
  bool resume = false;
  std::string wall_time;  ///< "2h"; empty: no limit
  bool quiet = false;
};

/// How many ranks command line and launcher want, one at least. Throws InputError where they do not
/// agree.
int ranks_of(const RankArguments& arguments);

/// How many ranks a run of this deck has. Throws InputError where deck, command line and launcher
/// do not agree.
int ranks_of(const Deck& deck, const RunArguments& arguments);

/// What a run of this deck reads: the deck, and a start file if it has one.
std::vector<std::filesystem::path> inputs_of(const Deck& deck);

/// What a run of this deck wants to write, and what it must not replace.
OutputRequest output_request(const Deck& deck, const RunArguments& arguments);

/// The one line for an observable that is not defined for a deck's system.
std::string refusal_text(const Deck& deck, const ObservableRefusal& refusal);

/// The one line for a back end that cannot run a deck.
std::string refusal_text(const Deck& deck, const std::string& reason);

/// The legal values of a back end's option, for people.
std::string allowed_values(const OptionInfo& option);

// Each command prints to standard output and throws what went wrong. A run that was told to stop
// has an exit code of its own.
int run_command(const RunArguments& arguments);
void check_command(const RunArguments& arguments);
void backends_command(const std::string& name);
void info_command();
void schema_command();

}  // namespace pencilbox

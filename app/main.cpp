// The program: arguments to a command, an error to one line and an exit code. The only place that
// prints an error or decides how to end.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "app/bench/bench.hpp"
#include "app/bench/measurement.hpp"
#include "app/commands/command_texts.hpp"
#include "app/commands/convert.hpp"
#include "app/commands/program.hpp"
#include "app/commands/standard_descriptors.hpp"
#include "app/commands/view.hpp"
#include "app/compare/compare_command.hpp"
#include "app/processes/door.hpp"
#include "app/processes/launch.hpp"
#include "app/processes/mpi_post.hpp"
#include "app/ranks/rank_device.hpp"
#include "app/validate/validate_command.hpp"
#include "core/device/host/threads.hpp"
#include "core/error.hpp"
#include "io/output/terminal.hpp"

namespace {

using namespace pencilbox;

int fail(const std::string& message, ExitCode code) {
  const std::string name = "pencilbox:";
  std::cerr << (wants_colour(STDERR_FILENO) ? bold_red(name) : name) << " " << message << std::endl;
  return static_cast<int>(code);
}

/// Notes of the library go to stderr as plain lines; stdout is the user's.
void set_up_notes() {
  const auto logger = spdlog::stderr_logger_st("pencilbox");
  logger->set_pattern("pencilbox: %v");
  spdlog::set_default_logger(logger);
}

constexpr const char* options_help =
    "a:key=value,key=value;b:...: their options; a back end that is here several times runs as "
    "often";

constexpr const char* ranks_of_a_deck = "as run.ranks says";

constexpr const char* test_is_of_the_script =
    "test: this is the program alone, allowed: ./pencilbox test, by the script in the source tree";

void add_deck_source(CLI::App& command, std::filesystem::path& deck,
                     std::vector<std::string>& overrides) {
  command.add_option("DECK", deck, "YAML deck")->required();
  command.add_option("--set", overrides, "KEY=VALUE over the deck, e.g. potential.cutoff=3")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
}

void add_deck_options(CLI::App& command, RunArguments& arguments) {
  add_deck_source(command, arguments.deck, arguments.overrides);
  CLI::Option* overwrite =
      command.add_flag("--overwrite", arguments.overwrite, "replace the outputs of an earlier run");
  command.add_flag("--resume", arguments.resume, "go on from the checkpoint of an earlier run")
      ->excludes(overwrite);
}

void add_compare(CLI::App& program, CompareArguments& arguments) {
  CLI::App& command =
      *program.add_subcommand("compare", "which back end is fastest for a deck, and why");
  add_deck_source(command, arguments.deck, arguments.overrides);
  command.add_option("--backends", arguments.backends, "a,b,...: back ends, all without it");
  command.add_option("--options", arguments.options, options_help);
  command.add_option("--steps", arguments.steps, "steps in one timing");
  command.add_option("--repeats", arguments.repeats, "timings");
  command.add_option("--from", arguments.from,
                     "output directory of a run: time its checkpoint, not the start of the deck");
  command.add_option("--frame", arguments.frame,
                     "of its trajectory instead, from 0, or from -1 backwards");
  command.add_option("--output", arguments.output,
                     "directory for compare.csv, .json, .svg and .html");
  command.add_flag("--overwrite", arguments.overwrite, "replace them");
}

/// `otherwise`: how many there are where nobody says.
void add_rank_options(CLI::App& command, RankArguments& arguments, const std::string& otherwise) {
  command.add_option("--ranks", arguments.ranks, "processes that share the box, by MPI")
      ->default_str(otherwise)
      ->check(CLI::Range(1, 1 << 20));
  command.add_flag("--share-gpus", arguments.share_gpus, "more ranks than GPUs, for tests");
}

void add_validate(CLI::App& program, ValidateArguments& arguments) {
  CLI::App& command =
      *program.add_subcommand("validate", "this build on this device beside published values");
  command.add_option("--backend", arguments.backend, "the back end that is judged");
  command.add_option("--device", arguments.device, "auto, host, cuda, hip");
  command.add_option("--precision", arguments.precision, "single, mixed, double");
  command.add_option("--only", arguments.only,
                     "checks between commas, all without it: " + names_of_checks());
  command.add_flag("--full", arguments.full, "all state points, and longer runs");
  add_rank_options(command, arguments, "1");
  command.add_option("--csv", arguments.csv, "file for the table");
  command.add_option("--json", arguments.json, "file for the table");
  command.add_flag("--overwrite", arguments.overwrite, "replace files that are there");
}

void add_bench_options(CLI::App& command, BenchArguments& arguments) {
  command.add_option("--device", arguments.device, "auto, host, cuda, hip");
  command.add_option("--output", arguments.output, "directory for tables and plots");
  command.add_flag("--overwrite", arguments.overwrite, "replace files that are there");
}

void add_few_particles(CLI::App& bench, FewParticlesArguments& arguments) {
  CLI::App& command =
      *bench.add_subcommand("few-particles", "the rows of \"Few particles per cell\", table 1");
  command.add_option("--backends", arguments.backends, "a,b,...: back ends, all without it");
  command.add_option("--options", arguments.options, options_help);
  command.add_option("--cells", arguments.cells, "cells of a side, 2,4,8,16,32 without it");
  command.add_option("--per-cell", arguments.per_cell, "particles a cell, 1,10,100 without it");
  command.add_option("--potential", arguments.potential,
                     "of position-sum, lennard-jones, extended, rootless, between commas");
  command.add_option("--calls", arguments.calls,
                     "evaluations in one timing; without it 200, as published, and 20 on the host");
  command.add_option("--repeats", arguments.repeats, "timings of the graph of all calls");
  command.add_option("--csv", arguments.csv, "file for all that is measured");
  add_bench_options(command, arguments);
}

void add_fenns(CLI::App& bench, FennsArguments& arguments) {
  CLI::App& command = *bench.add_subcommand("fenns", "neighbour searches: FENNS, tables 1 to 4");
  command.add_option("--scenarios", arguments.scenarios, "of 1,2,3");
  command.add_option("--particles", arguments.particles,
                     "numbers of particles, 1024 to 4194304 in steps of 8 without it");
  command.add_option("--radii", arguments.radii, "search radii, the paper's without it");
  command.add_option(
      "--repeats", arguments.repeats,
      "timings of a method, at most; without it 100, as published, and 3 on the host");
  add_bench_options(command, arguments);
}

void add_n_body(CLI::App& bench, NBodyArguments& arguments) {
  CLI::App& command =
      *bench.add_subcommand("n-body", "gravity between all bodies: tiled against naive");
  command.add_option("--particles", arguments.particles, "numbers of bodies");
  command.add_option("--options", arguments.options,
                     "of the tiled kernel: all-pairs:key=value,...;all-pairs:...");
  add_bench_options(command, arguments);
}

void add_pair_histogram(CLI::App& bench, PairHistogramArguments& arguments) {
  CLI::App& command = *bench.add_subcommand(
      "pair-histogram", "histogram of all distances: naive, tiled, privatised, banked");
  command.add_option("--points", arguments.points, "512000 without it, and 2000 on the host");
  command.add_option("--buckets", arguments.buckets, "of the histogram");
  command.add_option("--block", arguments.block, "threads of a block");
  add_bench_options(command, arguments);
}

void add_view(CLI::App& command, ViewArguments& arguments) {
  command.add_option("DIR", arguments.directory, "the output of a run")->required();
  command.add_option("--field", arguments.field,
                     "what colours the spheres; without it the speed, if the trajectory has it");
  CLI::Option* frame = command.add_option("--frame", arguments.frame,
                                          "from 0, or from -1 backwards; the last without it");
  command.add_flag("--film", arguments.film, "all frames, as .avi or .ogv")->excludes(frame);
  command.add_option("--output", arguments.output, "file; without it DIR's name, .png or .avi");
  command.add_option("--range", arguments.range, "MIN MAX of the colours");
  command.add_option("--radius", arguments.radii, "of a sphere [sigma], or one for each type: R,R")
      ->delimiter(',')
      ->default_str("0.5")
      ->check(CLI::Range(1e-3, 1e3));
  command.add_option("--size", arguments.size, "WIDTH HEIGHT in pixels")
      ->check(CLI::Range(16, 16384));
  command.add_flag("--overwrite", arguments.overwrite, "replace the file");
}

void add_convert(CLI::App& command, ConvertArguments& arguments) {
  command.add_option("RUN", arguments.run, "the output of a run, or its trajectory.h5md")
      ->required();
  command.add_option("--to", arguments.format, "extxyz, xyz or lammps")->required();
  command.add_option("--frames", arguments.frames,
                     "N or FIRST:END:STEP, from 0, or from -1 backwards; without it all, for "
                     "lammps the last");
  command
      .add_option("--elements", arguments.elements,
                  "a chemical element for each type, as ASE needs them: Ar,Kr")
      ->delimiter(',');
  command.add_option("--output", arguments.output,
                     "file; without it RUN's name, .extxyz, .xyz or .data");
  command.add_flag("--overwrite", arguments.overwrite, "replace the file");
}

/// The names of what comes after `parent` on the command line.
std::vector<std::string> names_below(const CLI::App& parent) {
  std::vector<std::string> names;
  for (const CLI::App* command : parent.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

/// Words of the command line that are no command's name, as one line; nothing if all are.
std::optional<std::string> unknown_word(const CLI::App& program, const CLI::App& bench, int argc,
                                        char** argv) {
  const auto complaint = [](const char* what, const std::string& got, const CLI::App& parent) {
    const std::vector<std::string> names = names_below(parent);
    if (got.front() == '-' || std::find(names.begin(), names.end(), got) != names.end()) {
      return std::optional<std::string>();
    }
    std::string allowed;
    for (const std::string& name : names) allowed += (allowed.empty() ? "" : ", ") + name;
    return std::optional(std::string(what) + ", got '" + got + "', allowed: " + allowed);
  };
  const auto word = [&](int i) { return i < argc && *argv[i] != '\0' ? argv[i] : "-"; };
  if (const auto text = complaint("unknown command", word(1), program)) return text;
  if (word(1) != bench.get_name()) return {};
  return complaint("bench: unknown benchmark", word(2), bench);
}

/// An option that is given nothing, as by an unset variable of a script, is not one left out.
void refuse_empty_values(CLI::App& command) {
  const CLI::Validator not_empty(
      [](const std::string& value) {
        return std::string(value.empty() ? "is empty, leave it out or give it a value" : "");
      },
      "");
  for (CLI::Option* option : command.get_options()) {
    if (option->get_items_expected_max() > 0) option->check(not_empty);
  }
  for (CLI::App* below : command.get_subcommands({})) refuse_empty_values(*below);
}

void list_benchmarks(const CLI::App& bench) {
  std::string list;
  for (const CLI::App* command : bench.get_subcommands({})) {
    list += command->get_name() + "  " + command->get_description() + "\n";
  }
  print(list);
}

int run_program(int argc, char** argv, std::shared_ptr<Post> post) {
  CLI::App program("Lennard-Jones molecular dynamics with every neighbour-interaction strategy",
                   "pencilbox");
  program.option_defaults()->always_capture_default();
  program.set_help_flag("-h,--help", "print help; COMMAND --help prints a command's");
  program.require_subcommand(1);
  program.set_version_flag("--version", PENCILBOX_VERSION, "print the version");
  RunArguments arguments;
  arguments.command = {argv + 1, argv + argc};
  arguments.post = std::move(post);
  std::string backend;

  CLI::App* run = program.add_subcommand("run", "run a deck");
  add_deck_options(*run, arguments);
  run->add_option("--wall-time", arguments.wall_time,
                  "stop with a checkpoint after 90s, 30m, 2h, 1d (seconds without a unit)");
  add_rank_options(*run, arguments, ranks_of_a_deck);
  run->add_flag("--quiet", arguments.quiet, "no table, no progress, no summary");
  CLI::App* check = program.add_subcommand("check", "dry run: what a run would be");
  add_deck_options(*check, arguments);
  add_rank_options(*check, arguments, ranks_of_a_deck);
  CompareArguments comparison;
  comparison.command = command_line(argc, argv);
  add_compare(program, comparison);
  ValidateArguments validation;
  static_cast<RankArguments&>(validation) = arguments;
  validation.command_line = comparison.command;
  add_validate(program, validation);
  ViewArguments view_arguments;
  CLI::App* view = program.add_subcommand("view", "a picture or a film of a run, by ParaView");
  add_view(*view, view_arguments);
  ConvertArguments convert_arguments;
  CLI::App* convert =
      program.add_subcommand("convert", "frames of a run as extended XYZ, XYZ or LAMMPS data");
  add_convert(*convert, convert_arguments);
  CLI::App* backends = program.add_subcommand("backends", "list the back ends, or describe one");
  backends->add_option("NAME", backend, "back end");
  CLI::App* info = program.add_subcommand("info", "build, libraries, devices");
  CLI::App* schema = program.add_subcommand("schema", "JSON Schema of the deck");
  CLI::App* test = program.add_subcommand("test", "build and run the tests (./pencilbox only)");
  test->add_option("ARGS", "for ctest, such as -R AgainstReference");
  test->prefix_command();
  std::string text_kind;
  CLI::App* generate = program.add_subcommand(
      "generate", "completions for a shell, a man page, this help as a page");
  generate->add_option("WHAT", text_kind, "bash, zsh, fish, man or markdown")->required();
  CLI::App* bench = program.add_subcommand("bench", "list the benchmarks, or run one");
  bench->require_subcommand(0, 1);
  FewParticlesArguments few_particles;
  FennsArguments fenns;
  NBodyArguments n_body;
  PairHistogramArguments pair_histogram;
  add_few_particles(*bench, few_particles);
  add_fenns(*bench, fenns);
  add_n_body(*bench, n_body);
  add_pair_histogram(*bench, pair_histogram);
  few_particles.command = fenns.command = n_body.command = pair_histogram.command =
      comparison.command;

  if (const auto text = unknown_word(program, *bench, argc, argv)) {
    return fail(*text, ExitCode::bad_input);
  }
  refuse_empty_values(program);
  set_up_help(program);
  if (argc < 2) {
    print(program.help());
    return static_cast<int>(ExitCode::done);
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& success) {
    const int code = program.exit(success);
    if (!std::cout.flush()) throw SystemError("standard output: cannot write");
    return code;
  } catch (const CLI::ParseError& error) {
    return fail(std::string(error.what()) + " (see pencilbox --help)", ExitCode::bad_input);
  }
  const bool computes = run->parsed() || check->parsed() || program.got_subcommand("compare") ||
                        program.got_subcommand("validate") || bench->parsed();
  if (computes) host::require_startable_threads();
  if (run->parsed()) return run_command(arguments);
  if (check->parsed()) check_command(arguments);
  if (program.got_subcommand("compare")) compare_command(comparison);
  if (program.got_subcommand("validate")) return validate_command(validation);
  if (view->parsed()) view_command(view_arguments);
  if (convert->parsed()) convert_command(convert_arguments);
  if (backends->parsed()) backends_command(backend);
  if (info->parsed()) info_command();
  if (schema->parsed()) schema_command();
  if (test->parsed()) throw InputError(test_is_of_the_script);
  if (generate->parsed()) print(generated_text(program, text_kind));
  if (bench->got_subcommand("few-particles")) few_particles_command(few_particles);
  if (bench->got_subcommand("fenns")) fenns_command(fenns);
  if (bench->got_subcommand("n-body")) n_body_command(n_body);
  if (bench->got_subcommand("pair-histogram")) pair_histogram_command(pair_histogram);
  if (bench->parsed() && bench->get_subcommands().empty()) list_benchmarks(*bench);
  return static_cast<int>(ExitCode::done);
}

/// What a person reads of an error, and the exit code; `where` is the rank, of several.
template <class Action>
int in_words(const std::string& where, const Action& action) {
  try {
    return action();
  } catch (const InputError& error) {
    return fail(where + error.what(), ExitCode::bad_input);
  } catch (const PhysicsError& error) {
    return fail(where + error.what(), ExitCode::physics_failed);
  } catch (const SystemError& error) {
    return fail(where + error.what(), ExitCode::system_failed);
  } catch (const std::bad_alloc&) {
    return fail(where + "out of memory on the host", ExitCode::system_failed);
  } catch (const std::exception& error) {
    return fail(where + "internal error: " + error.what(), ExitCode::system_failed);
  }
}

/// Those that a launcher has started together with this process; null where it is alone.
std::shared_ptr<MpiPost> other_processes() {
  const auto launch = launch_of([](const char* name) { return std::getenv(name); });
  if (!launch) return {};
  auto post = std::make_shared<MpiPost>(launch->processes);
  host::share_cores(post->node_place().ranks);
  if (post->is_first()) pass_door();
  return post;
}

/// What a process does that is not that of the first rank: it says nothing but what ends them all.
int follow(MpiPost& post) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1}) {
    std::signal(number, SIG_IGN);  // the first rank hears them, and all end with it
  }
  const int code = in_words(post.name() + ": ", [&] {
    host::require_startable_threads();
    follow_the_first(post);
    return static_cast<int>(ExitCode::done);
  });
  if (code != static_cast<int>(ExitCode::done)) post.abort(code);
  post.leave(code);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  open_closed_standard_descriptors();  // before anything is opened
  std::signal(SIGXFSZ, SIG_IGN);       // beyond `ulimit -f` a write fails, in words
  set_up_notes();
  std::shared_ptr<MpiPost> post;
  int code = in_words({}, [&] {
    post = other_processes();
    if (post && !post->is_first()) return static_cast<int>(ExitCode::done);
    return run_program(argc, argv, post);
  });
  if (!post) return code;
  if (!post->is_first()) return follow(*post);
  say_goodbye();
  post->leave(code);
  return code;
}

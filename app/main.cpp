// The program: arguments to a command, an error to one line and an exit code. The only place that
// prints an error or decides how to end.
#include <iostream>

#include <CLI/CLI.hpp>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "app/program.hpp"
#include "core/error.hpp"

namespace {

using namespace pencilbox;

int fail(const std::string& message, ExitCode code) {
  std::cerr << "pencilbox: " << message << std::endl;
  return static_cast<int>(code);
}

/// Notes of the library go to stderr as plain lines; stdout is the user's.
void set_up_notes() {
  const auto logger = spdlog::stderr_logger_st("pencilbox");
  logger->set_pattern("pencilbox: %v");
  spdlog::set_default_logger(logger);
}

void add_deck_options(CLI::App& command, RunArguments& arguments) {
  command.add_option("DECK", arguments.deck, "YAML deck")->required();
  command
      .add_option("--set", arguments.overrides, "KEY=VALUE over the deck, e.g. potential.cutoff=3")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  command.add_flag("--overwrite", arguments.overwrite, "replace the outputs of an earlier run");
}

int run_program(int argc, char** argv) {
  CLI::App program("Lennard-Jones molecular dynamics with every neighbour-interaction strategy",
                   "pencilbox");
  program.require_subcommand(1);
  program.set_version_flag("--version", PENCILBOX_VERSION);
  RunArguments arguments;
  std::string backend;

  CLI::App* run = program.add_subcommand("run", "run a deck");
  add_deck_options(*run, arguments);
  run->add_flag("--quiet", arguments.quiet, "no table, no progress, no summary");
  CLI::App* check = program.add_subcommand("check", "dry run: what a run would be");
  add_deck_options(*check, arguments);
  CLI::App* backends = program.add_subcommand("backends", "list the back ends, or describe one");
  backends->add_option("NAME", backend, "back end");
  CLI::App* info = program.add_subcommand("info", "build, libraries, devices");
  CLI::App* schema = program.add_subcommand("schema", "JSON Schema of the deck");

  const auto is_command = [&program](const std::string& word) {
    for (const CLI::App* command : program.get_subcommands({})) {
      if (command->get_name() == word) return true;
    }
    return false;
  };
  if (argc > 1 && argv[1][0] != '-' && !is_command(argv[1])) {
    return fail("unknown command, got '" + std::string(argv[1]) +
                    "', allowed: run, check, backends, info, schema",
                ExitCode::bad_input);
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return program.exit(success);
  } catch (const CLI::ParseError& error) {
    return fail(std::string(error.what()) + " (see pencilbox --help)", ExitCode::bad_input);
  }
  if (run->parsed()) run_command(arguments);
  if (check->parsed()) check_command(arguments);
  if (backends->parsed()) backends_command(backend);
  if (info->parsed()) info_command();
  if (schema->parsed()) schema_command();
  return static_cast<int>(ExitCode::done);
}

}  // namespace

int main(int argc, char** argv) {
  set_up_notes();
  try {
    return run_program(argc, argv);
  } catch (const InputError& error) {
    return fail(error.what(), ExitCode::bad_input);
  } catch (const PhysicsError& error) {
    return fail(error.what(), ExitCode::physics_failed);
  } catch (const SystemError& error) {
    return fail(error.what(), ExitCode::system_failed);
  } catch (const std::bad_alloc&) {
    return fail("out of memory on the host", ExitCode::system_failed);
  } catch (const std::exception& error) {
    return fail(std::string("internal error: ") + error.what(), ExitCode::system_failed);
  }
}

#include "app/commands/command_texts.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace pencilbox {
namespace {

struct Reading {
  std::string_view command;
  std::string_view example;
  std::string_view chapter;  ///< of docs/user_guide.md
};

constexpr std::array readings{
    Reading{"", "run inputs/melt.yaml", ""},
    Reading{"run", "run inputs/melt.yaml --set run.steps=200 --wall-time 2h",
            "stopping-and-going-on"},
    Reading{"check", "check inputs/melt.yaml --set potential.cutoff=3", "the-deck"},
    Reading{"compare", "compare inputs/melt.yaml", "compare-back-ends"},
    Reading{"validate", "validate --only configurations,conservation", "validate"},
    Reading{"view", "view melt-small --field potential_energy", "pictures"},
    Reading{"convert", "convert melt-small --to extxyz --elements Ar", "into-other-programs"},
    Reading{"backends", "backends x-pencil", "neighbor-integrator-run"},
    Reading{"bench", "bench few-particles --cells 2,4 --per-cell 1", "benchmarks"},
    Reading{"bench few-particles", "bench few-particles --cells 2,4 --per-cell 1", "few-particles"},
    Reading{"bench fenns", "bench fenns --scenarios 1 --particles 1024", "fenns"},
    Reading{"bench n-body", "bench n-body --particles 1024", "n-body"},
    Reading{"bench pair-histogram", "bench pair-histogram --points 2000", "pair-histogram"},
    Reading{"info", "info", "speed"},
    Reading{"schema", "schema > deck.schema.json", "an-editor-that-knows-the-keys"},
    Reading{"test", "test -R AgainstReference", ""},
    Reading{"generate", "generate man > pencilbox.1", "completions-and-a-man-page"}};

const Reading* reading_of(std::string_view command) {
  const auto found = std::find_if(readings.begin(), readings.end(),
                                  [&](const Reading& one) { return one.command == command; });
  return found == readings.end() ? nullptr : &*found;
}

/// "FLOAT:FLOAT in [0.001 - 1000]" is a value and its range.
void set_value(ArgumentText& argument, const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t colon = type.find(':');
  argument.value = type.substr(0, colon);
  const std::size_t range = type.find(" in [");
  if (range != std::string::npos) argument.text += "; " + type.substr(range + 1);
}

ArgumentText argument_text(const CLI::Option& option) {
  ArgumentText argument;
  for (const std::string& name : option.get_snames()) argument.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) argument.names.push_back("--" + name);
  argument.text = option.get_description();
  if (argument.names.empty()) {
    argument.names.push_back(option.get_name());
  } else if (option.get_items_expected_max() > 0) {
    set_value(argument, option);
  }
  const std::string& usual = option.get_default_str();
  const bool tells_a_default = argument.text.find("without it") != std::string::npos;
  const bool empty = usual.empty() || usual == "\"\"" || usual == "[]" || usual == "{}";
  if (!empty && !tells_a_default) argument.text += " (default " + usual + ")";
  return argument;
}

std::string usage_of(const CommandText& command, const CLI::App& app) {
  std::string usage = command.name;
  const bool takes_commands = !command.commands.empty();
  if (takes_commands) usage += app.get_require_subcommand_min() > 0 ? " COMMAND" : " [COMMAND]";
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    const bool needed = option->get_required();
    usage += needed ? " " + option->get_name() : " [" + option->get_name() + "]";
  }
  return usage + " [OPTIONS]";
}

CommandText command_text(const CLI::App& app, const std::string& parents) {
  CommandText command;
  command.name = parents.empty() ? app.get_name() : parents + " " + app.get_name();
  command.summary = app.get_description();
  for (const CLI::Option* option : app.get_options()) {
    command.arguments.push_back(argument_text(*option));
  }
  std::stable_sort(
      command.arguments.begin(), command.arguments.end(),
      [](const ArgumentText& a, const ArgumentText& b) { return !a.is_option() && b.is_option(); });
  for (const CLI::App* below : app.get_subcommands({})) {
    command.commands.emplace_back(below->get_name(), below->get_description());
  }
  command.usage = usage_of(command, app);
  const std::size_t space = command.name.find(' ');
  const std::string own = space == std::string::npos ? "" : command.name.substr(space + 1);
  if (const Reading* reading = reading_of(own)) {
    command.example = "./pencilbox " + std::string(reading->example);
    command.guide = "docs/user_guide.md";
    if (!reading->chapter.empty()) command.guide += "#" + std::string(reading->chapter);
  }
  return command;
}

void add_texts(std::vector<CommandText>& texts, const CLI::App& app, const std::string& parents) {
  texts.push_back(command_text(app, parents));
  const std::string name = texts.back().name;
  for (const CLI::App* below : app.get_subcommands({})) add_texts(texts, *below, name);
}

/// Two columns, the second broken between words.
std::string row(const std::string& left, const std::string& text) {
  constexpr std::size_t column = 24;
  constexpr std::size_t width = 80;
  std::string result = "  " + left;
  std::size_t used = result.size();
  if (used + 2 > column) {
    result += "\n";
    used = 0;
  }
  result += std::string(column - used, ' ');
  used = column;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool first = used == column;
    if (!first && used + 1 + word.size() > width) {
      result += "\n" + std::string(column, ' ') + word;
      used = column + word.size();
    } else {
      result += (first ? "" : " ") + word;
      used += word.size() + (first ? 0 : 1);
    }
  }
  return result + "\n";
}

class HelpFormatter final : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const override {
    const std::size_t own = name.rfind(' ');
    return help_text(
        command_text(*app, own == std::string::npos ? std::string() : name.substr(0, own)));
  }
};

}  // namespace

std::vector<CommandText> command_texts(const CLI::App& program) {
  std::vector<CommandText> texts;
  add_texts(texts, program, "");
  return texts;
}

std::string help_text(const CommandText& command) {
  std::string text = command.summary + "\n\nUsage: " + command.usage + "\n";
  if (!command.commands.empty()) text += "\nCommands:\n";
  for (const auto& [name, summary] : command.commands) text += row(name, summary);
  text += "\n";
  for (const ArgumentText& argument : command.arguments) {
    std::string left;
    for (const std::string& name : argument.names) left += (left.empty() ? "" : ", ") + name;
    if (!argument.value.empty()) left += " " + argument.value;
    text += row(left, argument.text);
  }
  if (!command.example.empty()) text += "\nExample:\n  " + command.example + "\n";
  if (!command.guide.empty()) text += "\nMore: " + command.guide + "\n";
  return text;
}

void set_up_help(CLI::App& program) {
  const auto formatter = std::make_shared<HelpFormatter>();
  program.formatter(formatter);
  for (CLI::App* below : program.get_subcommands({})) {
    below->formatter(formatter);
    for (CLI::App* deeper : below->get_subcommands({})) deeper->formatter(formatter);
  }
}

}  // namespace pencilbox

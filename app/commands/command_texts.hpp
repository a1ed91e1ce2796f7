// What the program says of its own commands, in one place: its help, docs/commands.md, the man page
// and the completions of three shells are made from it.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace pencilbox {

struct ArgumentText {
  std::vector<std::string> names;  ///< "--set", or "DECK"
  std::string value;               ///< what is to be given behind an option: "TEXT"; empty: a flag
  std::string text;                ///< with its default
  bool is_option() const { return names.front().front() == '-'; }
};

struct CommandText {
  std::string name;  ///< "pencilbox bench fenns"
  std::string summary;
  std::string usage;
  std::vector<ArgumentText> arguments;
  std::vector<std::pair<std::string, std::string>> commands;  ///< below it: name and summary
  std::string example;
  std::string guide;  ///< where to read on
};

/// The program itself, then its commands, each followed by those below it.
std::vector<CommandText> command_texts(const CLI::App& program);

/// What --help prints, in lines of at most 80 columns.
std::string help_text(const CommandText& command);

/// Makes `--help` of the program and of all its commands print help_text().
void set_up_help(CLI::App& program);

/// `pencilbox generate WHAT`: a shell's completions (bash, zsh, fish), the man page, or
/// docs/commands.md (markdown). Throws InputError where there is no such text.
std::string generated_text(const CLI::App& program, const std::string& what);

}  // namespace pencilbox

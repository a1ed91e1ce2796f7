// `pencilbox generate`: completions, the man page and docs/commands.md, from the program's own
// help.
#include <algorithm>
#include <array>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands/command_texts.hpp"
#include "app/commands/program.hpp"
#include "core/error.hpp"

namespace pencilbox {
namespace {

using Texts = std::vector<CommandText>;

constexpr std::string_view program_name = "pencilbox";

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

/// "bench fenns" of "pencilbox bench fenns"; nothing of the program itself.
std::string own_name(const CommandText& command) {
  const std::size_t space = command.name.find(' ');
  return space == std::string::npos ? std::string() : command.name.substr(space + 1);
}

/// Words that may stand behind a command: the commands below it, and names that it knows.
std::vector<std::string> words_of(const CommandText& command) {
  std::vector<std::string> words;
  for (const auto& [name, summary] : command.commands) words.push_back(name);
  if (own_name(command) == "backends") {
    for (const BackendInfo& info : build_catalogue().backends) words.push_back(info.name);
  }
  if (own_name(command) == "generate") words = {"bash", "zsh", "fish", "man", "markdown"};
  return words;
}

std::vector<std::string> options_of(const CommandText& command) {
  std::vector<std::string> options;
  for (const ArgumentText& argument : command.arguments) {
    if (argument.is_option()) options.push_back(argument.names.back());
  }
  return options;
}

/// The loop of bash and zsh that finds which command the words before the cursor name.
std::string cases_of_commands(const Texts& texts) {
  std::vector<std::string> names;
  for (const CommandText& command : texts) {
    const std::string name = own_name(command);
    if (name.empty()) continue;
    names.push_back(name.find(' ') == std::string::npos ? "\" " + name + "\"" : "\"" + name + "\"");
  }
  return fmt::format("{}", fmt::join(names, " | "));
}

std::string bash_completion(const Texts& texts) {
  std::string text = fmt::format(
      "# Completion of pencilbox for bash, made by `pencilbox generate bash`.\n"
      "_pencilbox() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} command='' words='' options='' i\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    case \"$command ${{COMP_WORDS[i]}}\" in\n"
      "      {}) command+=${{command:+ }}${{COMP_WORDS[i]}} ;;\n"
      "    esac\n"
      "  done\n"
      "  case $command in\n",
      cases_of_commands(texts));
  for (const CommandText& command : texts) {
    text += fmt::format("    '{}') words='{}' options='{}' ;;\n", own_name(command),
                        fmt::join(words_of(command), " "), fmt::join(options_of(command), " "));
  }
  text +=
      "  esac\n"
      "  if [[ $current == -* ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
      "  elif [[ -n $words ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
      "  else\n"
      "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F _pencilbox pencilbox ./pencilbox\n";
  return text;
}

/// In single quotes of zsh and fish; a colon would end a name of zsh's _describe.
std::string quoted(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }

std::string described(const std::string& name, const std::string& text) {
  return " " + quoted(replaced(name, ":", "\\:") + ":" + text);
}

std::string zsh_completion(const Texts& texts) {
  std::string text = fmt::format(
      "#compdef pencilbox\n"
      "# Completion of pencilbox for zsh, made by `pencilbox generate zsh`.\n"
      "_pencilbox() {{\n"
      "  local command='' i\n"
      "  local -a names options\n"
      "  for ((i = 2; i < CURRENT; ++i)); do\n"
      "    case \"$command ${{words[i]}}\" in\n"
      "      {}) command+=\"${{command:+ }}${{words[i]}}\" ;;\n"
      "    esac\n"
      "  done\n"
      "  case $command in\n",
      cases_of_commands(texts));
  for (const CommandText& command : texts) {
    text += fmt::format("    {})\n      names=(", quoted(own_name(command)));
    if (command.commands.empty()) {
      for (const std::string& word : words_of(command)) text += " " + quoted(word);
    }
    for (const auto& [name, summary] : command.commands) text += described(name, summary);
    text += " )\n      options=(";
    for (const ArgumentText& argument : command.arguments) {
      if (argument.is_option()) text += described(argument.names.back(), argument.text);
    }
    text += " )\n      ;;\n";
  }
  text +=
      "  esac\n"
      "  if [[ ${words[CURRENT]} == -* ]]; then\n"
      "    _describe option options\n"
      "  elif (( ${#names} )); then\n"
      "    _describe command names\n"
      "  else\n"
      "    _files\n"
      "  fi\n"
      "}\n"
      "compdef _pencilbox pencilbox ./pencilbox\n";
  return text;
}

/// When the words before the cursor name exactly this command.
std::string condition_of(const CommandText& command) {
  std::string condition;
  std::string name = own_name(command);
  if (name.empty()) return "__fish_use_subcommand";
  for (std::size_t space = 0; space != std::string::npos;) {
    space = name.find(' ');
    condition += (condition.empty() ? "" : "; and ") + std::string("__fish_seen_subcommand_from ") +
                 name.substr(0, space);
    if (space != std::string::npos) name = name.substr(space + 1);
  }
  if (command.commands.empty()) return condition;
  condition += "; and not __fish_seen_subcommand_from";
  for (const auto& [below, summary] : command.commands) condition += " " + below;
  return condition;
}

std::string fish_completion(const Texts& texts) {
  std::string text = "# Completion of pencilbox for fish, made by `pencilbox generate fish`.\n";
  for (const CommandText& command : texts) {
    const std::string line = "complete -c pencilbox -n " + quoted(condition_of(command));
    for (const auto& [name, summary] : command.commands) {
      text += fmt::format("{} -f -a {} -d {}\n", line, name, quoted(summary));
    }
    if (command.commands.empty()) {
      for (const std::string& word : words_of(command)) {
        text += fmt::format("{} -f -a {}\n", line, word);
      }
    }
    for (const ArgumentText& argument : command.arguments) {
      if (!argument.is_option()) continue;
      text += fmt::format("{} -l {}{} -d {}\n", line, argument.names.back().substr(2),
                          argument.value.empty() ? "" : " -r", quoted(argument.text));
    }
  }
  return text;
}

/// A line that begins with a dot or an apostrophe would be a request; "-" alone a hyphen.
std::string roff(const std::string& text) {
  const std::string clean = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
  return !clean.empty() && (clean.front() == '.' || clean.front() == '\'') ? "\\&" + clean : clean;
}

std::string man_page(const Texts& texts) {
  const CommandText& program = texts.front();
  std::string text = fmt::format(
      ".\\\" Made by `pencilbox generate man`.\n"
      ".TH PENCILBOX 1 \"\" \"pencilbox {}\" \"User commands\"\n"
      ".SH NAME\npencilbox \\- {}\n.SH SYNOPSIS\n.B {}\n.SH COMMANDS\n",
      PENCILBOX_VERSION, roff(program.summary), roff(program.usage));
  for (const CommandText& command : texts) {
    if (command.name == program.name) continue;
    text += fmt::format(".SS {}\n{}.\n.PP\n.B {}\n", roff(own_name(command)), roff(command.summary),
                        roff(command.usage));
    for (const ArgumentText& argument : command.arguments) {
      const std::string value = argument.value.empty() ? "" : " " + argument.value;
      text += fmt::format(".TP\n.B {}{}\n{}\n",
                          roff(fmt::format("{}", fmt::join(argument.names, ", "))), roff(value),
                          roff(argument.text));
    }
    if (!command.example.empty()) {
      text += fmt::format(".PP\nExample:\n.EX\n  {}\n.EE\n", roff(command.example));
    }
  }
  return text +
         ".SH EXIT STATUS\n"
         "0: done. 2: bad input. 3: the physics failed. 4: device, memory or disk failed.\n"
         "128 and a signal's number: stopped by it, after a checkpoint.\n"
         ".SH ENVIRONMENT\n"
         ".B OMP_NUM_THREADS\nsets the threads of the host.\n.B NO_COLOR\nturns colours off.\n"
         ".SH SEE ALSO\ndocs/user_guide.md in the source tree\n";
}

std::string markdown_page(const Texts& texts) {
  std::string text =
      "# Commands\n\n"
      "The program's own help. `./pencilbox --help` and `./pencilbox COMMAND --help`\n"
      "print it from here, without a build; `./pencilbox generate markdown` makes it.\n";
  for (const CommandText& command : texts) {
    text += fmt::format("\n## {}\n\n```text\n{}```\n", command.name, help_text(command));
  }
  return text;
}

struct Kind {
  std::string_view name;
  std::string (*make)(const Texts&);
};

constexpr std::array kinds{Kind{"bash", bash_completion}, Kind{"zsh", zsh_completion},
                           Kind{"fish", fish_completion}, Kind{"man", man_page},
                           Kind{"markdown", markdown_page}};

}  // namespace

std::string generated_text(const CLI::App& program, const std::string& what) {
  std::vector<std::string_view> names;
  for (const Kind& kind : kinds) {
    if (kind.name == what) return kind.make(command_texts(program));
    names.push_back(kind.name);
  }
  throw InputError(
      fmt::format("generate: no such text, got '{}', allowed: {}", what, fmt::join(names, ", ")));
}

}  // namespace pencilbox

#include "app/bench/bench_arguments.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "app/bench/measurement.hpp"
#include "app/commands/program.hpp"
#include "app/commands/provenance.hpp"
#include "io/input/complaint.hpp"
#include "io/input/nearest_name.hpp"
#include "io/input/number.hpp"
#include "io/output/terminal.hpp"

namespace pencilbox {

namespace {

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

std::vector<std::string> names_of(const std::vector<BackendInfo>& infos) {
  std::vector<std::string> names;
  for (const BackendInfo& info : infos) names.push_back(info.name);
  return names;
}

std::string read_option_value(const std::string& place, const OptionInfo& option,
                              const std::string& text) {
  const auto& choices = option.choices;
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return text;
  if (option.takes_integer()) {
    const auto number = parse_integer(text);
    if (number && *number >= option.minimum && *number <= option.maximum) {
      return std::to_string(*number);
    }
  }
  complain(place + ": " + option.name, "not a value of this option", text, allowed_values(option));
}

/// "key=value,key=value" over the defaults.
BackendOptions read_options(const std::string& place, const BackendInfo& info,
                            const std::string& text) {
  BackendOptions options = default_options(info);
  std::vector<std::string> names;
  for (const OptionInfo& option : info.options) names.push_back(option.name);
  std::vector<std::string> given;
  if (text.empty()) return options;
  for (const std::string& pair : split(text, ',')) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos) complain(place, "not an option", pair, "OPTION=VALUE");
    const std::string name = trimmed(std::string_view(pair).substr(0, equals));
    if (names.empty()) complain(place, "this back end has no options", name, "");
    const OptionInfo& option = info.options[read_name(place, name, names)];
    if (std::find(given.begin(), given.end(), name) != given.end()) {
      complain(place, "an option twice", name, "each once");
    }
    given.push_back(name);
    options[name] =
        read_option_value(place, option, trimmed(std::string_view(pair).substr(equals + 1)));
  }
  return options;
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::int32_t read_integer(const std::string& place, const std::string& text, std::int32_t least,
                          std::int32_t most) {
  const auto number = parse_integer(text);
  if (!number || *number < least || *number > most) {
    complain(place, "not an integer in range", quoted_input(text),
             fmt::format("{} to {}", least, most));
  }
  return static_cast<std::int32_t>(*number);
}

std::vector<std::int32_t> read_integers(const std::string& place, const std::string& text,
                                        std::int32_t least, std::int32_t most) {
  std::vector<std::int32_t> numbers;
  for (const std::string& part : split(text, ',')) {
    const std::int32_t number = read_integer(place, part, least, most);
    if (std::find(numbers.begin(), numbers.end(), number) != numbers.end()) {
      complain(place, "a number twice", part, "each once");
    }
    numbers.push_back(number);
  }
  return numbers;
}

std::vector<double> read_numbers(const std::string& place, const std::string& text, double least,
                                 double most) {
  std::vector<double> numbers;
  for (const std::string& part : split(text, ',')) {
    const auto number = parse_real(part);
    if (!number || !(*number >= least) || !(*number <= most)) {
      complain(place, "not a number in range", quoted_input(part),
               fmt::format("{} to {}", least, most));
    }
    if (std::find(numbers.begin(), numbers.end(), *number) != numbers.end()) {
      complain(place, "a number twice", part, "each once");
    }
    numbers.push_back(*number);
  }
  return numbers;
}

std::string or_usual(const std::string& text, const std::string& usual) {
  return text.empty() ? usual : text;
}

const DeviceApi& read_device(std::string_view command, const BenchArguments& arguments) {
  std::vector<std::string> names{"auto"};
  for (const DeviceApi* device : devices()) names.push_back(device->kind());
  return choose_device(
      names[read_name(std::string(command) + ": --device", arguments.device, names)]);
}

Result begin_result(const std::string& name, const std::string& title,
                    const BenchArguments& arguments, const DeviceApi& device) {
  Result result;
  result.name = name;
  result.title = title;
  const Provenance provenance = provenance_of(device, "");
  result.facts = facts_of(arguments.command, provenance);
  result.provenance = entries_of(provenance);
  return result;
}

ResultFiles bench_files(const std::string& command, const BenchArguments& arguments,
                        const std::string& page, std::vector<std::string> tables,
                        std::vector<std::string> plots) {
  return ResultFiles({command + ": --output",
                      arguments.output,
                      std::move(tables),
                      std::move(plots),
                      page,
                      arguments.overwrite,
                      {}});
}

namespace {

/// "pencilbox 0.1.0 (75446eeabcde), 2026-03-01T12:00:00Z, run 0f8f22c1": the rest is in the files.
std::string origin_line(const NamedTexts& provenance) {
  const auto value = [&](const std::string& wanted) {
    for (const auto& [name, text] : provenance) {
      if (name == wanted) return text;
    }
    return std::string();
  };
  if (provenance.empty()) return {};
  const std::string commit = value("commit"), run = value("run_identifier");
  return fmt::format("pencilbox {}{}, {}, run {}\n", value("version"),
                     commit.empty() ? "" : " (" + commit + ")", value("date"),
                     run.substr(0, run.find('-')));
}

}  // namespace

void print_result(const Result& result) {
  std::string text = result.title + "\n";
  for (const auto& [name, value] : result.facts) {
    if (name == "device") text += value + "\n";
  }
  text += origin_line(result.provenance);
  for (const ResultTable& table : result.tables) {
    text += "\n" + table.caption + "\n" + screen_text(table, terminal_width(STDOUT_FILENO));
  }
  text += "\n";
  for (const std::string& note : result.notes) text += "- " + note + "\n";
  print(text);
}

std::size_t read_name(const std::string& place, const std::string& name,
                      const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const auto nearest = nearest_name(name, names);
  complain(place, nearest ? "unknown name (did you mean " + *nearest + "?)" : "unknown name",
           quoted_input(name), fmt::format("{}", fmt::join(names, ", ")));
}

std::vector<BackendChoice> read_backends(const std::string& command, const std::string& names,
                                         const std::string& options,
                                         const std::vector<BackendInfo>& known) {
  const std::string options_place = command + ": --options";
  const std::string backends_place = command + ": --backends";
  const std::vector<std::string> known_names = names_of(known);
  std::vector<std::size_t> chosen;
  for (const std::string& name : names.empty() ? known_names : split(names, ',')) {
    chosen.push_back(read_name(backends_place, name, known_names));
    if (std::count(chosen.begin(), chosen.end(), chosen.back()) > 1) {
      complain(backends_place, "a back end twice", name, "each once; --options may name it again");
    }
  }
  std::vector<std::vector<BackendOptions>> variants(known.size());
  for (const std::string& section :
       options.empty() ? std::vector<std::string>{} : split(options, ';')) {
    const std::size_t colon = section.find(':');
    const std::string name = trimmed(std::string_view(section).substr(0, colon));
    const std::size_t index = read_name(options_place, name, known_names);
    if (std::find(chosen.begin(), chosen.end(), index) == chosen.end()) {
      complain(options_place, "a back end that is not among --backends", name, names);
    }
    const std::string text = colon == std::string::npos ? "" : trimmed(section.substr(colon + 1));
    variants[index].push_back(read_options(options_place + ": " + name, known[index], text));
  }
  std::vector<BackendChoice> choices;
  for (const std::size_t index : chosen) {
    if (variants[index].empty()) variants[index].push_back(default_options(known[index]));
    for (const BackendOptions& variant : variants[index]) {
      choices.push_back({known[index].name, variant});
    }
  }
  return choices;
}

std::string options_text(const BackendChoice& choice) {
  std::vector<std::string> options;
  for (const auto& [name, value] : choice.options) options.push_back(name + "=" + value);
  return fmt::format("{}", fmt::join(options, " "));
}

std::string describe(const BackendChoice& choice, const std::vector<BackendInfo>& known) {
  std::string text = choice.name;
  for (const BackendInfo& info : known) {
    if (info.name != choice.name) continue;
    for (const OptionInfo& option : info.options) {
      const std::string& value = choice.options.at(option.name);
      if (value != option.default_value) text += " " + option.name + "=" + value;
    }
  }
  return text;
}

}  // namespace pencilbox

// `pencilbox backends [NAME]`: what there is, and the options of one.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands/program.hpp"
#include "app/engine/simulation.hpp"
#include "core/error.hpp"

namespace pencilbox {

std::string allowed_values(const OptionInfo& option) {
  std::vector<std::string> values = option.choices;
  if (option.takes_integer()) {
    values.push_back(fmt::format("{} to {}", option.minimum, option.maximum));
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

namespace {

/// Of this build, those that have it.
std::vector<std::string> devices_of(const BackendInfo& info) {
  std::vector<std::string> kinds;
  for (const DeviceApi* device : devices()) {
    for (const BackendInfo& one : device->backends()) {
      if (one.name == info.name) kinds.push_back(device->kind());
    }
  }
  return kinds;
}

std::string describe(const BackendInfo& info) {
  std::string text = fmt::format("{}: {}\nsource: {}\ndevices: {}\n", info.name, info.summary,
                                 info.source, fmt::join(devices_of(info), ", "));
  if (info.options.empty()) return text + "options: none\n";
  text += "options:\n";
  for (const OptionInfo& option : info.options) {
    text += fmt::format("  {:16} {} (default {}; allowed: {})\n", option.name, option.description,
                        option.default_value, allowed_values(option));
  }
  return text;
}

}  // namespace

void backends_command(const std::string& name) {
  const std::vector<BackendInfo> infos = build_catalogue().backends;
  std::string list;
  std::vector<std::string> names;
  for (const BackendInfo& info : infos) {
    if (info.name == name) return print(describe(info));
    list += fmt::format("{:18} {}\n", info.name, info.summary);
    names.push_back(info.name);
  }
  if (!name.empty()) {
    throw InputError(fmt::format("backends: unknown back end, got '{}', allowed: {}", name,
                                 fmt::join(names, ", ")));
  }
  print(list);
}

}  // namespace pencilbox

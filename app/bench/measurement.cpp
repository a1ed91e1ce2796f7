#include "app/bench/measurement.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>
#include <limits>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

namespace pencilbox {
namespace {

std::string quoted(const std::string& word) {
  const bool plain =
      !word.empty() && word.find_first_of(" ;&|<>()$`\\\"'*?[]#~!{}") == std::string::npos;
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  if (values.empty()) return {nothing, nothing, nothing};
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
  return {median, values.front(), values.back()};
}

std::vector<std::pair<std::string, std::string>> facts_of(const std::string& command,
                                                          const DeviceProperties& device) {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return {{"command", command},
          {"date", fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(now))},
          {"device", device.kind + ": " + device.name},
          {"driver", device.driver.empty() ? "none" : device.driver},
          {"compiler", device.compiler},
          {"pencilbox", PENCILBOX_VERSION}};
}

std::string command_line(int argc, const char* const* argv) {
  std::string line = "pencilbox";
  for (int k = 1; k < argc; ++k) line += " " + quoted(argv[k]);
  return line;
}

std::function<void(const std::string&)> terminal_teller() {
  if (isatty(STDERR_FILENO) != 1) return [](const std::string&) {};
  return [](const std::string& text) { std::cerr << "\r\x1b[K" << text << std::flush; };
}

}  // namespace pencilbox

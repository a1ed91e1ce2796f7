#include "app/bench/measurement.hpp"

#include <algorithm>
#include <iostream>
#include <limits>

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

NamedTexts facts_of(const std::string& command, const Provenance& provenance) {
  NamedTexts facts{{"command", command}};
  for (auto& entry : entries_of(provenance)) {
    if (!entry.second.empty()) facts.push_back(std::move(entry));
  }
  return facts;
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

#include "io/input/line_reader.hpp"

#include <fmt/format.h>

namespace pencilbox {
namespace {

constexpr std::string_view blanks = " \t\r\v\f";

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

Words split(std::string_view line) {
  Words words;
  std::size_t at = line.find_first_not_of(blanks);
  while (at != std::string_view::npos) {
    const std::size_t end = line.find_first_of(blanks, at);
    if (words.count < Words::most) words.word[words.count] = line.substr(at, end - at);
    if (++words.count > Words::most || end == std::string_view::npos) break;
    at = line.find_first_not_of(blanks, end);
  }
  return words;
}

bool LineReader::next() {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  line_ = rest_.substr(0, end);
  rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
  ++number_;
  return true;
}

bool LineReader::next_filled(char comment) {
  while (next()) {
    const std::size_t at = comment == 0 ? std::string_view::npos : line_.find(comment);
    comment_ = at == std::string_view::npos ? std::string_view{} : trimmed(line_.substr(at + 1));
    line_ = trimmed(line_.substr(0, at));
    if (!line_.empty()) return true;
  }
  return false;
}

std::string LineReader::place(std::string_view key) const {
  return key.empty() ? fmt::format("{}:{}", name_, number_)
                     : fmt::format("{}:{}: {}", name_, number_, key);
}

}  // namespace pencilbox

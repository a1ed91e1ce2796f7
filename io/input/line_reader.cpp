#include "io/input/line_reader.hpp"

#include <fmt/format.h>

namespace pencilbox {
namespace {

/// A loop over this is several times faster than find_first_of, and files are long.
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

Words split(std::string_view line) {
  Words words;
  std::size_t at = 0;
  while (words.count <= Words::most) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size()) break;
    const std::size_t first = at;
    while (at < line.size() && !is_blank(line[at])) ++at;
    if (words.count < Words::most) words.word[words.count] = line.substr(first, at - first);
    ++words.count;
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

#include "io/input/row_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "io/input/complaint.hpp"
#include "io/input/number.hpp"

namespace pencilbox {

double real_in_row(const LineReader& lines, std::string_view key, std::string_view word) {
  const std::optional<double> value = parse_real(word);
  if (!value) {
    complain(lines.place(key), "not a finite number",
             fmt::format("{} in \"{}\"", word, trimmed(lines.line())), "a real number");
  }
  return *value;
}

std::int64_t integer_in_row(const LineReader& lines, std::string_view key, std::string_view word) {
  const std::optional<std::int64_t> value = parse_integer(word);
  if (!value) complain(lines.place(key), "not an integer", word, "an integer");
  return *value;
}

Double3 vector_in_row(const LineReader& lines, std::string_view key, const Words& words,
                      std::size_t first) {
  return {real_in_row(lines, key, words[first]), real_in_row(lines, key, words[first + 1]),
          real_in_row(lines, key, words[first + 2])};
}

Image image_in_row(const LineReader& lines, std::string_view key, const Words& words,
                   std::size_t first) {
  constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  Image image{};
  for (std::size_t d = 0; d < 3; ++d) {
    const std::optional<std::int64_t> flag = parse_integer(words[first + d]);
    if (!flag || *flag < least || *flag > most) {
      complain(lines.place(key), flag ? "out of range" : "not an integer", words[first + d],
               fmt::format("an integer from {} to {}", least, most));
    }
    image[d] = static_cast<std::int32_t>(*flag);
  }
  return image;
}

double mass_in_row(const LineReader& lines, std::string_view key, std::string_view word) {
  const double mass = real_in_row(lines, key, word);
  if (mass < 1e-6 || mass > 1e6) {
    complain(lines.place(key), "out of range", word, "a mass from 1e-06 to 1e+06");
  }
  return mass;
}

void require_columns(const LineReader& lines, std::string_view key, const Words& words,
                     std::initializer_list<std::size_t> allowed, std::string_view layout) {
  if (std::find(allowed.begin(), allowed.end(), words.count) != allowed.end()) return;
  complain(lines.place(key), "wrong number of columns",
           fmt::format("{} in \"{}\"", words.count, trimmed(lines.line())),
           fmt::format("{}: {}", fmt::join(allowed, " or "), layout));
}

void require_box_corner(double corner, const std::string& place) {
  constexpr double farthest = 1e9;  // a double still resolves 1e-7 sigma there
  if (std::abs(corner) <= farthest) return;
  complain(place, "a corner of the box so far from the origin that its digits are lost",
           fmt::format("{}", corner), fmt::format("{} to {} sigma", -farthest, farthest));
}

void set_box_side(Box& box, std::size_t d, double low, double high, const std::string& place) {
  constexpr double smallest = 1e-3;
  constexpr double largest = 1e7;
  require_box_corner(low, place);
  require_box_corner(high, place);
  const double edge = high - low;
  if (!(edge >= smallest && edge <= largest)) {
    complain(place, "no box side", fmt::format("{} to {}", low, high),
             fmt::format("lo < hi, a side from {} to {} sigma", smallest, largest));
  }
  box.lower[d] = low;
  box.edges[d] = edge;
}

void refuse_impossible_count(const LineReader& lines, std::int64_t count, std::int64_t bytes) {
  constexpr std::int64_t shortest_row = 8;  // "A 0 0 0" and a line end
  if (count > bytes / shortest_row) {
    complain(lines.place("atoms"), "file ends too early", fmt::format("{} bytes", bytes),
             fmt::format("rows for {} atoms", count));
  }
}

}  // namespace pencilbox

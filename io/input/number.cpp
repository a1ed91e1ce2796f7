#include "io/input/number.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

namespace pencilbox {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// from_chars knows no plus sign; one is taken off, but not from "+-1".
std::string_view without_plus(std::string_view text) {
  const bool plus = text.size() > 1 && text[0] == '+' && (is_digit(text[1]) || text[1] == '.');
  return plus ? text.substr(1) : text;
}

template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace

bool has_leading_zero(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0' && is_digit(text[1]);
}

std::optional<double> parse_real(std::string_view text) {
  if (has_leading_zero(text)) return std::nullopt;
  const std::optional<double> value = parse_whole<double>(without_plus(text));
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (has_leading_zero(text)) return std::nullopt;
  if (const auto exact = parse_whole<std::int64_t>(without_plus(text))) return exact;
  const std::optional<double> real = parse_real(text);
  if (!real || std::trunc(*real) != *real || std::abs(*real) > 0x1p53) return std::nullopt;
  return static_cast<std::int64_t>(*real);
}

}  // namespace pencilbox

// A start file's text line by line, in place: no copies, any line end.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace pencilbox {

/// Words of one line; a line with more than `most` words has `count` = most + 1.
struct Words {
  static constexpr std::size_t most = 24;
  std::array<std::string_view, most> word{};
  std::size_t count = 0;

  std::string_view operator[](std::size_t i) const { return word[i]; }
};

Words split(std::string_view line);

class LineReader {
 public:
  LineReader(std::string_view text, std::string name) : rest_(text), name_(std::move(name)) {}

  /// Goes to the next line; false at the end of the text.
  bool next();
  /// Goes to the next line that is not blank; `comment` (0: none) starts a comment up to its end.
  bool next_filled(char comment);

  /// The line without its end; after next_filled, without its comment and surrounding blanks.
  std::string_view line() const { return line_; }
  /// What stood behind the comment character, without surrounding blanks.
  std::string_view comment() const { return comment_; }
  int number() const { return number_; }
  const std::string& name() const { return name_; }

  /// "file.data:12", with ": key" if there is one.
  std::string place(std::string_view key = {}) const;

 private:
  std::string_view rest_;
  std::string_view line_;
  std::string_view comment_;
  int number_ = 0;
  std::string name_;
};

/// Without blanks at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace pencilbox

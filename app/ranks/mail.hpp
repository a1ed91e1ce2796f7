// What ranks send each other between two phases of a step: rows, as bytes.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/in_pieces.hpp"
#include "core/pages.hpp"

namespace pencilbox {

/// Rows of one type, from a rank to another.
class Letter {
 public:
  Letter() = default;
  explicit Letter(LargeVector<std::byte> bytes) : bytes_(std::move(bytes)) {}

  template <class Row>
  static Letter of(const Row& row) {
    Letter letter;
    letter.append(row);
    return letter;
  }
  static Letter of_text(const std::string& text) {
    const auto* const first = reinterpret_cast<const std::byte*>(text.data());
    return Letter(LargeVector<std::byte>(first, first + text.size()));
  }

  template <class Row>
  void append(const Row& row) {
    static_assert(std::is_trivially_copyable_v<Row>);
    const auto* const bytes = reinterpret_cast<const std::byte*>(&row);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof(Row));
  }

  /// Its rows, to be written in place.
  template <class Row>
  Row* make_room_for(std::size_t rows) {
    static_assert(std::is_trivially_copyable_v<Row>);
    bytes_ = large_vector<std::byte>(rows * sizeof(Row));
    return reinterpret_cast<Row*>(bytes_.data());
  }

  template <class Row, class Allocator>
  void append_all(const std::vector<Row, Allocator>& rows) {
    static_assert(std::is_trivially_copyable_v<Row>);
    const auto* const bytes = reinterpret_cast<const std::byte*>(rows.data());
    bytes_.insert(bytes_.end(), bytes, bytes + rows.size() * sizeof(Row));
  }

  template <class Row>
  LargeVector<Row> rows() const {
    static_assert(std::is_trivially_copyable_v<Row>);
    auto rows = large_vector<Row>(bytes_.size() / sizeof(Row));
    const Row* const from = reinterpret_cast<const Row*>(bytes_.data());
    for_each_piece(static_cast<std::int64_t>(rows.size()),
                   [&](std::int64_t begin, std::int64_t end) {
                     std::memcpy(rows.data() + begin, from + begin,
                                 static_cast<std::size_t>(end - begin) * sizeof(Row));
                   });
    return rows;
  }
  std::string text() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }

  bool empty() const { return bytes_.empty(); }
  const LargeVector<std::byte>& bytes() const { return bytes_; }

 private:
  LargeVector<std::byte> bytes_;
};

/// A letter for each rank, or from each.
using Mail = std::vector<Letter>;

}  // namespace pencilbox

// What ranks send each other between two phases of a step: rows, as bytes.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace pencilbox {

/// Rows of one type, from a rank to another.
class Letter {
 public:
  template <class Row>
  void append(const Row& row) {
    static_assert(std::is_trivially_copyable_v<Row>);
    const auto* const bytes = reinterpret_cast<const std::byte*>(&row);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof(Row));
  }

  template <class Row>
  std::vector<Row> rows() const {
    static_assert(std::is_trivially_copyable_v<Row>);
    std::vector<Row> rows(bytes_.size() / sizeof(Row));
    if (!rows.empty()) std::memcpy(rows.data(), bytes_.data(), bytes_.size());
    return rows;
  }

 private:
  std::vector<std::byte> bytes_;
};

/// A letter for each rank, or from each.
using Mail = std::vector<Letter>;

/// Delivers what ranks of one process have for each other: `posted[from][to]` becomes
/// `delivered[to][from]`.
inline std::vector<Mail> delivered(std::vector<Mail> posted) {
  std::vector<Mail> arrived(posted.size(), Mail(posted.size()));
  for (std::size_t from = 0; from < posted.size(); ++from) {
    for (std::size_t to = 0; to < posted.size(); ++to) {
      arrived[to][from] = std::move(posted[from][to]);
    }
  }
  return arrived;
}

}  // namespace pencilbox

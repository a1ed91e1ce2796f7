// Rows of all particles on their way to the ranks that own their cells.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "app/ranks/decomposition.hpp"
#include "app/ranks/mail.hpp"
#include "core/in_pieces.hpp"

namespace pencilbox {

/// A letter to each owner, of rows in their order: by all cores, each with a stretch of rows.
template <class Row>
Mail dealt_out(const LargeVector<Row>& rows, const Decomposition& decomposition) {
  using Counts = std::vector<std::size_t>;
  const auto ranks = static_cast<std::size_t>(decomposition.ranks());
  const auto count = static_cast<std::int64_t>(rows.size());
  std::vector<int> owner(rows.size());
  std::vector<Counts> places = of_each_piece<Counts>(count, [&](auto begin, auto end) {
    Counts of_rank(ranks);
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      owner[i] = decomposition.owner_of(rows[i].cell);
      ++of_rank[static_cast<std::size_t>(owner[i])];
    }
    return of_rank;
  });
  Counts total(ranks);
  for (Counts& of_rank : places) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      total[rank] += std::exchange(of_rank[rank], total[rank]);
    }
  }
  Mail letters(ranks);
  std::vector<Row*> room(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    room[rank] = letters[rank].make_room_for<Row>(total[rank]);
  }
  for_each_piece(count, [&](std::int64_t begin, std::int64_t end) {
    Counts& place = places[static_cast<std::size_t>(begin / particles_of_a_piece)];
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const auto rank = static_cast<std::size_t>(owner[i]);
      room[rank][place[rank]++] = rows[i];
    }
  });
  return letters;
}

}  // namespace pencilbox

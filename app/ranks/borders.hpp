// While a list lasts particles keep their rows, and so do their copies on other ranks: all that
// travels in a step is where they are now. Who is shown to whom, and in which order, is noted when
// the list is made; positions then go in the same order, without names or cells.
#pragma once

#include <vector>

#include "app/ranks/mailbox.hpp"
#include "core/arrival.hpp"
#include "core/step_control.hpp"
#include "neighbor/walks/index_range.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// By rank that sees them: rows of one's own whose copies are there.
struct BordersView {
  const Index* first;  ///< [ranks + 1] of the places of a rank
  Index* row;          ///< [places]
  Index* count;        ///< [ranks] of the places that are used
  Index ranks;

  PENCILBOX_DEVICE_FUNCTION void note(int to, Index k, Index i) const {
    if (k < first[to + 1] - first[to]) row[first[to] + k] = i;
  }
};

/// Copies of these particles have gone; their rows have become others since.
struct FollowRows {
  static constexpr const char* name = "ranks: follow rows";
  BordersView borders;
  const Index* place;           ///< [rows] where each is now
  const LetterSize* last_sent;  ///< [ranks]

  PENCILBOX_DEVICE_FUNCTION void operator()(Index slot) const {
    Index to = 0;
    while (borders.first[to + 1] <= slot) ++to;
    const Index k = slot - borders.first[to];
    const Index used = smaller(last_sent[to].ghosts, borders.first[to + 1] - borders.first[to]);
    if (k == 0) borders.count[to] = used;
    if (k < used) borders.row[slot] = place[borders.row[slot]];
  }
};

template <class Precision>
struct SendPositions {
  static constexpr const char* name = "ranks: send positions";
  BordersView borders;
  const LetterRows<Precision>* letters;  ///< [ranks]
  Vec3View<const typename Precision::State> position;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index slot) const {
    Index to = 0;
    while (borders.first[to + 1] <= slot) ++to;
    const Index k = slot - borders.first[to];
    if (k < borders.count[to]) letters[to].store_position(k, position[borders.row[slot]]);
  }
};

/// Where copies are now, of those that are there. They are under watch as on their owner's rank:
/// the strays among them may be partners of particles that their owner does not see.
template <class Precision>
struct TakePositions {
  static constexpr const char* name = "ranks: take positions";

  Arrived<Precision> arrived;
  const Index* place;  ///< [slots] row of each copy
  UnderWatch<Precision> watch;
  std::int32_t unit;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index slot) const {
    Index kind = 0;
    while (kind + 1 < arrived.count && arrived.kinds[kind + 1].first_slot <= slot) ++kind;
    const ArrivedRows<Precision>& rows = arrived.kinds[kind];
    const Index k = slot - rows.first_slot;
    if (!rows.are_ghosts || k >= rows.letter.size->ghosts) return;
    watch(place[slot], rows.letter.position(k), unit);
  }
};

/// The memory of it.
class Borders {
 public:
  /// Of letters with this room for copies, by rank; where rows and slots are as many.
  void reserve(const std::vector<LetterSize>& rooms, Index rows, Stream& stream) {
    std::vector<Index> first{0};
    for (const LetterSize& room : rooms) first.push_back(first.back() + room.ghosts);
    places_ = first.back();
    first_.upload(first, stream);
    row_.resize(places_);
    count_.resize(static_cast<std::int64_t>(rooms.size()));
    count_.fill_bytes(0, stream);
    place_.resize(rows);
  }

  BordersView view() {
    return {first_.data(), row_.data(), count_.data(), static_cast<Index>(count_.size())};
  }
  /// Positions that may have to be sent.
  Index places() const { return places_; }
  /// Of the rows that were ordered last.
  Index* place_of_rows() { return place_.data(); }

 private:
  Index places_ = 0;
  Buffer<Index> first_, row_, count_, place_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE

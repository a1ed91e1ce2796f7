#include "app/ranks/mailbox.hpp"

#include <algorithm>
#include <cstring>

#include "core/device/flags.hpp"
#include "core/precision.hpp"
#include "neighbor/walks/index_range.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// Of a letter in an inbox: whole lines of a GPU's memory.
constexpr std::size_t alignment = 128;

std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// Each letter gets its size and, where it lies at its receiver already, its flag.
template <class Precision>
struct CloseLetters {
  static constexpr const char* name = "ranks: close letters";
  const LetterRows<Precision>* letters;
  LetterSize* written;
  LetterSize* wanted;
  LetterSize* last_sent;
  Signal* const* signals;
  std::uint32_t exchange;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index rank) const {
    const LetterSize size = written[rank];
    written[rank] = {};
    last_sent[rank] = size;
    wanted[rank] = {larger(wanted[rank].emigrants, size.emigrants),
                    larger(wanted[rank].ghosts, size.ghosts)};
    const LetterRows<Precision>& letter = letters[rank];
    if (letter.size != nullptr) {
      *letter.size = {smaller(size.emigrants, letter.room.emigrants),
                      smaller(size.ghosts, letter.room.ghosts)};
    }
    if (signals[rank] != nullptr) raise_flag(&signals[rank]->flag, exchange);
  }
};

struct WaitForLetters {
  static constexpr const char* name = "ranks: wait for letters";
  Signal* const* signals;
  std::uint32_t exchange;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index rank) const {
    if (signals[rank] != nullptr) wait_for_flag(&signals[rank]->flag, exchange);
  }
};

template <class Precision>
struct ClosePositions {
  static constexpr const char* name = "ranks: close positions";
  const LetterRows<Precision>* letters;
  const Index* counts;
  Signal* const* signals;
  std::uint32_t exchange;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index rank) const {
    const LetterRows<Precision>& letter = letters[rank];
    if (letter.size != nullptr) *letter.size = {0, counts[rank]};
    if (signals[rank] != nullptr) raise_flag(&signals[rank]->flag, exchange);
  }
};

struct TellIfDue {
  static constexpr const char* name = "ranks: tell whether a list is due";
  const StepControl* control;
  Signal* const* signals;
  std::uint32_t exchange;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index rank) const {
    if (signals[rank] == nullptr) return;
    if (control->due != 0) signals[rank]->due = exchange;
    raise_flag(&signals[rank]->told, exchange);
  }
};

struct HearIfDue {
  static constexpr const char* name = "ranks: hear whether a list is due";
  Signal* const* signals;
  std::uint32_t exchange;
  StepControl* control;
  std::int32_t unit;
  std::int32_t* heard;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index rank) const {
    if (!is_due(signals[rank])) return;
    atomic_min(&control->limit, unit);
    atomic_max(&control->due, std::int32_t{1});
    *heard = unit;
  }

  /// By what that rank says; this one, who has no signal, knows by itself.
  PENCILBOX_DEVICE_FUNCTION bool is_due(Signal* signal) const {
    if (signal == nullptr) return control->due != 0;
    wait_for_flag(&signal->told, exchange);
    return look_at(&signal->due) == exchange;
  }
};

template <class Tell, class Hear>
struct TellAndHear {
  static constexpr const char* name = Hear::name;
  Tell tell;
  Hear hear;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index rank) const {
    tell(rank);
    hear(rank);
  }
};

template <class Tell, class Hear>
void take_turn(Turn turn, Stream& stream, Index ranks, const Tell& tell, const Hear& hear) {
  if (turn == Turn::both) return for_each(stream, ranks, TellAndHear<Tell, Hear>{tell, hear});
  turn == Turn::tell ? for_each(stream, ranks, tell) : for_each(stream, ranks, hear);
}

/// Some more than was wanted, so that not every fluctuation makes room anew: layers of a crystal
/// that melts fill unevenly.
Index with_reserve(Index rows) { return rows == 0 ? 0 : rows + rows / 4 + 16; }

/// Of particles in a layer of cells few change it in a step, and some while a list lasts.
Index likely_emigrants(Index ghosts) { return ghosts == 0 ? 0 : ghosts / 8 + 16; }

}  // namespace

template <class Precision>
Mailbox<Precision>::Mailbox(int rank, int ranks, Stream& stream)
    : rank_(rank),
      ranks_(static_cast<std::size_t>(ranks)),
      stream_(stream),
      rooms_(ranks_),
      coming_(ranks_),
      out_at_(ranks_),
      in_at_(ranks_) {
  written_.resize(ranks);
  wanted_.resize(ranks);
  last_sent_.resize(ranks);
  expect(coming_);  // nothing: letters are counted before there is room for any
  connect_by_host();
}

template <class Precision>
std::vector<LetterSize> Mailbox<Precision>::wanted() {
  return wanted_.download(stream_);
}

template <class Precision>
bool Mailbox<Precision>::has_room_for(const std::vector<LetterSize>& wanted) const {
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    if (wanted[rank].emigrants > rooms_[rank].emigrants) return false;
    if (wanted[rank].ghosts > rooms_[rank].ghosts) return false;
  }
  return true;
}

/// Who emigrates is seen by its old rank as a ghost, as a rule: the letter to oneself.
template <class Precision>
void Mailbox<Precision>::make_room(const std::vector<LetterSize>& wanted) {
  const auto self = static_cast<std::size_t>(rank_);
  Index emigrants = 0;
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    LetterSize& room = rooms_[rank];
    if (wanted[rank].ghosts > room.ghosts) room.ghosts = with_reserve(wanted[rank].ghosts);
    if (wanted[rank].emigrants > room.emigrants) {
      room.emigrants = with_reserve(wanted[rank].emigrants);
    }
    if (rank == self) continue;
    room.emigrants = std::max(room.emigrants, likely_emigrants(wanted[rank].ghosts));
    emigrants += room.emigrants;
  }
  rooms_[self].ghosts = std::max(rooms_[self].ghosts, emigrants);
}

template <class Precision>
bool Mailbox<Precision>::exchanges_with(std::size_t rank) const {
  return rooms_[rank].rows() > 0 || coming_[rank].rows() > 0;
}

template <class Precision>
void Mailbox<Precision>::expect(const std::vector<LetterSize>& coming) {
  coming_ = coming;
  places_.assign(ranks_, {});
  std::size_t bytes = 0;
  const auto take = [&](std::size_t wanted) {
    const std::size_t at = bytes;
    bytes += aligned(wanted);
    return at;
  };
  for (std::size_t from = 0; from < ranks_; ++from) {
    places_[from].signal = take(sizeof(Signal));
    if (!exchanges_with(from)) continue;
    const std::size_t letter = Rows::bytes(coming_[from]);
    places_[from].even = take(letter);
    places_[from].odd = take(letter);
  }
  inbox_ = {};  // before the new one
  inbox_ = OpenMemory(std::max(bytes, alignment));

  std::array<std::vector<ArrivedRows<Precision>>, 2> kinds;
  slots_ = 0;
  for (std::size_t from = 0; from < ranks_; ++from) {
    places_[from].data = inbox_.data();
    if (!exchanges_with(from)) continue;
    const Rows even(inbox_.data() + places_[from].even, coming_[from]);
    const Rows odd(inbox_.data() + places_[from].odd, coming_[from]);
    for (const bool ghosts : {false, true}) {
      kinds[0].push_back({slots_, ghosts, even});
      kinds[1].push_back({slots_, ghosts, odd});
      slots_ += ghosts ? coming_[from].ghosts : coming_[from].emigrants;
    }
  }
  kinds_[0].upload(kinds[0], stream_);
  kinds_[1].upload(kinds[1], stream_);
}

template <class Precision>
Letter Mailbox<Precision>::address_for(int rank) const {
  Letter letter = Letter::of(places_[static_cast<std::size_t>(rank)]);
  if (const auto key = inbox_.key()) {
    for (const std::byte byte : *key) letter.append(byte);
  }
  return letter;
}

template <class Precision>
void Mailbox<Precision>::connect_directly(const Mail& addresses,
                                          const std::vector<int>& ranks_of_this_process) {
  const auto self = static_cast<std::size_t>(rank_);
  std::array<std::vector<Rows>, 2> letters{std::vector<Rows>(ranks_), std::vector<Rows>(ranks_)};
  std::vector<Signal*> signals(ranks_, nullptr), own_signals(ranks_, nullptr);
  for (std::size_t to = 0; to < ranks_; ++to) {
    const LargeVector<std::byte>& bytes = addresses[to].bytes();
    Address address;
    std::memcpy(&address, bytes.data(), sizeof address);
    std::byte* begin = address.data;
    if (!std::count(ranks_of_this_process.begin(), ranks_of_this_process.end(),
                    static_cast<int>(to))) {
      const MemoryKey key(bytes.begin() + sizeof address, bytes.end());
      peers_.push_back(std::make_unique<PeerMemory>(key));
      begin = peers_.back()->data();
    }
    if (to != self) {
      signals[to] = reinterpret_cast<Signal*>(begin + address.signal);
      own_signals[to] = reinterpret_cast<Signal*>(inbox_.data() + places_[to].signal);
    }
    if (!exchanges_with(to)) continue;
    letters[0][to] = Rows(begin + address.even, rooms_[to]);
    letters[1][to] = Rows(begin + address.odd, rooms_[to]);
  }
  own_signals_.upload(own_signals, stream_);
  set_out(letters, signals);
}

/// A letter to oneself needs no post.
template <class Precision>
void Mailbox<Precision>::connect_by_host() {
  const auto self = static_cast<std::size_t>(rank_);
  std::size_t out_bytes = 0, in_bytes = 0;
  for (std::size_t other = 0; other < ranks_; ++other) {
    if (other == self || !exchanges_with(other)) continue;
    out_at_[other] = out_bytes;
    in_at_[other] = in_bytes;
    out_bytes += aligned(Rows::bytes(rooms_[other]));
    in_bytes += aligned(Rows::bytes(coming_[other]));
  }
  outbox_.resize(static_cast<std::int64_t>(out_bytes));
  outbox_.fill_bytes(0, stream_);  // it is copied as a whole
  going_.resize(out_bytes);
  coming_copy_.resize(in_bytes);
  std::array<std::vector<Rows>, 2> letters{std::vector<Rows>(ranks_), std::vector<Rows>(ranks_)};
  for (std::size_t to = 0; to < ranks_; ++to) {
    if (!exchanges_with(to)) continue;
    for (const std::size_t odd : {0U, 1U}) {
      const std::size_t at = odd == 1 ? places_[to].odd : places_[to].even;
      std::byte* const begin = to == self ? inbox_.data() + at : outbox_.data() + out_at_[to];
      letters[odd][to] = Rows(begin, rooms_[to]);
    }
  }
  const std::vector<Signal*> none(ranks_, nullptr);
  own_signals_.upload(none, stream_);
  set_out(letters, none);
}

template <class Precision>
void Mailbox<Precision>::set_out(const std::array<std::vector<Rows>, 2>& letters,
                                 const std::vector<Signal*>& signals) {
  letters_[0].upload(letters[0], stream_);
  letters_[1].upload(letters[1], stream_);
  signals_of_others_.upload(signals, stream_);
  written_.fill_bytes(0, stream_);
  wanted_.fill_bytes(0, stream_);
  exchange_ = 0;  // as all ranks do
}

template <class Precision>
Outgoing<Precision> Mailbox<Precision>::outgoing(LetterOf what) {
  ++exchange_;
  what_ = what;
  return {letters_[half()].data(), written_.data()};
}

template <class Precision>
void Mailbox<Precision>::send() {
  for_each(stream_, static_cast<Index>(ranks_),
           CloseLetters<Precision>{letters_[half()].data(), written_.data(), wanted_.data(),
                                   last_sent_.data(), signals_of_others_.data(), exchange_});
}

template <class Precision>
void Mailbox<Precision>::wait() {
  for_each(stream_, static_cast<Index>(ranks_), WaitForLetters{own_signals_.data(), exchange_});
}

template <class Precision>
void Mailbox<Precision>::exchange_positions(Turn turn, const Index* counts, Stream& stream) {
  const ClosePositions<Precision> close{letters_[half()].data(), counts, signals_of_others_.data(),
                                        exchange_};
  take_turn(turn, stream, static_cast<Index>(ranks_), close,
            WaitForLetters{own_signals_.data(), exchange_});
}

template <class Precision>
void Mailbox<Precision>::agree_if_due(Turn turn, StepControl* control, std::int32_t unit,
                                      std::int32_t* heard) {
  take_turn(turn, stream_, static_cast<Index>(ranks_),
            TellIfDue{control, signals_of_others_.data(), exchange_},
            HearIfDue{own_signals_.data(), exchange_, control, unit, heard});
}

/// Of a letter of so many ghosts, or positions of them.
template <class Precision>
std::size_t Mailbox<Precision>::bytes_of(const LetterSize& room, Index ghosts) const {
  return what_ == LetterOf::positions ? Rows::bytes_of_positions(room, ghosts)
                                      : Rows::bytes_used(room, ghosts);
}

template <class Precision>
void Mailbox<Precision>::bring_out(std::vector<Parcel>& going, std::vector<Parcel>& coming) {
  memory::copy(going_.data(), outbox_.data(), static_cast<std::size_t>(outbox_.size()), stream_);
  stream_.synchronize();
  for (std::size_t other = 0; other < ranks_; ++other) {
    const int number = static_cast<int>(other);
    if (number == rank_ || !exchanges_with(other)) continue;
    std::byte* const letter = going_.data() + out_at_[other];
    LetterSize size;
    std::memcpy(&size, letter, sizeof size);
    going.push_back({rank_, number, letter, bytes_of(rooms_[other], size.ghosts)});
    coming.push_back(
        {rank_, number, coming_copy_.data() + in_at_[other], Rows::bytes(coming_[other])});
  }
}

template <class Precision>
void Mailbox<Precision>::bring_in() {
  for (std::size_t from = 0; from < ranks_; ++from) {
    if (static_cast<int>(from) == rank_ || !exchanges_with(from)) continue;
    const std::byte* const letter = coming_copy_.data() + in_at_[from];
    LetterSize size;
    std::memcpy(&size, letter, sizeof size);
    const Address& place = places_[from];
    memory::copy(inbox_.data() + (half() == 1 ? place.odd : place.even), letter,
                 bytes_of(coming_[from], size.ghosts), stream_);
  }
}

template <class Precision>
Arrived<Precision> Mailbox<Precision>::arrived() {
  return {kinds_[half()].data(), static_cast<Index>(kinds_[half()].size())};
}

template class Mailbox<SinglePrecision>;
template class Mailbox<MixedPrecision>;
template class Mailbox<DoublePrecision>;

}  // namespace pencilbox::PENCILBOX_DEVICE

// One rank's letters of a step, on its device: where kernels write those that go, and where those
// lie that came. They go straight into the neighbour's memory, where a flag says that they are
// there; or through memory of the host, for a post to carry.
//
// There are two of each letter, for even and for odd exchanges: while a neighbour still reads the
// one, the other is written. More are not needed, since who writes the next but one has got an
// answer to the one before.
//
// Flags go to all ranks, whether letters do or not: where a list is kept, each says with its flag
// whether one of its particles has moved so far that all have to make their lists anew. Where
// positions of the border leave before the interior has moved, it says so with another flag, when
// that has.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "app/ranks/mail.hpp"
#include "app/ranks/post.hpp"
#include "app/ranks/step_letters.hpp"
#include "core/device/host_buffer.hpp"
#include "core/device/peer_memory.hpp"
#include "core/step_control.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Where kernels put what goes, by rank.
template <class Precision>
struct Outgoing {
  const LetterRows<Precision>* letters;  ///< [ranks]
  LetterSize* written;                   ///< [ranks] rows that were wanted so far, room or not
};

/// Rows of one kind that came from one rank. `size` says how many there are.
template <class Precision>
struct ArrivedRows {
  Index first_slot;  ///< of all rows that there is room for
  bool are_ghosts;
  LetterRows<Precision> letter;
};

template <class Precision>
struct Arrived {
  const ArrivedRows<Precision>* kinds;
  Index count;  ///< of kinds
};

/// What a letter is about.
enum class LetterOf { particles, positions };

/// Ranks of one process may share a device: all tell there before one of them waits to hear. One
/// that has its device alone does both in one kernel.
enum class Turn { tell, hear, both };

/// What a rank says to another beside its letter, in the other's memory.
struct Signal {
  std::uint32_t flag;  ///< the last exchange
  std::uint32_t told;  ///< the last of which `due` is known
  std::uint32_t due;   ///< the last that said so
};

template <class Precision>
class Mailbox {
 public:
  Mailbox(int rank, int ranks, Stream& stream);

  // Between steps, when all ranks have come to rest.

  /// Rows that any exchange since the last connect() has wanted, by the rank that they were for;
  /// waits for the stream.
  std::vector<LetterSize> wanted();
  /// Of letters to each rank.
  const std::vector<LetterSize>& rooms() const { return rooms_; }
  bool has_room_for(const std::vector<LetterSize>& wanted) const;
  /// At least for what was wanted.
  void make_room(const std::vector<LetterSize>& wanted);

  /// Nothing is written into memory of others from now on.
  void disconnect() { peers_.clear(); }
  /// Lays out memory for letters that come, by the rank that sends them.
  void expect(const std::vector<LetterSize>& coming);
  /// Where a rank shall write its letters to this one.
  struct Address {
    std::byte* data = nullptr;      ///< within the process of this rank
    std::size_t even = 0, odd = 0;  ///< of the letters [bytes]
    std::size_t signal = 0;         ///< likewise
  };
  /// The address, and behind it what another process needs to open it.
  Letter address_for(int rank) const;
  /// Letters go straight to these addresses, by rank.
  void connect_directly(const Mail& addresses, const std::vector<int>& ranks_of_this_process);
  /// Letters wait for a post.
  void connect_by_host();

  /// Rows that all letters together have room for.
  Index slots() const { return slots_; }

  // In a step.

  Outgoing<Precision> outgoing(LetterOf what = LetterOf::particles);
  /// What was written goes, and says how much it is.
  void send();
  /// Kernels from here on see what came; of letters that go straight.
  void wait();
  /// The same of positions, so many for each rank: send() to tell, wait() to hear.
  void exchange_positions(Turn turn, const Index* counts, Stream& stream);
  /// After either: whoever finds `control` due tells all, which then find it so before unit `unit`,
  /// and note that unit in `heard`, where the host can see it.
  void agree_if_due(Turn turn, StepControl* control, std::int32_t unit, std::int32_t* heard);
  /// Of the last letters of particles, room or not: [ranks].
  const LetterSize* last_sent() const { return last_sent_.data(); }
  /// Exchanges so far; and that those after it have not been: kernels of theirs had a closed gate.
  std::uint32_t exchanges() const { return exchange_; }
  void take_back_to(std::uint32_t exchange) { exchange_ = exchange; }

  /// Of letters for a post: what goes is in `going` when it returns, and `coming` is to be filled
  /// before bring_in().
  void bring_out(std::vector<Parcel>& going, std::vector<Parcel>& coming);
  void bring_in();
  Arrived<Precision> arrived();

 private:
  using Rows = LetterRows<Precision>;

  bool exchanges_with(std::size_t rank) const;
  std::size_t half() const { return exchange_ % 2; }
  std::size_t bytes_of(const LetterSize& room, Index ghosts) const;
  void set_out(const std::array<std::vector<Rows>, 2>& letters,
               const std::vector<Signal*>& signals);

  int rank_;
  std::size_t ranks_;
  Stream& stream_;
  std::uint32_t exchange_ = 0;  ///< that is under way, or was last
  LetterOf what_ = LetterOf::particles;
  std::vector<LetterSize> rooms_, coming_;
  Index slots_ = 0;

  OpenMemory inbox_;
  std::vector<Address> places_;  ///< in inbox_, by rank
  std::vector<std::unique_ptr<PeerMemory>> peers_;

  std::array<Buffer<Rows>, 2> letters_;
  std::array<Buffer<ArrivedRows<Precision>>, 2> kinds_;
  Buffer<LetterSize> written_, wanted_, last_sent_;
  Buffer<Signal*> signals_of_others_, own_signals_;  ///< null: of oneself, or by no post

  // Where a post carries them: letters as they go, and pinned copies of those that go and come.
  Buffer<std::byte> outbox_;
  HostBuffer going_, coming_copy_;
  std::vector<std::size_t> out_at_, in_at_;  ///< by rank [bytes]
};

}  // namespace pencilbox::PENCILBOX_DEVICE

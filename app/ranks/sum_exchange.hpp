// One rank's sums on their way to all others, and theirs on their way here: what a step needs of
// all particles. As letters (mailbox.hpp) they go straight into the others' memory, where a flag
// says that they are there, or through memory of the host, for a post to carry; but from all to
// all, and always as much.
//
// There are two of each, for even and for odd exchanges: while somebody still reads the one, the
// other is written. More are not needed, since who sends the next but one has had the next of
// everybody.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/ranks/mail.hpp"
#include "app/ranks/post.hpp"
#include "core/device/host_buffer.hpp"
#include "core/device/peer_memory.hpp"
#include "core/exact_sum.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// As many as anybody sums at a time.
struct SumsOfRank {
  static constexpr Index number = 4;
  ExactParts sum[number];
};

class SumExchange {
 public:
  SumExchange(int rank, int ranks, Stream& stream);

  // Between steps; sums wait for a post until they are connected directly.

  /// Where another rank shall write: the address, and behind it what another process needs.
  Letter address() const;
  void connect_directly(const Mail& addresses, const std::vector<int>& ranks_of_this_process);
  void disconnect() { peers_.clear(); }

  // In a step.

  /// Where kernels put this rank's sums.
  ExactParts* own() { return own_.data()->sum; }
  /// What was put there goes.
  void send();
  /// Kernels from here on see everybody's; of sums that go straight.
  void wait();
  /// Of sums for a post: those that go are in `going` when it returns, and `coming` is to be filled
  /// before bring_in().
  void bring_out(std::vector<Parcel>& going, std::vector<Parcel>& coming);
  void bring_in();
  /// As of letters: see mailbox.hpp.
  std::uint32_t exchanges() const { return exchange_; }
  void take_back_to(std::uint32_t exchange) { exchange_ = exchange; }
  /// Until the next but one.
  SumsOfRanks all(std::int64_t particles) const;

 private:
  /// Of one rank, as others write into it.
  struct Inbox {
    SumsOfRank* halves[2];  ///< [ranks] each
    std::uint32_t* flags;   ///< [ranks]
  };
  Inbox inbox_at(std::byte* begin) const;
  std::size_t bytes_of_half() const;
  std::size_t half() const { return exchange_ % 2; }

  int rank_;
  std::size_t ranks_;
  Stream& stream_;
  std::uint32_t exchange_ = 0;  ///< that is under way, or was last

  Buffer<SumsOfRank> own_;
  OpenMemory memory_;
  std::vector<std::unique_ptr<PeerMemory>> peers_;
  std::array<Buffer<SumsOfRank*>, 2> places_;  ///< [ranks] for this rank's, at each of the others
  Buffer<std::uint32_t*> flags_of_others_, own_flags_;

  HostBuffer going_, coming_;  ///< pinned: this rank's, and everybody's
};

}  // namespace pencilbox::PENCILBOX_DEVICE

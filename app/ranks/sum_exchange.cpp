#include "app/ranks/sum_exchange.hpp"

#include <algorithm>
#include <cstring>

#include "core/device/flags.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

constexpr std::size_t line_of_memory = 128;  // of a GPU [bytes]

/// To each rank, itself included.
struct SendSums {
  static constexpr const char* name = "ranks: send sums";
  const SumsOfRank* own;
  SumsOfRank* const* places;
  std::uint32_t* const* flags;
  std::uint32_t exchange;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index rank) const {
    *places[rank] = *own;
    raise_flag(flags[rank], exchange);
  }
};

struct WaitForSums {
  static constexpr const char* name = "ranks: wait for sums";
  std::uint32_t* const* flags;
  std::uint32_t exchange;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index rank) const {
    wait_for_flag(flags[rank], exchange);
  }
};

}  // namespace

SumExchange::SumExchange(int rank, int ranks, Stream& stream)
    : rank_(rank), ranks_(static_cast<std::size_t>(ranks)), stream_(stream), own_(1) {
  own_.fill_bytes(0, stream_);
  memory_ = OpenMemory(2 * bytes_of_half() + ranks_ * sizeof(std::uint32_t));
  const Inbox inbox = inbox_at(memory_.data());
  std::vector<std::uint32_t*> flags;
  for (std::size_t from = 0; from < ranks_; ++from) flags.push_back(inbox.flags + from);
  own_flags_.upload(flags, stream_);
  going_.resize(sizeof(SumsOfRank));
  coming_.resize(ranks_ * sizeof(SumsOfRank));
}

std::size_t SumExchange::bytes_of_half() const {
  const std::size_t lines = (ranks_ * sizeof(SumsOfRank) + line_of_memory - 1) / line_of_memory;
  return lines * line_of_memory;
}

SumExchange::Inbox SumExchange::inbox_at(std::byte* begin) const {
  const std::size_t bytes = bytes_of_half();
  return {{reinterpret_cast<SumsOfRank*>(begin), reinterpret_cast<SumsOfRank*>(begin + bytes)},
          reinterpret_cast<std::uint32_t*>(begin + 2 * bytes)};
}

Letter SumExchange::address() const {
  Letter letter = Letter::of(memory_.data());
  if (const auto key = memory_.key()) {
    for (const std::byte byte : *key) letter.append(byte);
  }
  return letter;
}

void SumExchange::connect_directly(const Mail& addresses,
                                   const std::vector<int>& ranks_of_this_process) {
  std::array<std::vector<SumsOfRank*>, 2> places;
  std::vector<std::uint32_t*> flags;
  for (std::size_t to = 0; to < ranks_; ++to) {
    const LargeVector<std::byte>& bytes = addresses[to].bytes();
    std::byte* begin = nullptr;
    std::memcpy(&begin, bytes.data(), sizeof begin);
    if (!std::count(ranks_of_this_process.begin(), ranks_of_this_process.end(),
                    static_cast<int>(to))) {
      const MemoryKey key(bytes.begin() + sizeof begin, bytes.end());
      peers_.push_back(std::make_unique<PeerMemory>(key));
      begin = peers_.back()->data();
    }
    const Inbox inbox = inbox_at(begin);
    for (const std::size_t odd : {0U, 1U}) places[odd].push_back(inbox.halves[odd] + rank_);
    flags.push_back(inbox.flags + rank_);
  }
  places_[0].upload(places[0], stream_);
  places_[1].upload(places[1], stream_);
  flags_of_others_.upload(flags, stream_);
}

void SumExchange::send() {
  ++exchange_;
  for_each(stream_, static_cast<Index>(ranks_),
           SendSums{own_.data(), places_[half()].data(), flags_of_others_.data(), exchange_});
}

void SumExchange::wait() {
  for_each(stream_, static_cast<Index>(ranks_), WaitForSums{own_flags_.data(), exchange_});
}

void SumExchange::bring_out(std::vector<Parcel>& going, std::vector<Parcel>& coming) {
  constexpr std::size_t bytes = sizeof(SumsOfRank);
  ++exchange_;
  memory::copy(going_.data(), own_.data(), bytes, stream_);
  stream_.synchronize();
  for (std::size_t other = 0; other < ranks_; ++other) {
    std::byte* const place = coming_.data() + other * bytes;
    const int number = static_cast<int>(other);
    if (number == rank_) {
      std::memcpy(place, going_.data(), bytes);
      continue;
    }
    going.push_back({rank_, number, going_.data(), bytes});
    coming.push_back({rank_, number, place, bytes});
  }
}

void SumExchange::bring_in() {
  memory::copy(inbox_at(memory_.data()).halves[half()], coming_.data(), ranks_ * sizeof(SumsOfRank),
               stream_);
}

SumsOfRanks SumExchange::all(std::int64_t particles) const {
  return {inbox_at(memory_.data()).halves[half()]->sum, static_cast<Index>(ranks_),
          SumsOfRank::number, particles};
}

}  // namespace pencilbox::PENCILBOX_DEVICE

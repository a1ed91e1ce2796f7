// Tickets of counters, whoever asks at which: each is given once, and none is left out.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

constexpr Index askers = 5000, counters = 50;

/// At which counter somebody asks: `together` who follow each other at the same one.
struct Asking {
  Index together;
  PENCILBOX_DEVICE_FUNCTION Index counter(Index i) const { return i / together * 7 % counters; }
};

struct TakeTickets {
  static constexpr const char* name = "tickets test: take";
  Asking asking;
  Index* counts;
  Index* ticket;
  Index* has_one;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    take_ticket(counts + asking.counter(i), ticket + i);
    has_one[i] = ticket[i] >= 0 ? 1 : 0;
  }
  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const auto i = static_cast<Index>(block.index() * block.threads() + block.thread());
    if (i < askers) (*this)(i);
  }
};

struct Tickets {
  Stream stream;
  Buffer<Index> counts{counters}, ticket{askers}, has_one{askers};

  TakeTickets taken_by(const Asking& asking) {
    counts.fill_bytes(0, stream);
    ticket.fill_bytes(0xff, stream);
    return {asking, counts.data(), ticket.data(), has_one.data()};
  }

  void expect_each_once(const Asking& asking) {
    std::vector<std::vector<Index>> of(counters);
    const std::vector<Index> tickets = ticket.download(stream);
    for (Index i = 0; i < askers; ++i) {
      of[static_cast<std::size_t>(asking.counter(i))].push_back(
          tickets[static_cast<std::size_t>(i)]);
    }
    const std::vector<Index> many = counts.download(stream);
    for (std::size_t c = 0; c < of.size(); ++c) {
      std::sort(of[c].begin(), of[c].end());
      ASSERT_EQ(static_cast<std::size_t>(many[c]), of[c].size());
      for (std::size_t k = 0; k < of[c].size(); ++k) ASSERT_EQ(of[c][k], static_cast<Index>(k));
    }
    for (const Index one : has_one.download(stream)) ASSERT_EQ(one, 1);
  }
};

TEST(Tickets, EachIsGivenOnceByThreads) {
  for (const Index together : {1, 3, 20, askers}) {
    Tickets tickets;
    for_each(tickets.stream, askers, tickets.taken_by({together}));
    tickets.expect_each_once({together});
  }
}

TEST(Tickets, EachIsGivenOnceByBlocks) {
  for (const Index together : {1, 20}) {
    Tickets tickets;
    launch(tickets.stream, LaunchShape{divide_up(askers, 128), 128, 0},
           tickets.taken_by({together}));
    tickets.expect_each_once({together});
  }
}

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE

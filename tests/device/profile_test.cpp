// The profiler against times that the test takes itself: from the host's clock, read on both sides
// of each mark, come a least and a most that hold however busy the machine is.
#include "core/profile.hpp"

#include <thread>

#include <gtest/gtest.h>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

using Clock = std::chrono::steady_clock;

/// What a device's clock may differ by from the host's, over a tenth of a second.
constexpr double clocks_differ_by = 1e-3;

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

/// A time that was measured from outside and from inside of what takes it.
struct Span {
  double least = 0.0, most = 0.0;

  Span& operator+=(const Span& other) {
    least += other.least;
    most += other.most;
    return *this;
  }
};

void expect_within(double seconds, const Span& span) {
  EXPECT_GE(seconds, span.least - clocks_differ_by);
  EXPECT_LE(seconds, span.most + clocks_differ_by);
}

/// The share of `part` in `part` and `rest`.
void expect_share(double share, const Span& part, const Span& rest) {
  EXPECT_GE(share, part.least / (part.least + rest.most) - 0.02);
  EXPECT_LE(share, part.most / (part.most + rest.least) + 0.02);
}

double sum_of(const RegionSeconds& s) {
  return s.integrate + s.bin + s.reorder + s.prepare + s.force + s.observe + s.write;
}

class Profile : public ::testing::Test {
 protected:
  /// Marks `region`, lets the stream idle so long, and marks its end.
  Span spend(Region region, int milliseconds) {
    const Clock::time_point before = Clock::now();
    profiler_.begin(region, stream_);
    stream_.synchronize();  // the mark has been passed: from here on all is the region's
    const Clock::time_point inside = Clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    const Clock::time_point still_inside = Clock::now();
    profiler_.begin(Region::end, stream_);
    stream_.synchronize();
    return {seconds_between(inside, still_inside), seconds_between(before, Clock::now())};
  }

  /// Calls `steps` between start() and stop(); how long that was.
  template <class Steps>
  Span time(Steps steps) {
    const Clock::time_point before = Clock::now();
    profiler_.start();
    const Clock::time_point inside = Clock::now();
    steps();
    const Clock::time_point still_inside = Clock::now();
    profiler_.stop(stream_);
    return {seconds_between(inside, still_inside), seconds_between(before, Clock::now())};
  }

  Stream stream_;
  Profiler profiler_;
};

TEST_F(Profile, ARegionHasWhatItTookAndOthersHaveNothing) {
  using SecondsOf = double RegionSeconds::*;
  constexpr SecondsOf fields[] = {&RegionSeconds::integrate, &RegionSeconds::bin,
                                  &RegionSeconds::reorder, &RegionSeconds::prepare,
                                  &RegionSeconds::force};
  constexpr Region regions[] = {Region::integrate, Region::bin, Region::reorder, Region::prepare,
                                Region::force};
  for (std::size_t k = 0; k < std::size(regions); ++k) {
    profiler_ = Profiler();
    Span region;
    time([&] {
      profiler_.sample();
      region = spend(regions[k], 10);
    });
    const RegionSeconds seconds = profiler_.seconds();
    EXPECT_GE(seconds.*fields[k], region.least - clocks_differ_by) << "region " << k;
    EXPECT_EQ(sum_of(seconds), seconds.*fields[k]) << "region " << k;
  }
}

TEST_F(Profile, SharesAreThoseOfTheTimesAndTakenOfTheWhole) {
  Span bin, force;
  const Span whole = time([&] {
    profiler_.sample();
    force = spend(Region::force, 20);
    bin = spend(Region::bin, 10);
    force += spend(Region::force, 20);                           // a second time: adds to the first
    std::this_thread::sleep_for(std::chrono::milliseconds(40));  // after an end: no region's
  });
  const RegionSeconds seconds = profiler_.seconds();
  expect_share(seconds.force / sum_of(seconds), force, bin);
  expect_share(seconds.bin / sum_of(seconds), bin, force);
  // 50 ms were marked and 90 ms have gone by: a step outside the sample has the same shares.
  expect_within(sum_of(seconds), whole);
  EXPECT_GT(sum_of(seconds), force.least + bin.least + 0.03);
}

TEST_F(Profile, WhatIsNotSampledDoesNotCount) {
  Span force, reorder;
  const Span whole = time([&] {
    spend(Region::prepare, 20);  // nobody has asked for a sample yet
    profiler_.sample();
    force = spend(Region::force, 10);
    profiler_.pause();
    spend(Region::force, 40);
    spend(Region::integrate, 20);
    profiler_.sample();
    reorder = spend(Region::reorder, 10);
  });
  const RegionSeconds seconds = profiler_.seconds();
  EXPECT_EQ(seconds.prepare, 0.0);
  EXPECT_EQ(seconds.integrate, 0.0);
  expect_share(seconds.force / sum_of(seconds), force, reorder);
  expect_within(sum_of(seconds), whole);
}

TEST_F(Profile, WithoutASampleThereIsNothing) {
  EXPECT_EQ(sum_of(profiler_.seconds()), 0.0);
  time([&] { spend(Region::force, 5); });
  EXPECT_EQ(sum_of(profiler_.seconds()), 0.0);
}

TEST_F(Profile, BatchesAddUpAndTheTimeBetweenThemIsLeftOut) {
  Span bin, force;
  Span whole = time([&] {
    profiler_.sample();
    bin = spend(Region::bin, 10);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  whole += time([&] { force = spend(Region::force, 30); });
  const RegionSeconds seconds = profiler_.seconds();
  expect_share(seconds.bin / sum_of(seconds), bin, force);
  expect_within(sum_of(seconds), whole);
}

TEST_F(Profile, ABatchWithoutEndStopsBeingSampledUntilTheNext) {
  time([&] {
    for (int k = 0; k < 5000; ++k) {  // more than it keeps between two waits
      profiler_.sample();
      profiler_.begin(Region::bin, stream_);
      profiler_.begin(Region::end, stream_);
    }
    profiler_.sample();
    spend(Region::force, 5);
  });
  EXPECT_GT(profiler_.seconds().bin, 0.0);
  EXPECT_EQ(profiler_.seconds().force, 0.0);
  time([&] {
    profiler_.sample();
    spend(Region::force, 5);
  });
  EXPECT_GT(profiler_.seconds().force, 0.0);
}

TEST_F(Profile, OneInSoManyIsASample) {
  constexpr auto one_in = Profiler::one_in;
  EXPECT_TRUE(profiler_.lacks_samples());
  EXPECT_TRUE(profiler_.is_next_a_sample());
  EXPECT_FALSE(profiler_.lacks_samples());
  EXPECT_TRUE(profiler_.is_next_a_sample());  // instead of the first
  for (int k = 1; k < one_in; ++k) EXPECT_FALSE(profiler_.is_next_a_sample(k % 2 == 0)) << k;
  EXPECT_TRUE(profiler_.is_next_a_sample());
  int samples = 0;
  for (int k = 0; k < 10 * one_in; ++k) samples += profiler_.is_next_a_sample() ? 1 : 0;
  EXPECT_EQ(samples, 10);
}

TEST_F(Profile, WhatStandsInForAWholeSampleCountsUntilThereIsOne) {
  const auto sample = [&](bool whole, Region region) {
    time([&] {
      profiler_.sample_if(profiler_.is_next_a_sample(whole));
      EXPECT_TRUE(profiler_.sampling());
      spend(region, 5);
    });
  };
  sample(false, Region::integrate);
  EXPECT_GT(profiler_.seconds().integrate, 0.0);
  EXPECT_FALSE(profiler_.is_next_a_sample(false));
  sample(true, Region::force);
  EXPECT_EQ(profiler_.seconds().integrate, 0.0);
  EXPECT_GT(profiler_.seconds().force, 0.0);
  sample(true, Region::bin);  // the first had kernels to load
  EXPECT_EQ(profiler_.seconds().force, 0.0);
  EXPECT_GT(profiler_.seconds().bin, 0.0);
}

/// Busy for as many rounds; the result keeps the loop from being left out.
struct Rounds {
  static constexpr const char* name = "profile test: rounds";
  Index* values;
  Index rounds;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    auto value = static_cast<std::uint32_t>(i);
    for (Index k = 0; k < rounds; ++k) value = value * 1664525U + 1013904223U;
    values[i] = static_cast<Index>(value >> 1);
  }
};

TEST_F(Profile, MarksStandOnTheStreamAndNotWhereTheHostIs) {
  // The host only enqueues, in microseconds; what a kernel takes is known to the stream alone.
  constexpr Index threads = 64;
  Buffer<Index> values(threads);
  const Rounds rounds{values.data(), 1'000'000};
  for_each(stream_, threads, Rounds{values.data(), 1});  // loads the kernel
  stream_.synchronize();
  time([&] {
    profiler_.sample();
    profiler_.begin(Region::force, stream_);
    for_each(stream_, threads, rounds);
    profiler_.begin(Region::bin, stream_);
    profiler_.begin(Region::end, stream_);
  });
  const RegionSeconds seconds = profiler_.seconds();
  EXPECT_GT(seconds.force, 5e-4);
  EXPECT_GT(seconds.force, 4.0 * seconds.bin);
}

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE

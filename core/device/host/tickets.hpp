// Tickets for elements that follow each other and mostly ask at the same counter, as particles of a
// cell do: those that a thread takes in a row are counted at once, since an atomic costs a thread
// of a CPU more than all else that it does for an element.
#pragma once

#include "core/device/host/block.hpp"
#include "core/device/launch_shape.hpp"

namespace pencilbox::host {

/// As long as it lives, this thread's take_ticket() may write tickets later, before its end at the
/// latest.
class TicketsAtOnce {
 public:
  TicketsAtOnce() { of_this_thread = this; }
  ~TicketsAtOnce() {
    give();
    of_this_thread = nullptr;
  }
  TicketsAtOnce(const TicketsAtOnce&) = delete;
  TicketsAtOnce& operator=(const TicketsAtOnce&) = delete;

  static TicketsAtOnce* current() { return of_this_thread; }

  void take(Index* counter, Index* ticket) {
    if (counter != counter_ || ticket != first_ + count_) {
      give();
      counter_ = counter;
      first_ = ticket;
    }
    *ticket = 0;  // somebody may ask whether it has one
    ++count_;
  }

 private:
  void give() {
    if (count_ == 0) return;
    const Index begin = atomic_add(counter_, count_);
    for (Index k = 0; k < count_; ++k) first_[k] = begin + k;
    count_ = 0;
  }

  inline static constinit thread_local TicketsAtOnce* of_this_thread = nullptr;

  Index* counter_ = nullptr;
  Index* first_ = nullptr;  ///< ticket of those that are not given yet
  Index count_ = 0;
};

/// How many have asked at the counter before. See TicketsAtOnce: nobody may read it in the same
/// loop.
inline void take_ticket(Index* counter, Index* ticket) {
  if (TicketsAtOnce* const at_once = TicketsAtOnce::current()) {
    return at_once->take(counter, ticket);
  }
  *ticket = atomic_add(counter, Index{1});
}

}  // namespace pencilbox::host

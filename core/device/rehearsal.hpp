// Enqueueing without effect, so that kernels are loaded before anything is timed.
#pragma once

namespace pencilbox {

/// While one lives, nothing that its thread enqueues reaches a stream: kernels that would be
/// launched are only loaded, copies and fills are left out. A kernel's first launch on a GPU loads
/// it, which takes the host up to a millisecond; so a rehearsal lets what comes after it be timed.
/// (The device library's scans and sorts run all the same.)
class Rehearsal {
 public:
  Rehearsal() { ++going_on_; }
  ~Rehearsal() { --going_on_; }
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;

  static bool goes_on() { return going_on_ > 0; }

 private:
  inline static thread_local int going_on_ = 0;
};

}  // namespace pencilbox

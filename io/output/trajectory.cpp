#include "io/output/trajectory.hpp"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/output/hdf5.hpp"
#include "io/output/trajectory_files.hpp"

namespace pencilbox {
namespace {

constexpr std::size_t most_queued = 2;

/// What a frame is held against on the thread that appends it.
struct Expected {
  std::int64_t particles;
  FieldSet fields;
  Double3 origin;
};

void require_belongs(const PackedFrame& frame, const Observation& observation,
                     const Expected& expected, std::int64_t last_step) {
  if (frame.step != observation.step || frame.step <= last_step) {
    throw std::logic_error(fmt::format("trajectory: frame of step {}, sums of step {}, after {}",
                                       frame.step, observation.step, last_step));
  }
  if (frame.particles != expected.particles) {
    throw std::logic_error(fmt::format("trajectory: a frame of {} particles, not {}",
                                       frame.particles, expected.particles));
  }
  if (frame.box.lower != expected.origin) {
    throw std::logic_error("trajectory: the box changed its origin");
  }
  for (std::size_t i = 0; i < field_names.size(); ++i) {
    const auto field = static_cast<Field>(i);
    if (expected.fields.contains(field) && frame.rows_of(field) == nullptr) {
      throw std::logic_error(fmt::format("trajectory: a frame without {}", name_of(field)));
    }
  }
}

}  // namespace

/// The files, the thread that writes them and the queue between it and append().
class TrajectoryWriter::Worker {
 public:
  Worker(TrajectoryFiles files, Expected expected)
      : expected_(expected),
        last_step_(files.last_step()),
        files_(std::move(files)),
        thread_([this] { write_queue(); }) {}

  ~Worker() { finish(); }

  const Expected& expected() const { return expected_; }
  std::int64_t last_step() const { return last_step_; }

  void append(PackedFrame frame, const Observation& observation) {
    require_belongs(frame, observation, expected_, last_step_);
    const std::int64_t step = frame.step;
    push(FrameJob{std::move(frame), observation});
    last_step_ = step;
  }

  void append_results(std::int64_t step, double time, std::vector<ObservableResult> results) {
    push(ResultsJob{step, time, std::move(results)});
  }

  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return (queue_.empty() && !writing_) || failed_; });
    throw_if_failed();
  }

  void close() {
    finish();
    throw_if_failed();
  }

 private:
  struct FrameJob {
    PackedFrame frame;
    Observation observation;
  };
  struct ResultsJob {
    std::int64_t step;
    double time;
    std::vector<ObservableResult> results;
  };
  using Job = std::variant<FrameJob, ResultsJob>;

  void push(Job job) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return queue_.size() < most_queued || failed_; });
    throw_if_failed();
    queue_.push_back(std::move(job));
    changed_.notify_all();
  }

  void write(const FrameJob& job) {
    job.frame.arrive();
    const hdf5::Lock lock;
    files_->append(job.frame, job.observation);
  }
  void write(const ResultsJob& job) {
    const hdf5::Lock lock;
    files_->append_results(job.step, job.time, job.results);
  }

  /// The thread. HDF5 is closed where it was used, whatever happened.
  void write_queue() {
    while (const std::optional<Job> job = next_job()) {
      try {
        std::visit([this](const auto& one) { write(one); }, *job);
      } catch (...) {
        fail(std::current_exception());
        break;
      }
    }
    const hdf5::Lock lock;
    try {
      if (!failed()) files_->close();
    } catch (...) {
      fail(std::current_exception());
    }
    files_.reset();
  }

  /// Waits for one; nothing when there will be none.
  std::optional<Job> next_job() {
    std::unique_lock lock(mutex_);
    writing_ = false;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !queue_.empty() || finished_; });
    if (queue_.empty()) return std::nullopt;
    Job job = std::move(queue_.front());
    queue_.pop_front();
    writing_ = true;
    changed_.notify_all();  // there is room again
    return job;
  }

  void fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    error_ = std::move(error);
    failed_ = true;
    queue_.clear();
    changed_.notify_all();
  }

  bool failed() {
    const std::lock_guard lock(mutex_);
    return failed_;
  }

  void finish() {
    {
      const std::lock_guard lock(mutex_);
      finished_ = true;
      changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
  }

  /// With the mutex held, or the thread gone. The error itself is told once.
  void throw_if_failed() {
    if (!failed_) return;
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    throw SystemError("the trajectory cannot be continued after a failed write");
  }

  Expected expected_;
  std::int64_t last_step_;  // of the thread that appends
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> queue_;
  bool writing_ = false;
  bool finished_ = false;
  bool failed_ = false;
  std::exception_ptr error_;
  std::optional<TrajectoryFiles> files_;  // of the thread
  std::thread thread_;                    // last: it uses the others
};

namespace {

Expected expected_of(const StartState& start, const TrajectoryHeader& header) {
  return {start.size(), fields_in_frames(start, header), start.box.lower};
}

}  // namespace

TrajectoryWriter::TrajectoryWriter(std::unique_ptr<Worker> worker) : worker_(std::move(worker)) {}

TrajectoryWriter::TrajectoryWriter(const std::filesystem::path& path, const StartState& start,
                                   const TrajectoryHeader& header) {
  const hdf5::Lock lock;
  hdf5::initialise();
  worker_ = std::make_unique<Worker>(TrajectoryFiles::create(path, start, header),
                                     expected_of(start, header));
}

TrajectoryWriter TrajectoryWriter::resume(const std::filesystem::path& path,
                                          const StartState& start, const TrajectoryHeader& header,
                                          std::int64_t step) {
  const hdf5::Lock lock;
  hdf5::initialise();
  return TrajectoryWriter(std::make_unique<Worker>(
      TrajectoryFiles::resume(path, start, header, step), expected_of(start, header)));
}

TrajectoryWriter::~TrajectoryWriter() = default;
TrajectoryWriter::TrajectoryWriter(TrajectoryWriter&&) noexcept = default;

FieldSet TrajectoryWriter::frame_fields() const { return worker_->expected().fields; }

std::int64_t TrajectoryWriter::last_step() const { return worker_->last_step(); }

void TrajectoryWriter::append(PackedFrame frame, const Observation& observation) {
  if (!worker_) throw std::logic_error("trajectory: append after close");
  worker_->append(std::move(frame), observation);
}

void TrajectoryWriter::append_results(std::int64_t step, double time,
                                      std::vector<ObservableResult> results) {
  if (!worker_) throw std::logic_error("trajectory: append after close");
  worker_->append_results(step, time, std::move(results));
}

void TrajectoryWriter::wait() {
  if (worker_) worker_->wait();
}

void TrajectoryWriter::close() {
  // The members go with `worker` even if one of them cannot be closed.
  if (const std::unique_ptr<Worker> worker = std::move(worker_)) worker->close();
}

}  // namespace pencilbox

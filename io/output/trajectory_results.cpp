#include "io/output/trajectory_results.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"

namespace pencilbox {
namespace {

/// Of a time series: step and time, which the element has of its own.
constexpr std::size_t columns_of_time = 2;

std::size_t first_column(const ObservableResult& result) {
  return result.is_time_series ? columns_of_time : 0;
}

std::vector<std::string> names_of_columns(const ObservableResult& result) {
  std::vector<std::string> names;
  for (std::size_t k = first_column(result); k < result.columns.size(); ++k) {
    names.push_back(result.columns[k].name);
  }
  return names;
}

std::vector<std::string> names_of_numbers(const ObservableResult& result) {
  std::vector<std::string> names;
  for (const ObservableNumber& number : result.numbers) names.push_back(number.name);
  return names;
}

hdf5::Shape row_of_table(const ObservableResult& result) {
  const hsize_t columns = result.columns.size() - first_column(result);
  if (result.is_time_series) return {columns};
  return {result.columns.front().values.size(), columns};
}

/// Rows of a table, those from `first` on, one behind the other.
std::vector<double> rows_from(const ObservableResult& result, std::size_t first) {
  std::vector<double> values;
  for (std::size_t row = first; row < result.columns.front().values.size(); ++row) {
    for (std::size_t k = first_column(result); k < result.columns.size(); ++k) {
      values.push_back(result.columns[k].values.at(row));
    }
  }
  return values;
}

/// The first sample of a time series that is later than `after`.
std::size_t first_later(const ObservableResult& result, std::int64_t after) {
  const std::vector<double>& steps = result.columns.front().values;
  const auto later =
      std::upper_bound(steps.begin(), steps.end(), static_cast<double>(after)) - steps.begin();
  return static_cast<std::size_t>(later);
}

std::vector<double> values_of_numbers(const ObservableResult& result) {
  std::vector<double> values;
  for (const ObservableNumber& number : result.numbers) values.push_back(number.value);
  return values;
}

}  // namespace

TimedRows::TimedRows(const hdf5::Group& group, hdf5::Dataset value, const hdf5::Shape& row)
    : value_(std::move(value)),
      step_(hdf5::Dataset::open(group.id(), "step")),
      time_(hdf5::Dataset::open(group.id(), "time")),
      row_(row) {}

TimedRows TimedRows::create(hid_t parent, const std::string& name, const hdf5::Shape& row,
                            const std::vector<std::string>& names) {
  const hdf5::Group group = hdf5::Group::create(parent, name);
  const bool is_table = row.size() > 1;
  hdf5::Dataset value = hdf5::Dataset::create_rows(group.id(), "value", H5T_IEEE_F64LE, row, row,
                                                   is_table ? 1 : hdf5::chunk_frames);
  hdf5::write_texts(group.id(), "columns", names);
  hdf5::Dataset::create_rows(group.id(), "step", H5T_STD_I64LE, {}, {}, hdf5::chunk_frames);
  hdf5::Dataset::create_rows(group.id(), "time", H5T_IEEE_F64LE, {}, {}, hdf5::chunk_frames);
  return {group, std::move(value), row};
}

TimedRows TimedRows::open(hid_t parent, const std::string& path, const hdf5::Shape& row) {
  const hdf5::Group group = hdf5::Group::open(parent, path);
  TimedRows found(group, hdf5::Dataset::open(group.id(), "value"), row);
  hdf5::Shape shape = found.value_.shape();
  const hsize_t rows = shape.empty() ? 0 : shape.front();
  if (!shape.empty()) shape.erase(shape.begin());
  if (shape != row) {
    throw InputError(
        fmt::format("shape of a row of {}: the file has {}, this run {}", path, shape, row));
  }
  found.steps_.resize(found.step_.shape().at(0));
  found.step_.read(H5T_NATIVE_INT64, found.steps_.data(), found.steps_.size());
  const hsize_t whole = std::min({rows, found.time_.shape().at(0), hsize_t{found.steps_.size()}});
  found.steps_.resize(whole);
  // Rows that a killed writer was about to drop have the step 0.
  const auto last =
      std::adjacent_find(found.steps_.begin(), found.steps_.end(), std::greater_equal<>());
  if (last != found.steps_.end()) found.steps_.erase(last + 1, found.steps_.end());
  return found;
}

void TimedRows::write_values(const std::vector<double>& values) {
  std::size_t width = 1;
  for (const hsize_t extent : row_) width *= extent;
  value_.write_rows(steps_.size(), values.size() / width, row_, H5T_NATIVE_DOUBLE, values.data());
}

void TimedRows::write_steps(const std::vector<std::int64_t>& steps,
                            const std::vector<double>& times) {
  step_.write_rows(steps_.size(), steps.size(), {}, H5T_NATIVE_INT64, steps.data());
  time_.write_rows(steps_.size(), times.size(), {}, H5T_NATIVE_DOUBLE, times.data());
  steps_.insert(steps_.end(), steps.begin(), steps.end());
}

void TimedRows::forget_steps(std::int64_t step) {
  steps_.erase(std::upper_bound(steps_.begin(), steps_.end(), step), steps_.end());
  step_.set_rows(steps_.size(), {});
  time_.set_rows(steps_.size(), {});
}

void TimedRows::forget_values() { value_.set_rows(steps_.size(), row_); }

void TimedRows::close() {
  value_.close();
  step_.close();
  time_.close();
}

ObservableGroup::ObservableGroup(hdf5::Group group, const ObservableResult& result)
    : group_(std::move(group)), name_(result.name) {}

ObservableGroup ObservableGroup::create(hid_t observables, const ObservableResult& result) {
  ObservableGroup made(hdf5::Group::create(observables, result.name), result);
  made.count_ =
      hdf5::Dataset::create_rows(made.id(), "value", H5T_STD_I64LE, {}, {}, hdf5::chunk_frames);
  made.table_ =
      TimedRows::create(made.id(), "table", row_of_table(result), names_of_columns(result));
  if (!result.numbers.empty()) {
    made.numbers_ =
        TimedRows::create(made.id(), "numbers", {result.numbers.size()}, names_of_numbers(result));
  }
  return made;
}

ObservableGroup ObservableGroup::open(hid_t observables, const ObservableResult& result) {
  ObservableGroup found(hdf5::Group::open(observables, result.name), result);
  found.count_ = hdf5::Dataset::open(found.id(), "value");
  found.table_ = TimedRows::open(observables, result.name + "/table", row_of_table(result));
  if (!result.numbers.empty()) {
    found.numbers_ =
        TimedRows::open(observables, result.name + "/numbers", {result.numbers.size()});
  }
  return found;
}

void ObservableGroup::append_frame(hsize_t index) {
  const auto results = static_cast<std::int64_t>((numbers_ ? *numbers_ : *table_).steps().size());
  count_.write_row(index, {}, H5T_NATIVE_INT64, &results);
}

std::int64_t ObservableGroup::last_step() const {
  return table_->steps().empty() ? -1 : table_->steps().back();
}

void ObservableGroup::write_values(const ObservableResult& result, std::int64_t after) {
  table_->write_values(rows_from(result, result.is_time_series ? first_later(result, after) : 0));
  if (numbers_) numbers_->write_values(values_of_numbers(result));
}

void ObservableGroup::write_steps(const ObservableResult& result, std::int64_t after,
                                  std::int64_t step, double time) {
  std::vector<std::int64_t> steps{step};
  std::vector<double> times{time};
  if (result.is_time_series) {
    const auto first = static_cast<std::ptrdiff_t>(first_later(result, after));
    steps.clear();
    const std::vector<double>& all = result.columns[0].values;
    std::transform(all.begin() + first, all.end(), std::back_inserter(steps),
                   [](double one) { return std::llround(one); });
    times.assign(result.columns[1].values.begin() + first, result.columns[1].values.end());
  }
  table_->write_steps(steps, times);
  if (numbers_) numbers_->write_steps({step}, {time});
}

void ObservableGroup::forget_steps(std::int64_t step) {
  table_->forget_steps(step);
  if (numbers_) numbers_->forget_steps(step);
}

void ObservableGroup::forget_values() {
  table_->forget_values();
  if (numbers_) numbers_->forget_values();
}

void ObservableGroup::close() {
  count_.close();
  table_->close();
  if (numbers_) numbers_->close();
  group_.close();
}

std::int64_t bytes_of_result(const ObservableResult& result) {
  std::size_t numbers = result.numbers.size() + 2;
  for (const ObservableColumn& column : result.columns) numbers += column.values.size();
  return static_cast<std::int64_t>(sizeof(double) * numbers);
}

}  // namespace pencilbox

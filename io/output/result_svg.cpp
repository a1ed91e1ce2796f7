// Plots as SVG: lines over linear or logarithmic axes, and bars. Colours are those of Okabe and Ito
// (Color universal design, 2008), which people with any colour vision tell apart.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "io/output/result.hpp"

namespace pencilbox {
namespace {

constexpr std::array<const char*, 8> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                             "#56b4e9", "#e69f00", "#000000", "#8c6bb1"};

/// How a series looks. Those of one colour have other marks.
struct Style {
  const char* colour;
  std::size_t mark;
  bool published;  ///< dashed, hollow marks
};

constexpr std::size_t marks = 4;

Style style_of(std::size_t number, bool published) {
  return {colours[number % colours.size()], (number + number / colours.size()) % marks, published};
}

struct PlotArea {
  double left = 80.0, top = 46.0, width = 560.0, height = 360.0;
};

std::string text_at(double x, double y, const char* anchor, const std::string& words,
                    const std::string& more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, more, escaped(words));
}

std::string line_at(double x1, double y1, double x2, double y2, const char* colour) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2,
      y2, colour);
}

std::string document(double width, double height, const std::string& title,
                     const std::string& inside) {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
             "width=\"{0:.0f}\" height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
             "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
             width, height) +
         text_at(width / 2.0, 24.0, "middle", title, " font-size=\"15\"") + inside + "</svg>\n";
}

/// From values to places on the page, in one direction.
class Axis {
 public:
  Axis(double least, double most, bool logarithmic, double from, double to)
      : logarithmic_(logarithmic), from_(from), to_(to) {
    if (is_one_value(least, most)) {
      const double value = std::isfinite(least) ? least : 1.0;
      const double around = std::max(1.0, 0.1 * std::abs(value));
      least = logarithmic ? value / 2.0 : value - around;
      most = logarithmic ? value * 2.0 : value + around;
    }
    low_ = at(least);
    high_ = at(most);
    const double room = 0.04 * (high_ - low_);
    low_ -= room;
    high_ += room;
  }

  double operator()(double value) const {
    return from_ + (at(value) - low_) / (high_ - low_) * (to_ - from_);
  }

  std::vector<double> ticks() const { return logarithmic_ ? powers() : steps(); }

 private:
  /// Or none. What differs in last digits has no ticks that could be told from each other.
  static bool is_one_value(double least, double most) {
    constexpr double digits = 1e-9;
    return !(most - least > digits * std::max(std::abs(least), std::abs(most)));
  }

  double at(double value) const { return logarithmic_ ? std::log10(value) : value; }

  /// Powers of ten; with halves and fifths between where there are few.
  std::vector<double> powers() const {
    std::vector<double> values;
    const bool few = high_ - low_ < 2.5;
    for (int power = static_cast<int>(std::floor(low_)); power <= static_cast<int>(high_);
         ++power) {
      for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor > 1.0 && !few) continue;
        const double value = factor * std::pow(10.0, power);
        if (at(value) >= low_ && at(value) <= high_) values.push_back(value);
      }
    }
    return values;
  }

  /// Multiples of 1, 2 or 5 times a power of ten: about five.
  std::vector<double> steps() const {
    const double raw = (high_ - low_) / 5.0;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    const double step = power * (raw / power < 1.5 ? 1.0 : raw / power < 3.5 ? 2.0 : 5.0);
    std::vector<double> values;
    for (double value = std::ceil(low_ / step) * step; value <= high_; value += step) {
      values.push_back(std::abs(value) < 1e-9 * step ? 0.0 : value);
    }
    return values;
  }

  bool logarithmic_;
  double from_, to_;
  double low_ = 0.0, high_ = 1.0;
};

/// What can be drawn: finite, and above zero on a logarithmic axis.
std::vector<PlotPoint> drawable(const LinePlot& plot, const PlotSeries& series) {
  std::vector<PlotPoint> points;
  for (const PlotPoint& point : series.points) {
    if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
    if ((plot.log_x && point.x <= 0.0) || (plot.log_y && point.y <= 0.0)) continue;
    points.push_back(point);
  }
  std::stable_sort(points.begin(), points.end(),
                   [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
  return points;
}

struct Extent {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

std::string axes(const PlotArea& frame, const LinePlot& plot, const Axis& x, const Axis& y) {
  const double bottom = frame.top + frame.height;
  const double right = frame.left + frame.width;
  std::string svg;
  for (const double value : x.ticks()) {
    svg += line_at(x(value), frame.top, x(value), bottom, "#e4e4e4");
    svg += text_at(x(value), bottom + 17.0, "middle", fmt::format("{:g}", value));
  }
  for (const double value : y.ticks()) {
    svg += line_at(frame.left, y(value), right, y(value), "#e4e4e4");
    svg += text_at(frame.left - 7.0, y(value) + 4.0, "end", fmt::format("{:g}", value));
  }
  svg += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
      "stroke=\"#666\"/>\n",
      frame.left, frame.top, frame.width, frame.height);
  svg += text_at(frame.left + frame.width / 2.0, bottom + 38.0, "middle", plot.x_label);
  const double middle = frame.top + frame.height / 2.0;
  svg += text_at(20.0, middle, "middle", plot.y_label,
                 fmt::format(" transform=\"rotate(-90 20 {:.1f})\"", middle));
  return svg;
}

/// A circle, square, triangle or diamond.
std::string mark_at(double x, double y, const Style& style) {
  const std::string paint = fmt::format("fill=\"{}\" stroke=\"{}\"/>\n",
                                        style.published ? "white" : style.colour, style.colour);
  if (style.mark == 0) {
    return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" {}", x, y, paint);
  }
  constexpr std::array<const char*, marks - 1> outlines{
      "-2.8,-2.8 2.8,-2.8 2.8,2.8 -2.8,2.8", "0,-3.8 3.5,2.6 -3.5,2.6", "0,-4 4,0 0,4 -4,0"};
  return fmt::format("<polygon points=\"{}\" transform=\"translate({:.1f} {:.1f})\" {}",
                     outlines[style.mark - 1], x, y, paint);
}

std::string stroke_of(const Style& style, double width) {
  return fmt::format("stroke=\"{}\" stroke-width=\"{}\"{}/>\n", style.colour, width,
                     style.published ? " stroke-dasharray=\"5 4\"" : "");
}

std::string curve(const std::vector<PlotPoint>& points, const Axis& x, const Axis& y,
                  const Style& style, bool has_marks) {
  std::string path, on_it;
  for (const PlotPoint& point : points) {
    path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", x(point.x), y(point.y));
    if (has_marks) on_it += mark_at(x(point.x), y(point.y), style);
  }
  return fmt::format("<polyline points=\"{}\" fill=\"none\" {}", path, stroke_of(style, 1.6)) +
         on_it;
}

std::string legend_line(double x, double y, const std::string& name, const Style& style,
                        bool has_marks) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}", x, y - 4.0,
                     x + 22.0, y - 4.0, stroke_of(style, 2.0)) +
         (has_marks ? mark_at(x + 11.0, y - 4.0, style) : "") + text_at(x + 28.0, y, "start", name);
}

std::string draw(const std::string& title, const LinePlot& plot) {
  const PlotArea frame;
  Extent on_x, on_y;
  std::size_t longest = 0;
  for (const PlotSeries& series : plot.series) {
    longest = std::max(longest, series.name.size());
    for (const PlotPoint& point : drawable(plot, series)) {
      on_x.add(point.x);
      on_y.add(point.y);
    }
  }
  const Axis x(on_x.least, on_x.most, plot.log_x, frame.left, frame.left + frame.width);
  const Axis y(on_y.least, on_y.most, plot.log_y, frame.top + frame.height, frame.top);
  std::string svg = axes(frame, plot, x, y);
  const double legend = frame.left + frame.width + 18.0;
  for (std::size_t k = 0; k < plot.series.size(); ++k) {
    const PlotSeries& series = plot.series[k];
    const Style style = style_of(k, series.published);
    svg += curve(drawable(plot, series), x, y, style, plot.has_marks);
    svg += legend_line(legend, frame.top + 14.0 + 18.0 * static_cast<double>(k), series.name, style,
                       plot.has_marks);
  }
  const double legend_bottom = frame.top + 30.0 + 18.0 * static_cast<double>(plot.series.size());
  return document(legend + 44.0 + 7.0 * static_cast<double>(longest),
                  std::max(frame.top + frame.height + 54.0, legend_bottom), title, svg);
}

/// As much of a refusal as the picture has room for; the table has it all.
std::string beginning_of(const std::string& text) {
  constexpr std::size_t most = 84;
  return text.size() <= most ? text : text.substr(0, text.rfind(' ', most)) + " ...";
}

std::string draw_bar(const Bar& bar, double left, double top, double scale, const char* colour) {
  std::string svg = text_at(left - 8.0, top + 14.0, "end", bar.name);
  if (!bar.refusal.empty()) {
    return svg + text_at(left + 6.0, top + 14.0, "start", "no: " + beginning_of(bar.refusal),
                         " fill=\"#777\"");
  }
  svg +=
      fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"18\" fill=\"{}\"/>\n",
                  left, top, bar.value * scale, colour);
  svg += line_at(left + bar.low * scale, top + 9.0, left + bar.high * scale, top + 9.0, "#000");
  return svg + text_at(left + std::max(bar.value, bar.high) * scale + 6.0, top + 14.0, "start",
                       to_text(Cell(bar.value), 4));
}

std::string draw(const std::string& title, const BarPlot& plot) {
  std::size_t longest = 0;
  double most = 0.0;
  for (const Bar& bar : plot.bars) {
    longest = std::max(longest, bar.name.size());
    if (bar.refusal.empty()) most = std::max({most, bar.value, bar.high});
  }
  const double left = 24.0 + 7.2 * static_cast<double>(longest);
  const double width = 520.0;
  const double scale = most > 0.0 ? width / most : 0.0;
  double top = 44.0;
  std::string svg;
  for (const Bar& bar : plot.bars) {
    svg += draw_bar(bar, left, top, scale, colours[0]);
    top += 26.0;
  }
  svg += line_at(left, 38.0, left, top, "#666");
  svg += text_at(left + width / 2.0, top + 22.0, "middle", plot.value_label);
  return document(left + width + 90.0, top + 38.0, title, svg);
}

}  // namespace

std::string to_svg(const Plot& plot) {
  return std::visit([&](const auto& drawing) { return draw(plot.title, drawing); }, plot.drawing);
}

}  // namespace pencilbox

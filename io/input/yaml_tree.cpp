#include "io/input/yaml_tree.hpp"

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "io/input/complaint.hpp"

namespace pencilbox {
namespace {

constexpr std::size_t deepest_nesting = 16;

/// yaml-cpp counts lines from 0.
int line_of(const YAML::Mark& mark) { return mark.line + 1; }

/// Builds the tree from yaml-cpp's events. Events come while the text is parsed, so what is refused
/// here was never expanded.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string place, bool from_override)
      : place_(std::move(place)), from_override_(from_override) {}

  YamlNode take() { return std::move(root_); }

  std::string at(int line) const {
    return from_override_ ? place_ : fmt::format("{}:{}", place_, line);
  }

  /// The line of the last thing that was read.
  int last_line() const { return last_line_; }

  /// The line of the innermost bracket that is still open.
  std::optional<int> open_bracket() const {
    for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
      if (frame->flow) return frame->node->origin.line;
    }
    return std::nullopt;
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) {
      complain(at(line_of(mark)), "second YAML document", "", "one document");
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    note(mark, anchor, {});
    if (expects_key()) complain(at(line_of(mark)), "empty key", "", "a plain word");
    add(YamlNode{}, mark);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_anchor(mark, 1); }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    note(mark, anchor, tag);
    if (expects_key()) {
      set_key(value, mark);
      return;
    }
    YamlNode node;
    node.kind = YamlNode::Kind::scalar;
    node.text = value;
    node.quoted = tag == "!";
    add(std::move(node), mark);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(YamlNode::Kind::list, mark, tag, anchor, style);
  }
  void OnSequenceEnd() override { frames_.pop_back(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(YamlNode::Kind::map, mark, tag, anchor, style);
  }
  void OnMapEnd() override { frames_.pop_back(); }

  void OnAnchor(const YAML::Mark& mark, const std::string&) override { refuse_anchor(mark, 1); }

 private:
  struct Frame {
    YamlNode* node;
    std::string path;  ///< "system.types.", in front of the keys within
    bool flow;
    std::optional<std::string> key{};  ///< of a map, while its value is awaited
    int key_line = 1;
  };

  bool expects_key() const {
    return !frames_.empty() && frames_.back().node->kind == YamlNode::Kind::map &&
           !frames_.back().key;
  }

  /// What every event has in common.
  void note(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag) {
    last_line_ = line_of(mark);
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
  }

  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    if (anchor != 0) {
      complain(at(line_of(mark)), "YAML anchors (&) and aliases (*) are not supported", "one",
               "the value written out");
    }
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!") {
      complain(at(line_of(mark)), "YAML tags are not supported", tag, "plain values");
    }
  }

  void set_key(const std::string& key, const YAML::Mark& mark) {
    Frame& frame = frames_.back();
    const int line = line_of(mark);
    if (key == "<<") {
      complain(at(line) + ": <<", "merge keys are not supported", "<<", "the keys written out");
    }
    if (const YamlNode* first = frame.node->find(key)) {
      const std::string lines =
          from_override_ ? "it twice" : fmt::format("lines {} and {}", first->origin.line, line);
      complain(at(line) + ": " + frame.path + quoted_input(key), "duplicate key", lines,
               "each key once");
    }
    frame.key = key;
    frame.key_line = line;
  }

  YamlNode* add(YamlNode node, const YAML::Mark& mark) {
    node.origin = {line_of(mark), from_override_};
    if (frames_.empty()) {
      root_ = std::move(node);
      return &root_;
    }
    Frame& frame = frames_.back();
    if (frame.node->kind == YamlNode::Kind::list) {
      return &frame.node->items.emplace_back(std::move(node));
    }
    node.origin.line = frame.key_line;
    frame.node->entries.push_back({*frame.key, std::move(node)});
    frame.key.reset();
    return &frame.node->entries.back().value;
  }

  void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor, YAML::EmitterStyle::value style) {
    note(mark, anchor, tag);
    if (expects_key()) {
      complain(at(line_of(mark)), "a list or section cannot be a key, or its bracket is not closed",
               "", "a plain word");
    }
    if (frames_.size() == deepest_nesting) {
      complain(at(line_of(mark)), "nested too deeply", "",
               fmt::format("at most {} levels", deepest_nesting));
    }
    std::string path;
    if (!frames_.empty()) {
      const Frame& parent = frames_.back();
      path = parent.key ? parent.path + *parent.key + "." : parent.path;
    }
    YamlNode node;
    node.kind = kind;
    YamlNode* added = add(std::move(node), mark);
    frames_.push_back({added, std::move(path), style == YAML::EmitterStyle::Flow});
  }

  std::string place_;
  int last_line_ = 1;
  bool from_override_;
  int documents_ = 0;
  YamlNode root_;
  std::vector<Frame> frames_;
};

[[noreturn]] void refuse_malformed(const TreeBuilder& builder, const YAML::Exception& error) {
  // An open quote swallows the rest of the text, so its cause is where the last event was.
  if (error.msg == YAML::ErrorMsg::DOC_IN_SCALAR || error.msg == YAML::ErrorMsg::EOF_IN_SCALAR) {
    complain(builder.at(builder.last_line()), "not YAML: a quote is not closed", "", "");
  }
  const std::optional<int> bracket = builder.open_bracket();
  const int line = bracket ? std::max(*bracket, builder.last_line()) : line_of(error.mark);
  const std::string hint =
      bracket ? fmt::format("; is the bracket of line {} closed?", *bracket) : std::string{};
  complain(builder.at(line), "not YAML: " + error.msg + hint, "", "");
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (const auto& [name, node] : entries) {
    if (name == key) return &node;
  }
  return nullptr;
}

YamlNode* YamlNode::find(std::string_view key) {
  return const_cast<YamlNode*>(std::as_const(*this).find(key));
}

YamlNode parse_yaml(const std::string& text, const std::string& place, bool from_override) {
  TreeBuilder builder(place, from_override);
  // yaml-cpp takes the end of the text for the end of an open quote; an end of the document, which
  // is legal after any other text, it does not.
  const bool ended = text.empty() || text.back() == '\n';
  std::istringstream stream(text + (ended ? "...\n" : "\n...\n"));
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    refuse_malformed(builder, error);
  }
  return builder.take();
}

}  // namespace pencilbox

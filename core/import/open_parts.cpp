#include "core/import/open_parts.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace vram {
namespace {

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// "model-00002-of-00005.safetensors": the name before the numbers, the part and how many there are.
struct Numbered {
  std::string_view prefix;
  std::uint32_t part = 0, count = 0;  ///< count 0 = not numbered
};

Numbered numbered(std::string_view path) {
  std::string_view name = base_name(path);
  name = name.substr(0, name.rfind('.'));
  const std::size_t of = name.rfind("-of-");
  if (of == std::string_view::npos) return {name, 0, 0};
  const std::size_t dash = name.rfind('-', of - 1);
  if (of == 0 || dash == std::string_view::npos) return {name, 0, 0};
  const std::string_view part = name.substr(dash + 1, of - dash - 1), count = name.substr(of + 4);
  const auto to_number = [](std::string_view digits) -> std::uint32_t {
    if (digits.empty() || digits.size() > 6 || digits.find_first_not_of("0123456789") != std::string_view::npos)
      return 0;
    std::uint32_t value = 0;
    for (const char c : digits) value = value * 10 + static_cast<std::uint32_t>(c - '0');
    return value;
  };
  const std::uint32_t most = to_number(count);
  return most == 0 ? Numbered{name, 0, 0} : Numbered{name.substr(0, dash), to_number(part), most};
}

/// Names for a sentence: at most three, then "…".
class NameList {
 public:
  void add(std::string_view name) {
    if (++number_ > 3) return;
    text_ += (text_.empty() ? "" : ", ") + std::string(name);
  }
  bool empty() const { return number_ == 0; }
  std::string text() const { return number_ > 3 ? text_ + " …" : text_; }

 private:
  std::string text_;
  std::size_t number_ = 0;
};

Message missing(const NameList& names, std::size_t present, std::size_t count) {
  return Message("open.missing_parts")
      .with("missing", names.text())
      .with("present", static_cast<std::int64_t>(present))
      .with("count", static_cast<std::int64_t>(count));
}

std::string padded(std::uint32_t number) {
  const std::string digits = std::to_string(number);
  return std::string(digits.size() < 5 ? 5 - digits.size() : 0, '0') + digits;
}

bool is_adapter(const TensorList& list) {
  return !list.tensors().empty() &&
         std::all_of(list.tensors().begin(), list.tensors().end(), [](const StoredTensor& tensor) {
           return tensor.name.find("lora_") != std::string_view::npos ||
                  tensor.name.find("modules_to_save") != std::string_view::npos;
         });
}

bool shares_a_name(const TensorList& a, const TensorList& b) {
  std::vector<std::string_view> names;
  for (const StoredTensor& tensor : a.tensors()) names.push_back(tensor.name);
  std::sort(names.begin(), names.end());
  return std::any_of(b.tensors().begin(), b.tensors().end(), [&](const StoredTensor& tensor) {
    return std::binary_search(names.begin(), names.end(), tensor.name);
  });
}

/// Files with one prefix and count, or a single file.
struct Group {
  std::vector<std::size_t> files;
  std::uint32_t count = 0;
  Bytes bytes;
  bool complete = true;
  std::optional<Message> lacks;  ///< what is missing
};

std::optional<Message> check_complete(std::span<const ShardCandidate> files, Group& group) {
  std::set<std::uint32_t> parts;
  for (const std::size_t file : group.files) {
    const Numbered name = numbered(files[file].name);
    if (!parts.insert(name.part).second) {
      return Message("open.part_twice")
          .with("first", std::string(base_name(files[group.files[0]].name)))
          .with("second", std::string(base_name(files[file].name)));
    }
  }
  NameList names;
  const Numbered first = numbered(files[group.files[0]].name);
  for (std::uint32_t part = 1; part <= group.count && group.count <= 100000; ++part) {
    if (!parts.contains(part)) names.add(std::string(first.prefix) + "-" + padded(part) + "-of-" + padded(group.count));
  }
  group.complete = names.empty();
  if (!group.complete) group.lacks = missing(names, group.files.size(), group.count);
  return std::nullopt;
}

}  // namespace

std::optional<Message> check_split(std::span<const SplitPart> parts) {
  std::map<std::int64_t, std::string_view> seen;
  std::int64_t count = 0;
  for (const SplitPart& part : parts) {
    const std::int64_t its_count = part.file->integer("split.count").value_or(1);
    const std::int64_t number = its_count > 1 ? part.file->integer("split.no").value_or(0) : 0;
    const bool other = (count != 0 && its_count != count) || (parts.size() > 1 && its_count <= 1) ||
                       (its_count > 1 && numbered(part.name).prefix != numbered(parts[0].name).prefix);
    if (other && parts.size() > 1) {
      return Message("open.several_models")
          .with("first", std::string(base_name(parts[0].name)))
          .with("second", std::string(base_name(&part == &parts[0] ? parts[1].name : part.name)));
    }
    count = its_count;
    if (const auto [found, is_new] = seen.emplace(number, part.name); !is_new) {
      return Message("open.part_twice")
          .with("first", std::string(base_name(found->second)))
          .with("second", std::string(base_name(part.name)));
    }
  }
  if (count <= 1) return std::nullopt;
  NameList names;
  for (std::int64_t part = 0; part < std::min<std::int64_t>(count, 65536); ++part) {
    if (seen.count(part) == 0) {
      names.add(std::string(numbered(parts[0].name).prefix) + "-" + padded(static_cast<std::uint32_t>(part + 1)) +
                "-of-" + padded(static_cast<std::uint32_t>(std::min<std::int64_t>(count, 99999))) + ".gguf");
    }
  }
  if (names.empty()) return std::nullopt;
  return missing(names, parts.size(), static_cast<std::size_t>(count));
}

ShardChoice choose_checkpoint(std::span<const ShardCandidate> files, const SafetensorsIndex* index) {
  ShardChoice choice;
  choice.uses.assign(files.size(), FileUse::extra);
  std::vector<bool> adapter(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) adapter[i] = is_adapter(*files[i].tensors);

  std::vector<std::size_t> chosen;
  if (index != nullptr) {
    NameList absent;
    std::size_t present = 0;
    for (const std::string& name : index->files) {
      const auto found = std::find_if(files.begin(), files.end(), [&](const ShardCandidate& file) {
        return base_name(file.name) == base_name(name);
      });
      if (found == files.end()) {
        absent.add(base_name(name));
        continue;
      }
      ++present;
      chosen.push_back(static_cast<std::size_t>(found - files.begin()));
    }
    if (!absent.empty()) {
      choice.error = missing(absent, present, index->files.size());
      return choice;
    }
  } else {
    std::map<std::pair<std::string_view, std::uint32_t>, Group> groups;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (adapter[i]) continue;
      const Numbered name = numbered(files[i].name);
      Group& group = groups[{name.prefix, name.count}];
      group.files.push_back(i);
      group.count = name.count;
      group.bytes += files[i].tensors->bytes();
    }
    if (groups.empty()) {
      choice.error = Message("open.only_adapter").with("file", std::string(base_name(files[0].name)));
      return choice;
    }
    const Group* best = nullptr;
    for (auto& [name, group] : groups) {
      if (group.count != 0) choice.error = check_complete(files, group);
      if (group.count == 0 && group.files.size() > 1) {  // the same name twice, from two folders
        choice.error = Message("open.several_models")
                           .with("first", std::string(files[group.files[0]].name))
                           .with("second", std::string(files[group.files[1]].name));
      }
      if (choice.error) return choice;
      const auto rank = [](const Group& g) { return std::tuple(g.complete, g.count != 0, g.bytes); };
      if (best == nullptr || rank(group) > rank(*best)) best = &group;
    }
    if (!best->complete) {
      choice.error = best->lacks;
      return choice;
    }
    chosen = best->files;
  }
  for (const std::size_t file : chosen) choice.uses[file] = FileUse::weights;

  // What is left: another copy of the same weights, an adapter, or tensors that the checkpoint needs too.
  Bytes main_bytes;
  for (const std::size_t file : chosen) main_bytes += files[file].tensors->bytes();
  Bytes rest;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (choice.uses[i] != FileUse::weights && !adapter[i]) rest += files[i].tensors->bytes();
  }
  const bool as_much = rest * Count(100) > main_bytes * Count(90);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (choice.uses[i] == FileUse::weights) continue;
    const bool same_names = std::any_of(chosen.begin(), chosen.end(), [&](std::size_t file) {
      return shares_a_name(*files[file].tensors, *files[i].tensors);
    });
    if (adapter[i])
      choice.uses[i] = FileUse::adapter;
    else if (same_names || as_much)
      choice.uses[i] = FileUse::second_copy;
    else
      choice.uses[i] = index != nullptr ? FileUse::extra : FileUse::weights;
  }
  return choice;
}

std::string name_without_ending(std::string_view file) { return std::string(numbered(file).prefix); }

}  // namespace vram

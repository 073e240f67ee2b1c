// nvidia-smi and MetaX's mx-smi: the plain table, and nvidia-smi's --query-gpu=… --format=csv.
#include <algorithm>
#include <vector>

#include "core/import/engine_log_reader.h"

namespace vram {
namespace {

using Q = Quantity;

constexpr std::size_t kMostColumns = 64;

std::vector<std::string_view> cells_of(std::string_view line, char mark) {
  std::vector<std::string_view> cells;
  while (cells.size() < kMostColumns) {
    const std::size_t end = line.find(mark);
    cells.push_back(trimmed(line.substr(0, end)));
    if (end == std::string_view::npos) break;
    line.remove_prefix(end + 1);
  }
  return cells;
}

bool is_memory(std::string_view column) {
  return column.substr(0, 11) == "memory.used" || column.substr(0, 12) == "memory.total";
}

class SmiReader final : public LogReader {
 public:
  SmiReader() : LogReader(LogProgram::nvidia_smi) {}

  void read(const LogLine& line) override {
    const std::string_view text = line.text;
    if (contains(text, "NVIDIA-SMI ")) return begin_table(line, LogProgram::nvidia_smi, "NVIDIA-SMI ");
    if (contains(text, "MX-SMI ")) return begin_table(line, LogProgram::mx_smi, "MX-SMI ");
    if (contains(text, "memory.total") || contains(text, "memory.used")) return begin_csv(line);
    if (in_table_)
      read_row(line);
    else if (!columns_.empty())
      read_csv(line);
  }

 private:
  /// A table is followed by that of processes; rows of a list stand alone.
  bool is_complete(const Start& start) const override { return !start.log.measured.empty() && (ended_ || !in_table_); }

  void begin_table(const LogLine& line, LogProgram program, std::string_view mark) {
    if (!contains(line.text, "|")) return;
    begin_start(line, true);
    set_program(program);
    const auto version = after(line.text, mark);
    start().log.version = bounded(version->substr(0, version->find(' ')), 40);
    in_table_ = true;
    ended_ = false;
    columns_.clear();
    index_ = -1;
  }

  /// A device has two rows: "|   0  NVIDIA GeForce RTX 4090   Off | …" and "| 31%  28C … |  393MiB / 24564MiB | …", or
  /// MetaX's "| 0   MetaX C500 | …" and "| 45C  48W / 350W | 858/65536 MiB | Available |".
  void read_row(const LogLine& line) {
    if (contains(line.text, "MIG devices") || contains(line.text, "Processes:") || contains(line.text, "Process:")) {
      ended_ = true;  // further tables list parts of what was told
      return;
    }
    if (ended_) return;
    const std::size_t bar = line.text.find('|');
    if (bar == std::string_view::npos) {
      ended_ = !contains(line.text, "---") && !contains(line.text, "===");
      return;
    }
    const std::vector<std::string_view> cells = cells_of(line.text.substr(bar + 1), '|');
    if (cells.size() < 3) return;
    for (const std::string_view cell : cells) {
      if (index_ >= 0 && read_usage(line, cell)) {
        index_ = -1;
        return;
      }
    }
    const int index = small_number(cells[0]);
    const std::size_t space = cells[0].find("  ");
    if (index < 0 || index > 1023 || space == std::string_view::npos) return;
    index_ = index;
    const std::string_view name = trimmed(cells[0].substr(space));
    set_device_name(index, name.substr(0, name.find("  ")));
  }

  bool read_usage(const LogLine& line, std::string_view cell) {
    const std::size_t slash = cell.find('/');
    if (slash == std::string_view::npos || !contains(cell, "iB")) return false;
    std::string_view used = cell, total = cell.substr(slash + 1);
    const auto used_figure = take_bytes(used), total_figure = take_bytes(total);
    if (!used_figure || !total_figure) return false;
    keep(line, Q::total_used, index_, *used_figure);
    keep(line, Q::device_total, index_, *total_figure);
    return true;
  }

  void keep(const LogLine& line, Quantity quantity, int device, const Figure& figure) {
    Measured measured;
    measured.quantity = quantity;
    measured.device = device;
    record(line, std::move(measured), figure, Merge::last);
  }

  /// "index, name, memory.total [MiB], memory.used [MiB]"
  void begin_csv(const LogLine& line) {
    const std::vector<std::string_view> columns = cells_of(line.text, ',');
    const bool header = std::all_of(columns.begin(), columns.end(), [](std::string_view column) {
      return !column.empty() && column.find_first_of("=/'\"(") == std::string_view::npos;
    });
    const bool asks = std::any_of(columns.begin(), columns.end(), is_memory);
    if (!header || !asks) return;
    begin_start(line, true);
    set_program(LogProgram::nvidia_smi);
    in_table_ = false;
    row_ = 0;
    columns_.clear();
    for (const std::string_view column : columns) columns_.emplace_back(column);
  }

  void read_csv(const LogLine& line) {
    const std::vector<std::string_view> cells = cells_of(line.text, ',');
    if (cells.size() != columns_.size()) {
      columns_.clear();
      return;
    }
    int device = row_;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (columns_[i] == "index" && small_number(cells[i]) >= 0) device = small_number(cells[i]);
    }
    if (device > 1023) return;
    bool any = false;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string& column = columns_[i];
      if (column == "name" || column == "gpu_name") set_device_name(device, cells[i]);
      const bool used = column.substr(0, 11) == "memory.used";
      if (!is_memory(column)) continue;
      const std::optional<Figure> figure = in_mebibytes(cells[i], column);
      if (!figure) continue;
      keep(line, used ? Q::total_used : Q::device_total, device, *figure);
      any = true;
    }
    if (any) ++row_;
  }

  /// "81920 MiB", or with the option nounits "81920" under "memory.total [MiB]".
  static std::optional<Figure> in_mebibytes(std::string_view cell, const std::string& column) {
    std::string_view rest = cell;
    if (const auto figure = take_bytes(rest)) return figure;
    if (!contains(column, "[MiB]")) return std::nullopt;
    std::string with_unit = bounded(cell, 40) + " MiB";
    std::string_view text = with_unit;
    return take_bytes(text);
  }

  bool in_table_ = false, ended_ = false;
  int index_ = -1, row_ = 0;
  std::vector<std::string> columns_;
};

}  // namespace

std::unique_ptr<LogReader> smi_log_reader() { return std::make_unique<SmiReader>(); }

}  // namespace vram

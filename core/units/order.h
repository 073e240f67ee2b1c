// Sorting without a copy of the library's merge sort for every type: nineteen of them were 37 KB of the page's program.
#pragma once
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace vram {

/// The numbers 0…count-1 in the order of `before`; equal ones keep theirs.
std::vector<std::size_t> order_of(std::size_t count, const std::function<bool(std::size_t, std::size_t)>& before);

/// std::stable_sort of a whole vector.
template <class T, class Before>
void sort_stably(std::vector<T>& items, const Before& before) {
  const std::vector<std::size_t> order =
      order_of(items.size(), [&](std::size_t a, std::size_t b) { return before(items[a], items[b]); });
  std::vector<T> sorted;
  sorted.reserve(items.size());
  for (const std::size_t i : order) sorted.push_back(std::move(items[i]));
  items = std::move(sorted);
}

}  // namespace vram

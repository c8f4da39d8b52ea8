#include "allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

#if defined(_WIN32)
#include <malloc.h>
#endif

// The operators new and delete of the test program count. Each block keeps its size in front of
// it, far enough to keep any alignment up to a page.
namespace {

constexpr std::size_t front = 64;

std::atomic<std::size_t> live{0};
std::atomic<std::size_t> highest{0};
std::size_t start = 0;
std::size_t limit = 0;

void* take(std::size_t bytes, std::size_t alignment) noexcept {
  if (limit != 0 && bytes > limit) return nullptr;
  const std::size_t size = (bytes + front + alignment) / alignment * alignment;
#if defined(_WIN32)
  auto* const block = static_cast<std::byte*>(::_aligned_malloc(size, alignment));
#else
  auto* const block = static_cast<std::byte*>(std::aligned_alloc(alignment, size));
#endif
  if (block == nullptr) return nullptr;
  *reinterpret_cast<std::size_t*>(block) = bytes;
  const std::size_t now = live += bytes;
  if (now > highest) highest = now;
  return block + front;
}

void give_back(void* memory) noexcept {
  if (memory == nullptr) return;
  std::byte* const block = static_cast<std::byte*>(memory) - front;
  live -= *reinterpret_cast<std::size_t*>(block);
#if defined(_WIN32)
  ::_aligned_free(block);
#else
  std::free(block);
#endif
}

void* take_or_throw(std::size_t bytes) {
  void* const memory = take(bytes, front);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

namespace test {

std::size_t allocated_bytes() {
  return live;
}
void watch_allocations() {
  start = live;
  highest = start;
}
void limit_allocations(std::size_t bytes) {
  limit = bytes;
}
std::size_t peak_allocation() {
  return highest - start;
}

}  // namespace test

void* operator new(std::size_t bytes) {
  return take_or_throw(bytes);
}
void* operator new[](std::size_t bytes) {
  return take_or_throw(bytes);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return take(bytes, front);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return take(bytes, front);
}
void* operator new[](std::size_t bytes, std::align_val_t, const std::nothrow_t&) noexcept {
  return take(bytes, front);
}
void operator delete(void* memory) noexcept {
  give_back(memory);
}
void operator delete[](void* memory) noexcept {
  give_back(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  give_back(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  give_back(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  give_back(memory);
}

// SPDX-License-Identifier: Apache-2.0
/*!
 * \file loading.h
 * \brief A library that is being loaded, and what its initialisers register.
 */
#ifndef TVM_FFI_SRC_LOADING_H_
#define TVM_FFI_SRC_LOADING_H_

#include <tvm/ffi/error.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "code_image.h"

namespace tvm {
namespace ffi {

/*! \brief A second registration of one thing. The first stays. */
struct Repeat {
  /*! \brief Whether the program can go on with the first in the place of both. */
  enum Harm { kNone, kNoneIfSameBuild, kClash };

  std::string subject;  // "global function `x`"
  Harm harm;
  std::string difference;  // of two layouts: "24 bytes there, 32 here"
  const void* first;       // code that registered it first; null when that is not known
  const void* second;      // code that registers it now
};

/*!
 * \brief A file that this thread loads. Initialisers may load further ones, so they nest.
 *
 * An error can't leave an initialiser: inline code would make it an exception that ends the
 * process. What goes wrong in one is kept here instead, and raised when dlopen has returned.
 *
 * Initialisers may also wait for threads that they start. What those register belongs to the load
 * when their code came with it; the thread that loads holds the lock of the dynamic loader
 * meanwhile, so nothing here may need it.
 */
class Loading {
 public:
  Loading();
  ~Loading();
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;

  static Loading* Innermost() { return innermost_; }

  /*!
   * \brief Notes that the code at `registrant` has registered something.
   * \param undo Takes it back when the file is refused; none where that can't be done.
   */
  static void NoteRegistration(const void* registrant, std::function<void()> undo = nullptr) {
    if (num_active_.load(std::memory_order_relaxed) != 0) Note(registrant, std::move(undo));
  }

  /*! \brief Keeps the first error that a TVM_FFI_STATIC_INIT_BLOCK threw. */
  void NoteError(const Error& error);

  /*! \brief The same for the load that the code at `registrant` is part of; false without one. */
  static bool NoteErrorOf(const void* registrant, const Error& error);
  static bool NoteRepeat(const Repeat& repeat);

  bool registered_anything() const { return !registered_.empty(); }

  /*!
   * \brief Judges the file once it is loaded: prints a warning about repeats that do no harm, or
   * takes back what the file has registered.
   * \return The error to raise, if the file can't be used.
   */
  std::optional<Error> Finish(const std::string& path, const CodeImage& image);

 private:
  struct Registration {
    const void* registrant;
    std::function<void()> undo;
  };
  struct Clash {
    std::string subject;
    std::string text;
    CodeImage by;
  };

  static void Note(const void* registrant, std::function<void()> undo);
  // The caller holds the mutex of the loads.
  static Loading* Find(const void* registrant);
  void AddRepeat(const Repeat& repeat);

  static thread_local Loading* innermost_;
  static std::atomic<int> num_active_;

  Loading* outer_;
  std::vector<const void*> mapped_before_;  // sorted bases of the files
  std::vector<Registration> registered_;
  std::optional<Error> error_;
  std::vector<Clash> clashes_;
  // Repeats that do no harm: the first of them, and how many there are.
  std::optional<Repeat> repeat_;
  std::vector<std::string> repeated_;
};

/*!
 * \brief Settles a second registration that an initialiser of a library makes: the first stays, and
 * the repeat goes to who loads the library, or to stderr when that is not this library.
 * \return False outside of initialisers: the caller then raises its error.
 */
bool KeepFirst(const Repeat& repeat);

/*!
 * \brief Keeps an error that a call without a way to report it meets in an initialiser of a
 * library: it becomes the error of the load, or goes to stderr when this library is not the one who
 * loads.
 * \return False outside of initialisers.
 */
bool KeepError(const Error& error, const void* registrant);

}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_SRC_LOADING_H_

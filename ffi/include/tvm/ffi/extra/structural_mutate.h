// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/structural_mutate.h
 * \brief Rebuilding values with parts of them replaced. What does not change is shared.
 *
 * The rebuilding runs inside the library, on a stack of its own, so depth is limited by memory
 * only.
 */
#ifndef TVM_FFI_EXTRA_STRUCTURAL_MUTATE_H_
#define TVM_FFI_EXTRA_STRUCTURAL_MUTATE_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/expected.h>
#include <tvm/ffi/extra/structural_visit.h>
#include <tvm/ffi/extra/visit_error_context.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/reflection/native_function.h>
#include <tvm/ffi/rvalue_ref.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace tvm {
namespace ffi {

/*! \brief Whether a mutation may change an object that nobody else holds. */
enum class InplaceMode : int32_t { kDisallow = 0, kAllow = 1 };

/*! \brief Result of a mutation that changes nothing. */
struct Unchanged {};

/// \cond Doxygen_Suppress
template <>
struct TypeTraits<Unchanged> : public TypeTraitsBase {
  static void CopyToAnyView(const Unchanged&, TVMFFIAny* result) {
    *result = AnyView(nullptr).CopyToTVMFFIAny();
    result->type_index = TypeIndex::kTVMFFIUnchanged;
  }
  static void MoveToAny(Unchanged src, TVMFFIAny* result) { CopyToAnyView(src, result); }
  static bool CheckAnyStrict(const TVMFFIAny* src) {
    return src->type_index == TypeIndex::kTVMFFIUnchanged;
  }
  static Unchanged CopyFromAnyViewAfterCheck(const TVMFFIAny*) { return Unchanged(); }
  static Unchanged MoveFromAnyAfterCheck(TVMFFIAny*) { return Unchanged(); }
  static std::optional<Unchanged> TryCastFromAnyView(const TVMFFIAny* src) {
    if (CheckAnyStrict(src)) return Unchanged();
    return std::nullopt;
  }
  static std::string TypeStr() { return StaticTypeKey::kTVMFFIUnchanged; }
  static std::string TypeSchema() {
    return detail::SimpleTypeSchema(StaticTypeKey::kTVMFFIUnchanged);
  }
};
/// \endcond

template <typename T>
class UnchangedOr;

namespace detail {
template <typename T>
inline constexpr bool is_unchanged_or_v = std::is_same_v<T, Unchanged>;
template <typename T>
inline constexpr bool is_unchanged_or_v<UnchangedOr<T>> = true;
}  // namespace detail

/*! \brief A `T`, or the word that the original stays. One value wide. */
template <typename T>
class UnchangedOr {
 public:
  UnchangedOr(Unchanged unchanged) : data_(unchanged) {}  // NOLINT(google-explicit-constructor)
  UnchangedOr(T value) : data_(std::move(value)) {}       // NOLINT(google-explicit-constructor)
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U, T> &&
                                                    !std::is_same_v<std::decay_t<U>, T> &&
                                                    !detail::is_unchanged_or_v<std::decay_t<U>>>>
  UnchangedOr(U&& value) : UnchangedOr(T(std::forward<U>(value))) {}  // NOLINT(*)
  template <typename U,
            typename = std::enable_if_t<!std::is_same_v<U, T> &&
                                        (type_subsumes_v<T, U> || std::is_convertible_v<U, T>)>>
  UnchangedOr(UnchangedOr<U> other) {  // NOLINT(google-explicit-constructor)
    if (other.IsUnchanged()) {
      data_ = Unchanged();
    } else {
      data_ = Any(T(std::move(other).ValueUnchecked()));
    }
  }

  bool IsUnchanged() const { return data_.type_index() == TypeIndex::kTVMFFIUnchanged; }
  /*! \brief Whether the result is the original, said so or given back. */
  bool UnchangedOrSameAs(const T& original) const {
    return IsUnchanged() || data_.same_as(Any(original));
  }
  /*! \brief The new value, or the original when nothing changed. */
  T ValueOrUnchanged(T original) && {
    if (IsUnchanged()) return original;
    return std::move(*this).ValueUnchecked();
  }
  /*! \brief The new value; there must be one. */
  T ValueUnchecked() && { return detail::AnyUnsafe::MoveFromAnyAfterCheck<T>(std::move(data_)); }
  /*! \brief The same with a narrower type; nullopt when the new value is no `U`. */
  template <typename U>
  std::optional<UnchangedOr<U>> as() && {
    if (IsUnchanged()) return UnchangedOr<U>(Unchanged());
    if (!detail::AnyUnsafe::CheckAnyStrict<U>(data_)) return std::nullopt;
    return UnchangedOr<U>(detail::AnyUnsafe::MoveFromAnyAfterCheck<U>(std::move(data_)));
  }
  /*! \brief As `as`, and a new value that is no `U` is TypeError. */
  template <typename U>
  UnchangedOr<U> as_or_throw() && {
    if (IsUnchanged()) return UnchangedOr<U>(Unchanged());
    return UnchangedOr<U>(std::move(data_).template as_or_throw<U>());
  }

 private:
  friend struct TypeTraits<UnchangedOr<T>>;
  struct Raw {};
  UnchangedOr(Raw, Any data) : data_(std::move(data)) {}
  Any data_;
};

/// \cond Doxygen_Suppress
template <typename T>
struct TypeTraits<UnchangedOr<T>> : public TypeTraitsBase {
  using Self = UnchangedOr<T>;
  static void CopyToAnyView(const Self& src, TVMFFIAny* result) {
    *result = AnyView(src.data_).CopyToTVMFFIAny();
  }
  static void MoveToAny(Self src, TVMFFIAny* result) {
    *result = detail::AnyUnsafe::MoveAnyToTVMFFIAny(std::move(src.data_));
  }
  static bool CheckAnyStrict(const TVMFFIAny* src) {
    if (src->type_index == TypeIndex::kTVMFFIUnchanged) return true;
    if constexpr (std::is_same_v<T, Any>) {
      return src->type_index != TypeIndex::kTVMFFIError;
    } else {
      return TypeTraits<T>::CheckAnyStrict(src);
    }
  }
  static Self CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    return Self(typename Self::Raw{}, Any(AnyView::CopyFromTVMFFIAny(*src)));
  }
  static Self MoveFromAnyAfterCheck(TVMFFIAny* src) {
    return Self(typename Self::Raw{}, detail::AnyUnsafe::MoveTVMFFIAnyToAny(src));
  }
  static std::optional<Self> TryCastFromAnyView(const TVMFFIAny* src) {
    if (CheckAnyStrict(src)) return CopyFromAnyViewAfterCheck(src);
    return std::nullopt;
  }
  static std::string TypeStr() {
    return detail::ComposeTypeStr("UnchangedOr", {&detail::Type2Str<T>::v});
  }
  static std::string TypeSchema() {
    return detail::ComposeTypeSchema("UnchangedOr", {&detail::TypeSchema<T>::v});
  }
};
/// \endcond

class StructuralMutatorObj;

/*! \brief Address form of the mutation hooks: Unchanged, a new value, or an Error. */
using FStructuralMutateABI = TVMFFIAny (*)(StructuralMutatorObj*, AnyView) noexcept;

/*!
 * \brief A mutator: what the hooks of types call for their children.
 *
 * Its binary form (the table of functions) is shared with code compiled elsewhere.
 */
class StructuralMutatorObj : public Object {
 public:
  using MutatorObjType = StructuralMutatorObj;
  /*! \brief State that engines over this mutator hand to callbacks after the value; none here. */
  using StateTupleType = std::tuple<>;

  /*! \brief Functions of a mutator; results are owned by the caller, errors are Error objects. */
  struct VTable {
    TVMFFIAny (*mutate)(StructuralMutatorObj* self, AnyView value) noexcept;
    /*! \brief As mutate for an object that only the slot behind `value` holds. */
    TVMFFIAny (*maybe_inplace_mutate)(StructuralMutatorObj* self, AnyView value) noexcept;
    /*! \brief Replacement of a variable; None when it has none. */
    TVMFFIAny (*var_remap_get)(StructuralMutatorObj* self, AnyView var) noexcept;
    /*! \brief Records a replacement; None on success. */
    TVMFFIAny (*var_remap_set)(StructuralMutatorObj* self, AnyView var, AnyView value) noexcept;
  };

  /*! \brief Mutates a value; throws errors. */
  UnchangedOr<Any> Mutate(AnyView value, InplaceMode mode = InplaceMode::kDisallow) {
    return MutateExpected(value, mode).value();
  }
  /*! \brief As Mutate, and errors are returned. */
  Expected<UnchangedOr<Any>> MutateExpected(AnyView value,
                                            InplaceMode mode = InplaceMode::kDisallow) noexcept {
    const bool inplace = mode == InplaceMode::kAllow && IsUniqueObject(value);
    return detail::HookResult<UnchangedOr<Any>>(inplace ? vtable_->maybe_inplace_mutate(this, value)
                                                        : vtable_->mutate(this, value));
  }
  /*! \brief Mutates the children of a value: by the hook of its type, else field by field. */
  inline Expected<UnchangedOr<Any>> DefaultMutateExpected(
      AnyView value, InplaceMode mode = InplaceMode::kDisallow);
  /*! \brief Replacement of a variable; None when it has none. */
  Expected<Any> VarRemapGetExpected(AnyView var) noexcept {
    return detail::HookResult<Any>(vtable_->var_remap_get(this, var));
  }
  Expected<void> VarRemapSetExpected(AnyView var, AnyView value) noexcept {
    return detail::HookResult<void>(vtable_->var_remap_set(this, var, value));
  }

  /*! \brief The definition region around the value being mutated. */
  TVMFFIDefRegionKind def_region_kind() const {
    return static_cast<TVMFFIDefRegionKind>(def_region_mode_);
  }
  /*! \brief Calls `callback()` inside a region; a surrounding Pattern region stays. */
  template <typename Callback>
  auto WithDefRegionKind(TVMFFIDefRegionKind kind, Callback&& callback) {
    detail::DefRegionScope scope(&def_region_mode_, kind);
    return std::forward<Callback>(callback)();
  }

  /// \cond Doxygen_Suppress
  static constexpr const bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("ffi.StructuralMutator", StructuralMutatorObj, Object);
  /// \endcond

 protected:
  explicit StructuralMutatorObj(const VTable* vtable) : vtable_(vtable) {}
  StateTupleType StateTuple() const { return {}; }

  const VTable* vtable_;
  int32_t def_region_mode_ = kTVMFFIDefRegionKindNone;

 private:
  static bool IsUniqueObject(AnyView value) {
    return value.type_index() >= TypeIndex::kTVMFFIStaticObjectBegin &&
           detail::AnyUnsafe::RawObjectPtrFromAnyViewAfterCheck<Object>(value)->unique();
  }
};

/*! \brief Reference to a mutator. */
class StructuralMutator : public ObjectRef {
 public:
  explicit StructuralMutator(ObjectPtr<StructuralMutatorObj> data)
      : ObjectRef(ObjectPtr<Object>(std::move(data))) {}
  /// \cond Doxygen_Suppress
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(StructuralMutator, ObjectRef, StructuralMutatorObj);
  /// \endcond
};

namespace type_attr {
/*! \brief Mutates the children of an object of a type. */
inline constexpr reflection::AttrKey<
    NativeFunctionView<UnchangedOr<Any>(StructuralMutatorObj*, AnyView)>>
    kStructuralMutate{"__s_mutate__"};
/*! \brief As kStructuralMutate for an object that nobody else holds; it may change in place. */
inline constexpr reflection::AttrKey<
    NativeFunctionView<UnchangedOr<Any>(StructuralMutatorObj*, AnyView)>>
    kStructuralMaybeInplaceMutate{"__s_maybe_inplace_mutate__"};
}  // namespace type_attr

inline Expected<UnchangedOr<Any>> StructuralMutatorObj::DefaultMutateExpected(AnyView value,
                                                                              InplaceMode mode) {
  if (mode == InplaceMode::kAllow && IsUniqueObject(value)) {
    const TVMFFIAny* hook = detail::FindTypeAttr(
        detail::GetTypeAttrColumn(type_attr::kStructuralMaybeInplaceMutate.name),
        value.type_index());
    if (hook != nullptr) {
      return type_attr::kStructuralMaybeInplaceMutate.ValueFrom(AnyView::CopyFromTVMFFIAny(*hook))
          ->CallExpected(this, value);
    }
  }
  static const Function mutate = Function::GetGlobalRequired("ffi.StructuralMutatorDefaultMutate");
  Expected<Any> result = mutate.CallExpected<Any>(this, value);
  if (result.is_err()) return std::move(result).error();
  Any mutated = std::move(result).value();
  if (AnyView(mutated).same_as(value)) return UnchangedOr<Any>(Unchanged());
  return UnchangedOr<Any>(std::move(mutated));
}

namespace detail {

inline Expected<UnchangedOr<Any>> FromMutateValue(Any value) {
  return ExpectedUnsafe::FromAny<UnchangedOr<Any>>(std::move(value));
}

/*! \brief What a map or mutate callback gave, as Unchanged or a new value. */
template <typename R>
Expected<UnchangedOr<Any>> AsMutateResult(R result) {
  if constexpr (is_expected_v<R>) {
    if (result.is_err()) return std::move(result).error();
    return FromMutateValue(ExpectedUnsafe::GetData(std::move(result)));
  } else if constexpr (is_unexpected_v<R>) {
    return Error(std::move(result).error());
  } else if constexpr (std::is_base_of_v<Error, R>) {
    return Error(std::move(result));
  } else {
    return FromMutateValue(Any(std::move(result)));
  }
}

template <typename Call>
Expected<UnchangedOr<Any>> CallMutateCallback(Call&& call) {
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    return UnchangedOr<Any>(Unchanged());
  } else {
    return AsMutateResult(std::decay_t<decltype(call())>(call()));
  }
}

/*! \brief Asks the callbacks from `I` on for a replacement; Unchanged when no one fits. */
template <size_t I, typename Callbacks, typename State>
Expected<UnchangedOr<Any>> DispatchMap(Callbacks& callbacks, AnyView value, const State& state,
                                       TVMFFIDefRegionKind region) {
  return FirstThatTakes<I>(
      callbacks, value,
      [&](auto& f) {
        return CallMutateCallback(
            [&]() -> decltype(auto) { return CallWithRegion(f, value, state, region); });
      },
      []() -> Expected<UnchangedOr<Any>> { return UnchangedOr<Any>(Unchanged()); });
}

/*! \brief Asks the callbacks from `I` on to mutate a value; the default mutation when no one fits.
 */
template <size_t I, typename Mutator, typename Callbacks>
Expected<UnchangedOr<Any>> DispatchMutate(Callbacks& callbacks, AnyView value, Mutator* mutator,
                                          InplaceMode mode) {
  return FirstThatTakes<I>(
      callbacks, value,
      [&](auto& f) {
        using F = std::remove_reference_t<decltype(f)>;
        return CallMutateCallback([&]() -> decltype(auto) {
          if constexpr (std::is_same_v<typename VisitCallbackTraits<F>::Last, InplaceMode>) {
            return CallWithState(f, value, std::tuple<>(), mutator, mode);
          } else {
            return CallWithState(f, value, std::tuple<>(), mutator);
          }
        });
      },
      [&]() { return mutator->DefaultMutateExpected(value, mode); });
}

/*! \brief Calls an engine of the library with a root that gives its only reference away. */
template <typename... Args>
Expected<Any> CallWithRoot(const char* engine, Any root, const Args&... args) {
  const Function run = Function::GetGlobalRequired(engine);
  if (root.type_index() < TypeIndex::kTVMFFIStaticObjectBegin) {
    return run.CallExpected<Any>(root, args...);
  }
  return run.CallExpected<Any>(
      RValueRef<ObjectRef>(AnyUnsafe::MoveFromAnyAfterCheck<ObjectRef>(std::move(root))), args...);
}

using MutateCallbackEntry = Tuple<int32_t, Function, bool>;

template <WalkOrder order, typename... Callbacks>
Expected<Any> RunMap(Any root, Callbacks&&... callbacks) {
  using Held = std::tuple<std::decay_t<Callbacks>...>;
  // Shared: the engine may be kept by a callback and then outlives this call.
  auto held = std::make_shared<Held>(std::forward<Callbacks>(callbacks)...);
  const Array<CallbackEntry> entries =
      MakeCallbackEntries<CallbackEntry, std::decay_t<Callbacks>...>(
          std::index_sequence_for<Callbacks...>(), [&](auto index, int32_t type_index) {
            return CallbackEntry(
                type_index, Function::FromPacked([held](const AnyView* args, int32_t, Any* rv) {
                  StoreExpected(DispatchMap<decltype(index)::value>(
                                    *held, args[0], std::tuple<>(),
                                    static_cast<TVMFFIDefRegionKind>(args[1].cast<int32_t>())),
                                rv);
                }));
          });
  return CallWithRoot("ffi.StructuralMap", std::move(root), Array<CallbackEntry>(), entries,
                      static_cast<int32_t>(order));
}

template <typename... Callbacks>
Expected<Any> RunMutate(Any root, Callbacks&&... callbacks) {
  using Held = std::tuple<std::decay_t<Callbacks>...>;
  auto held = std::make_shared<Held>(std::forward<Callbacks>(callbacks)...);
  const Array<MutateCallbackEntry> entries =
      MakeCallbackEntries<MutateCallbackEntry, std::decay_t<Callbacks>...>(
          std::index_sequence_for<Callbacks...>(), [&](auto index, int32_t type_index) {
            return MutateCallbackEntry(
                type_index, Function::FromPacked([held](const AnyView* args, int32_t, Any* rv) {
                  StoreExpected(DispatchMutate<decltype(index)::value>(
                                    *held, args[0], args[1].cast<StructuralMutatorObj*>(),
                                    static_cast<InplaceMode>(args[2].cast<int32_t>())),
                                rv);
                }),
                true);
          });
  return CallWithRoot("ffi.StructuralMutate", std::move(root), entries);
}

}  // namespace detail

/*!
 * \brief Replaces parts of `root`; children are handled automatically.
 * \param callbacks `(value[, TVMFFIDefRegionKind])`, giving a replacement, Unchanged, an error or
 * an Expected. The first callback whose parameter takes the value strictly is called.
 * \return The new value, or `root` itself when nothing changed. A root that is passed as its only
 *         reference may be changed in place.
 */
template <WalkOrder order = WalkOrder::kPostOrder, typename... Callbacks>
Expected<Any> StructuralMapExpected(Any root, Callbacks&&... callbacks) {
  static_assert(sizeof...(Callbacks) != 0, "a map needs a callback");
  return detail::RunMap<order>(std::move(root), std::forward<Callbacks>(callbacks)...);
}
template <WalkOrder order = WalkOrder::kPostOrder, typename... Callbacks>
Any StructuralMap(Any root, Callbacks&&... callbacks) {
  return StructuralMapExpected<order>(std::move(root), std::forward<Callbacks>(callbacks)...)
      .value();
}

/*!
 * \brief As StructuralMap, with callbacks `(value, StructuralMutatorObj*[, InplaceMode])` that
 * mutate the children themselves. Values that no callback takes are mutated by default.
 */
template <typename... Callbacks>
Expected<Any> StructuralMutateExpected(Any root, Callbacks&&... callbacks) {
  static_assert(sizeof...(Callbacks) != 0, "a mutation needs a callback");
  return detail::RunMutate(std::move(root), std::forward<Callbacks>(callbacks)...);
}
template <typename... Callbacks>
Any StructuralMutate(Any root, Callbacks&&... callbacks) {
  return StructuralMutateExpected(std::move(root), std::forward<Callbacks>(callbacks)...).value();
}

/*! \brief Base of mutation engines over a mutator class of one's own: keeps the variable map. */
template <typename Parent>
class StructuralMapEngineBaseOf : public Parent {
 protected:
  explicit StructuralMapEngineBaseOf(const StructuralMutatorObj::VTable* vtable) : Parent(vtable) {}

  static TVMFFIAny VarRemapGetEntry(StructuralMutatorObj* self, AnyView var) noexcept {
    return Guard(var, [&]() -> Any {
      const VarMap& map = static_cast<StructuralMapEngineBaseOf*>(self)->var_map_;
      const auto found = map.find(Any(var));
      return found == map.end() ? Any(nullptr) : found->second;
    });
  }
  static TVMFFIAny VarRemapSetEntry(StructuralMutatorObj* self, AnyView var,
                                    AnyView value) noexcept {
    return Guard(var, [&]() -> Any {
      static_cast<StructuralMapEngineBaseOf*>(self)->var_map_.insert_or_assign(Any(var),
                                                                               Any(value));
      return Any(nullptr);
    });
  }
  /*! \brief Runs one step of an engine; its error notes `value`. */
  template <typename F>
  static TVMFFIAny Guard(AnyView value, F&& step) noexcept {
    try {
      try {
        return detail::AnyUnsafe::MoveAnyToTVMFFIAny(step());
      } catch (Error& err) {
        if (value.type_index() >= TypeIndex::kTVMFFIStaticObjectBegin) {
          detail::UpdateVisitErrorContext(err, value.cast<ObjectRef>());
        }
        throw;
      }
    } catch (...) {
      return detail::ErrorToRawAny(detail::CurrentExceptionAsError());
    }
  }

 private:
  // By identity for objects, by value for the rest; None can't be a variable.
  struct SameBits {
    bool operator()(const Any& a, const Any& b) const { return a.same_as(b); }
  };
  using VarMap = std::unordered_map<Any, Any, AnyHash, SameBits>;
  VarMap var_map_;
};

using StructuralMapEngineBase = StructuralMapEngineBaseOf<StructuralMutatorObj>;

/*! \brief A map over a mutator class of one's own, whose StateTuple() goes to the callbacks. */
template <typename Parent, WalkOrder order, typename... Callbacks>
class StructuralMapEngine : public StructuralMapEngineBaseOf<Parent> {
  using Base = StructuralMapEngineBaseOf<Parent>;

 public:
  explicit StructuralMapEngine(Callbacks... callbacks)
      : Base(Table()), callbacks_(std::move(callbacks)...) {}

 private:
  static const StructuralMutatorObj::VTable* Table() {
    static const StructuralMutatorObj::VTable table{
        &MutateEntry, &InplaceEntry, &Base::VarRemapGetEntry, &Base::VarRemapSetEntry};
    return &table;
  }
  static TVMFFIAny MutateEntry(StructuralMutatorObj* self, AnyView value) noexcept {
    return Run(self, value, InplaceMode::kDisallow);
  }
  static TVMFFIAny InplaceEntry(StructuralMutatorObj* self, AnyView value) noexcept {
    return Run(self, value, InplaceMode::kAllow);
  }
  static TVMFFIAny Run(StructuralMutatorObj* self, AnyView value, InplaceMode mode) noexcept {
    StructuralMapEngine* engine = static_cast<StructuralMapEngine*>(self);
    return Base::Guard(value, [&]() -> Any { return engine->Map(value, mode); });
  }
  Any Map(AnyView value, InplaceMode mode) {
    Any current;
    bool changed = false;
    if constexpr (order == WalkOrder::kPreOrder) {
      changed = Take(CallBack(value), &current);
      const bool below =
          Take(Descend(changed ? AnyView(current) : value, changed ? InplaceMode::kDisallow : mode),
               &current);
      changed = changed || below;
    } else {
      changed = Take(Descend(value, mode), &current);
      const bool here = Take(CallBack(changed ? AnyView(current) : value), &current);
      changed = changed || here;
    }
    return changed ? current : Any(Unchanged());
  }
  UnchangedOr<Any> CallBack(AnyView value) {
    return detail::DispatchMap<0>(callbacks_, value, this->StateTuple(), this->def_region_kind())
        .value();
  }
  UnchangedOr<Any> Descend(AnyView value, InplaceMode mode) {
    return this->DefaultMutateExpected(value, mode).value();
  }
  static bool Take(UnchangedOr<Any> result, Any* current) {
    if (result.IsUnchanged()) return false;
    *current = std::move(result).ValueUnchecked();
    return true;
  }

  std::tuple<Callbacks...> callbacks_;
};

/*! \brief A map whose callbacks are known at run time only. */
template <typename Parent, WalkOrder order>
using StructuralMapDynEngine =
    StructuralMapEngine<Parent, order, TypedFunction<UnchangedOr<Any>(AnyView)>>;

/*! \brief As StructuralMapEngine, with callbacks `(value, Parent*[, InplaceMode])`. */
template <typename Parent, typename... Callbacks>
class StructuralMutateEngine : public StructuralMapEngineBaseOf<Parent> {
  using Base = StructuralMapEngineBaseOf<Parent>;

 public:
  explicit StructuralMutateEngine(Callbacks... callbacks)
      : Base(Table()), callbacks_(std::move(callbacks)...) {}

 private:
  static const StructuralMutatorObj::VTable* Table() {
    static const StructuralMutatorObj::VTable table{
        &MutateEntry, &InplaceEntry, &Base::VarRemapGetEntry, &Base::VarRemapSetEntry};
    return &table;
  }
  static TVMFFIAny MutateEntry(StructuralMutatorObj* self, AnyView value) noexcept {
    return Run(self, value, InplaceMode::kDisallow);
  }
  static TVMFFIAny InplaceEntry(StructuralMutatorObj* self, AnyView value) noexcept {
    return Run(self, value, InplaceMode::kAllow);
  }
  static TVMFFIAny Run(StructuralMutatorObj* self, AnyView value, InplaceMode mode) noexcept {
    StructuralMutateEngine* engine = static_cast<StructuralMutateEngine*>(self);
    return Base::Guard(value, [&]() -> Any {
      return Any(detail::DispatchMutate<0>(engine->callbacks_, value,
                                           static_cast<typename Parent::MutatorObjType*>(engine),
                                           mode)
                     .value());
    });
  }

  std::tuple<Callbacks...> callbacks_;
};

/*! \brief In a function that returns an Expected: returns the error of a mutation. */
#define TVM_FFI_S_MUTATE_MAYBE_EARLY_RETURN(expr)                          \
  if (auto tvm_ffi_mutate_result = (expr); tvm_ffi_mutate_result.is_err()) \
  return ::tvm::ffi::Unexpected<::tvm::ffi::Error>(std::move(tvm_ffi_mutate_result).error())

#define TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN_IMPL_(Type, Name, Result, expr)                  \
  auto Result = (expr);                                                                    \
  if (Result.is_err()) {                                                                   \
    return ::tvm::ffi::Unexpected<::tvm::ffi::Error>(std::move(Result).error());           \
  }                                                                                        \
  if (!::tvm::ffi::detail::AnyUnsafe::CheckAnyStrict<Type>(                                \
          ::tvm::ffi::detail::ExpectedUnsafe::GetData(Result))) {                          \
    return TVM_FFI_UNEXPECTED(TypeError) << "structural mutate result does not match the " \
                                            "declared type";                               \
  }                                                                                        \
  Type Name = ::tvm::ffi::detail::ExpectedUnsafe::ValueAs<Type>(std::move(Result))

/*!
 * \brief Declares `Type Name` with the result of a mutation; returns its error, or TypeError when
 * it is no `Type`.
 */
#define TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN(Type, Name, expr) \
  TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN_IMPL_(                  \
      Type, Name, TVM_FFI_STR_CONCAT(tvm_ffi_mutate_result_, __LINE__), expr)

#define TVM_FFI_UNSAFE_S_MUTATE_ASSIGN_OR_RETURN_IMPL_(Type, Name, Result, expr) \
  auto Result = (expr);                                                          \
  if (Result.is_err()) {                                                         \
    return ::tvm::ffi::Unexpected<::tvm::ffi::Error>(std::move(Result).error()); \
  }                                                                              \
  Type Name = ::tvm::ffi::detail::ExpectedUnsafe::ValueAs<Type>(std::move(Result))

/*! \brief As TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN for a result that is known to be a `Type`. */
#define TVM_FFI_UNSAFE_S_MUTATE_ASSIGN_OR_RETURN(Type, Name, expr) \
  TVM_FFI_UNSAFE_S_MUTATE_ASSIGN_OR_RETURN_IMPL_(                  \
      Type, Name, TVM_FFI_STR_CONCAT(tvm_ffi_mutate_result_, __LINE__), expr)

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_EXTRA_STRUCTURAL_MUTATE_H_

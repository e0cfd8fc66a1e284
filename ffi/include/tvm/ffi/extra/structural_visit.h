// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/structural_visit.h
 * \brief Walking over everything that a value consists of.
 *
 * The walks run inside the library, on a stack of their own, so depth is limited by memory only.
 * The templates here sort out which callback takes which value.
 */
#ifndef TVM_FFI_EXTRA_STRUCTURAL_VISIT_H_
#define TVM_FFI_EXTRA_STRUCTURAL_VISIT_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/expected.h>
#include <tvm/ffi/extra/visit_error_context.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/reflection/native_function.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {

/*! \brief Object behind VisitInterrupt. */
class VisitInterruptObj : public Object {
 public:
  /*! \brief What the visit ended with. */
  Any value;

  VisitInterruptObj() = default;
  explicit VisitInterruptObj(Any interrupt_value) : value(std::move(interrupt_value)) {}

  /// \cond Doxygen_Suppress
  static constexpr const int32_t _type_index = TypeIndex::kTVMFFIVisitInterrupt;
  static constexpr const bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIVisitInterrupt, VisitInterruptObj,
                                     Object);
  /// \endcond
};

/*! \brief Ends a visit early. */
class VisitInterrupt : public ObjectRef {
 public:
  VisitInterrupt() : VisitInterrupt(Any(nullptr)) {}
  explicit VisitInterrupt(Any value)
      : ObjectRef(ObjectPtr<Object>(make_object<VisitInterruptObj>(std::move(value)))) {}

  /// \cond Doxygen_Suppress
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(VisitInterrupt, ObjectRef, VisitInterruptObj);
  /// \endcond
};

/*! \brief Whether a walk calls back before or after it visits the children of a value. */
enum class WalkOrder : int32_t { kPreOrder = 0, kPostOrder = 1 };

/*! \brief What a walk does after a callback. */
class WalkResult : public Variant<VisitInterrupt, int32_t> {
 public:
  using Base = Variant<VisitInterrupt, int32_t>;

  WalkResult(VisitInterrupt interrupt) : Base(std::move(interrupt)) {}  // NOLINT(*)
  WalkResult(int32_t tag) : Base(tag) {}                                // NOLINT(*)
  WalkResult(std::nullptr_t) : Base(kAdvanceTag) {}                     // NOLINT(*)

  /*! \brief Goes on. */
  static WalkResult Advance() { return WalkResult(kAdvanceTag); }
  /*! \brief Goes on, past the children; only a walk in pre-order has them still ahead. */
  static WalkResult Skip() { return WalkResult(kSkipTag); }
  /*! \brief Ends the walk. */
  static WalkResult Interrupt(VisitInterrupt interrupt = VisitInterrupt()) {
    return WalkResult(std::move(interrupt));
  }

 private:
  static constexpr int32_t kAdvanceTag = 0;
  static constexpr int32_t kSkipTag = 1;
};

/// \cond Doxygen_Suppress
template <>
struct TypeTraits<WalkResult> : public TypeTraits<WalkResult::Base> {
  using Base = TypeTraits<WalkResult::Base>;
  static WalkResult CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    if (src->type_index == TypeIndex::kTVMFFIInt) {
      return WalkResult(static_cast<int32_t>(src->v_int64 == 1 ? 1 : 0));
    }
    return WalkResult(TypeTraits<VisitInterrupt>::CopyFromAnyViewAfterCheck(src));
  }
  static WalkResult MoveFromAnyAfterCheck(TVMFFIAny* src) {
    if (src->type_index == TypeIndex::kTVMFFIInt) return CopyFromAnyViewAfterCheck(src);
    return WalkResult(TypeTraits<VisitInterrupt>::MoveFromAnyAfterCheck(src));
  }
  // Every number but 1 goes on.
  static std::optional<WalkResult> TryCastFromAnyView(const TVMFFIAny* src) {
    switch (src->type_index) {
      case TypeIndex::kTVMFFINone:
        return WalkResult::Advance();
      case TypeIndex::kTVMFFIInt:
      case TypeIndex::kTVMFFIBool:
        return src->v_int64 == 1 ? WalkResult::Skip() : WalkResult::Advance();
      case TypeIndex::kTVMFFIVisitInterrupt:
        return WalkResult(TypeTraits<VisitInterrupt>::CopyFromAnyViewAfterCheck(src));
      default:
        return std::nullopt;
    }
  }
  static std::string TypeStr() { return "WalkResult"; }
};
/// \endcond

class StructuralVisitorObj;

/*! \brief Address form of the hook `__s_visit__`: None goes on, VisitInterrupt or Error ends. */
using FStructuralVisitABI = TVMFFIAny (*)(StructuralVisitorObj*, AnyView) noexcept;

namespace detail {

/*! \brief Sets the region of a visitor or mutator for the lifetime of the scope. */
class DefRegionScope {
 public:
  // Below a Pattern region everything is one, and asking for None keeps what holds.
  DefRegionScope(int32_t* mode, TVMFFIDefRegionKind kind) : mode_(mode), saved_(*mode) {
    if (saved_ != kTVMFFIDefRegionKindPattern && kind != kTVMFFIDefRegionKindNone) *mode = kind;
  }
  ~DefRegionScope() { *mode_ = saved_; }
  DefRegionScope(const DefRegionScope&) = delete;
  DefRegionScope& operator=(const DefRegionScope&) = delete;

 private:
  int32_t* mode_;
  int32_t saved_;
};

}  // namespace detail

/*!
 * \brief A visitor: what the hooks of types call for their children.
 *
 * Its binary form (the table of functions) is shared with code compiled elsewhere.
 */
class StructuralVisitorObj : public Object {
 public:
  using VisitorObjType = StructuralVisitorObj;
  /*! \brief State that engines over this visitor hand to callbacks after the value; none here. */
  using StateTupleType = std::tuple<>;

  /*! \brief Functions of a visitor; results are owned by the caller, errors are Error objects. */
  struct VTable {
    TVMFFIAny (*visit)(StructuralVisitorObj* self, AnyView value) noexcept;
  };

  /*! \brief Visits a value; the interrupt that ended the visit, if any. Throws errors. */
  Optional<VisitInterrupt> Visit(AnyView value) { return VisitExpected(value).value(); }
  /*! \brief As Visit, and errors are returned. */
  Expected<Optional<VisitInterrupt>> VisitExpected(AnyView value) noexcept {
    return detail::HookResult<Optional<VisitInterrupt>>(vtable_->visit(this, value));
  }
  /*! \brief Visits the children of a value: by the hook of its type, else field by field. */
  inline Expected<Optional<VisitInterrupt>> DefaultVisitExpected(AnyView value);

  /*! \brief The definition region around the value being visited. */
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
  TVM_FFI_DECLARE_OBJECT_INFO("ffi.StructuralVisitor", StructuralVisitorObj, Object);
  /// \endcond

 protected:
  explicit StructuralVisitorObj(const VTable* vtable) : vtable_(vtable) {}
  StateTupleType StateTuple() const { return {}; }

  const VTable* vtable_;
  int32_t def_region_mode_ = kTVMFFIDefRegionKindNone;
};

/*! \brief Reference to a visitor. */
class StructuralVisitor : public ObjectRef {
 public:
  explicit StructuralVisitor(ObjectPtr<StructuralVisitorObj> data)
      : ObjectRef(ObjectPtr<Object>(std::move(data))) {}
  /// \cond Doxygen_Suppress
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(StructuralVisitor, ObjectRef, StructuralVisitorObj);
  /// \endcond
};

namespace type_attr {
/*! \brief Visits the children of an object of a type. */
inline constexpr reflection::AttrKey<
    NativeFunctionView<Optional<VisitInterrupt>(StructuralVisitorObj*, AnyView)>>
    kStructuralVisit{"__s_visit__"};
}  // namespace type_attr

inline Expected<Optional<VisitInterrupt>> StructuralVisitorObj::DefaultVisitExpected(
    AnyView value) {
  static const Function visit = Function::GetGlobalRequired("ffi.StructuralVisitorDefaultVisit");
  return visit.CallExpected<Optional<VisitInterrupt>>(this, value);
}

namespace detail {

/*! \brief Parameters of a callback `(value[, state...][, region or mode])`. */
template <typename F>
struct VisitCallbackTraits {
  using Args = typename FunctionInfo<F>::ArgType;
  static constexpr size_t num_args = std::tuple_size_v<Args>;
  static_assert(num_args >= 1, "a callback takes the value first");
  using Value = RemoveCVRef<std::tuple_element_t<0, Args>>;
  using Last = RemoveCVRef<std::tuple_element_t<num_args - 1, Args>>;
  static constexpr bool takes_region = num_args >= 2 && std::is_same_v<Last, TVMFFIDefRegionKind>;
};

/*! \brief Whether `value` is strictly a `T`; Any and AnyView take everything. */
template <typename T>
bool TakesValue(AnyView value) {
  if constexpr (is_any_type_v<T>) {
    return true;
  } else {
    return TypeTraits<T>::CheckAnyStrict(AnyUnsafe::TVMFFIAnyPtrFromAnyView(value));
  }
}

/*! \brief Type index under which the library looks for the callbacks of `T`. */
template <typename T>
int32_t CallbackTypeIndex() {
  // What takes None is asked for everything: the library compares type indices only.
  if (TakesValue<T>(AnyView(nullptr))) return TypeIndex::kTVMFFIAny;
  return TypeToRuntimeTypeIndex<T>::v();
}

/*! \brief Calls `f(value, state..., tail...)` with the value as the type that `f` declares. */
template <typename F, typename State, typename... Tail>
decltype(auto) CallWithState(F& f, AnyView value, const State& state, const Tail&... tail) {
  using Value = typename VisitCallbackTraits<F>::Value;
  return std::apply(
      [&](const auto&... parts) -> decltype(auto) {
        return f(AnyUnsafe::CopyFromAnyViewAfterCheck<Value>(value), parts..., tail...);
      },
      state);
}

/*! \brief Calls a walk, map or state callback, with the region when it asks for it. */
template <typename F, typename State>
decltype(auto) CallWithRegion(F& f, AnyView value, const State& state, TVMFFIDefRegionKind region) {
  if constexpr (VisitCallbackTraits<F>::takes_region) {
    return CallWithState(f, value, state, region);
  } else {
    return CallWithState(f, value, state);
  }
}

/*! \brief Tries the callbacks from `I` on; `call(f)` makes the result, `none()` when no one fits.
 */
template <size_t I, typename Callbacks, typename Call, typename None>
auto FirstThatTakes(Callbacks& callbacks, AnyView value, Call&& call, None&& none)
    -> decltype(none()) {
  if constexpr (I == std::tuple_size_v<Callbacks>) {
    return none();
  } else {
    using F = std::tuple_element_t<I, Callbacks>;
    if (TakesValue<typename VisitCallbackTraits<F>::Value>(value)) {
      return call(std::get<I>(callbacks));
    }
    return FirstThatTakes<I + 1>(callbacks, value, std::forward<Call>(call),
                                 std::forward<None>(none));
  }
}

/*! \brief Asks the callbacks from `I` on what a walk should do. */
template <size_t I, typename Callbacks, typename State>
Expected<WalkResult> DispatchWalk(Callbacks& callbacks, AnyView value, const State& state,
                                  TVMFFIDefRegionKind region) {
  return FirstThatTakes<I>(
      callbacks, value,
      [&](auto& f) -> Expected<WalkResult> {
        using R = decltype(CallWithRegion(f, value, state, region));
        if constexpr (std::is_void_v<R>) {
          CallWithRegion(f, value, state, region);
          return WalkResult::Advance();
        } else {
          return CallWithRegion(f, value, state, region);
        }
      },
      []() -> Expected<WalkResult> { return WalkResult::Advance(); });
}

/*! \brief Asks the callbacks from `I` on to visit a value; the default visit when no one fits. */
template <size_t I, typename Visitor, typename Callbacks>
Expected<Optional<VisitInterrupt>> DispatchVisit(Callbacks& callbacks, AnyView value,
                                                 Visitor* visitor) {
  return FirstThatTakes<I>(
      callbacks, value,
      [&](auto& f) -> Expected<Optional<VisitInterrupt>> {
        using R = decltype(CallWithState(f, value, std::tuple<>(), visitor));
        if constexpr (std::is_void_v<R>) {
          CallWithState(f, value, std::tuple<>(), visitor);
          return Optional<VisitInterrupt>(std::nullopt);
        } else {
          return CallWithState(f, value, std::tuple<>(), visitor);
        }
      },
      [&]() { return visitor->DefaultVisitExpected(value); });
}

/*! \brief Stores what a callback gave; its error is thrown. */
template <typename T>
void StoreExpected(Expected<T> result, Any* rv) {
  if (TVM_FFI_PREDICT_FALSE(result.is_err())) throw std::move(result).error();
  *rv = ExpectedUnsafe::GetData(std::move(result));
}

/*! \brief Type index and function of each callback, as the library wants them. */
using CallbackEntry = Tuple<int32_t, Function>;

/*! \brief Entries made by `make(index_constant)` for each callback. */
template <typename Entry, typename... Callbacks, typename Make, size_t... Is>
Array<Entry> MakeCallbackEntries(std::index_sequence<Is...>, Make&& make) {
  return Array<Entry>{make(std::integral_constant<size_t, Is>(),
                           CallbackTypeIndex<typename VisitCallbackTraits<Callbacks>::Value>())...};
}

template <WalkOrder order, typename R, typename... Callbacks>
Expected<R> RunWalk(const char* engine, AnyView root, Callbacks&&... callbacks) {
  using Tuple = std::tuple<std::decay_t<Callbacks>...>;
  // Shared: the engine may be kept by a callback and then outlives this call.
  auto held = std::make_shared<Tuple>(std::forward<Callbacks>(callbacks)...);
  const Array<CallbackEntry> entries =
      MakeCallbackEntries<CallbackEntry, std::decay_t<Callbacks>...>(
          std::index_sequence_for<Callbacks...>(), [&](auto index, int32_t type_index) {
            return CallbackEntry(
                type_index, Function::FromPacked([held](const AnyView* args, int32_t, Any* rv) {
                  StoreExpected(DispatchWalk<decltype(index)::value>(
                                    *held, args[0], std::tuple<>(),
                                    static_cast<TVMFFIDefRegionKind>(args[1].cast<int32_t>())),
                                rv);
                }));
          });
  return Function::GetGlobalRequired(engine).template CallExpected<R>(
      root, Array<CallbackEntry>(), entries, static_cast<int32_t>(order));
}

template <typename... Callbacks>
Expected<Optional<VisitInterrupt>> RunVisit(AnyView root, Callbacks&&... callbacks) {
  using Tuple = std::tuple<std::decay_t<Callbacks>...>;
  auto held = std::make_shared<Tuple>(std::forward<Callbacks>(callbacks)...);
  const Array<CallbackEntry> entries =
      MakeCallbackEntries<CallbackEntry, std::decay_t<Callbacks>...>(
          std::index_sequence_for<Callbacks...>(), [&](auto index, int32_t type_index) {
            return CallbackEntry(
                type_index, Function::FromPacked([held](const AnyView* args, int32_t, Any* rv) {
                  StoreExpected(DispatchVisit<decltype(index)::value>(
                                    *held, args[0], args[1].cast<StructuralVisitorObj*>()),
                                rv);
                }));
          });
  return Function::GetGlobalRequired("ffi.StructuralVisit")
      .CallExpected<Optional<VisitInterrupt>>(root, entries);
}

}  // namespace detail

/*!
 * \brief Walks over `root` and everything it consists of, map keys and None excepted.
 * \param callbacks `(value[, TVMFFIDefRegionKind])`, giving a WalkResult or what converts to one.
 *        The first callback whose parameter takes the value strictly is called.
 * \return The interrupt that ended the walk, if any. Errors are thrown; their context holds the way
 *         to the value.
 */
template <WalkOrder order = WalkOrder::kPreOrder, typename... Callbacks>
Expected<Optional<VisitInterrupt>> StructuralWalkExpected(AnyView root, Callbacks&&... callbacks) {
  static_assert(sizeof...(Callbacks) != 0, "a walk needs a callback");
  return detail::RunWalk<order, Optional<VisitInterrupt>>("ffi.StructuralWalk", root,
                                                          std::forward<Callbacks>(callbacks)...);
}
template <WalkOrder order = WalkOrder::kPreOrder, typename... Callbacks>
Optional<VisitInterrupt> StructuralWalk(AnyView root, Callbacks&&... callbacks) {
  return StructuralWalkExpected<order>(root, std::forward<Callbacks>(callbacks)...).value();
}

/*!
 * \brief Visits `root` with callbacks that decide about the children themselves.
 * \param callbacks `(value, StructuralVisitorObj*)`, giving Optional<VisitInterrupt> or what
 * converts to one. Values that no callback takes are visited by default.
 */
template <typename... Callbacks>
Expected<Optional<VisitInterrupt>> StructuralVisitExpected(AnyView root, Callbacks&&... callbacks) {
  static_assert(sizeof...(Callbacks) != 0, "a visit needs a callback");
  return detail::RunVisit(root, std::forward<Callbacks>(callbacks)...);
}
template <typename... Callbacks>
Optional<VisitInterrupt> StructuralVisit(AnyView root, Callbacks&&... callbacks) {
  return StructuralVisitExpected(root, std::forward<Callbacks>(callbacks)...).value();
}

namespace detail {

/*! \brief Runs the visit of one value by an engine; its error notes the value. */
template <typename F>
TVMFFIAny RunEngineVisit(AnyView value, F&& visit) noexcept {
  try {
    try {
      return ExpectedUnsafe::MoveToTVMFFIAny(visit());
    } catch (Error& err) {
      if (value.type_index() >= TypeIndex::kTVMFFIStaticObjectBegin) {
        UpdateVisitErrorContext(err, value.cast<ObjectRef>());
      }
      throw;
    }
  } catch (...) {
    return ErrorToRawAny(CurrentExceptionAsError());
  }
}

/*! \brief An interrupt or error as the result of a visit, nullopt to go on. */
inline bool EndsVisit(const Expected<Optional<VisitInterrupt>>& result) {
  return result.type_index() != TypeIndex::kTVMFFINone;
}

}  // namespace detail

/*!
 * \brief A walk over a visitor class of one's own, whose StateTuple() goes to the callbacks.
 *
 * The children are visited by recursion; nesting that would exhaust the stack is an error.
 */
template <typename Parent, WalkOrder order, typename... Callbacks>
class StructuralWalkEngine : public Parent {
 public:
  explicit StructuralWalkEngine(Callbacks... callbacks)
      : Parent(Table()), callbacks_(std::move(callbacks)...) {}

 private:
  static const StructuralVisitorObj::VTable* Table() {
    static const StructuralVisitorObj::VTable table{&VisitEntry};
    return &table;
  }
  static TVMFFIAny VisitEntry(StructuralVisitorObj* self, AnyView value) noexcept {
    StructuralWalkEngine* engine = static_cast<StructuralWalkEngine*>(self);
    return detail::RunEngineVisit(value, [&] { return engine->Walk(value); });
  }
  Expected<Optional<VisitInterrupt>> Walk(AnyView value) {
    if (value == nullptr) return Optional<VisitInterrupt>(std::nullopt);
    if constexpr (order == WalkOrder::kPostOrder) {
      Expected<Optional<VisitInterrupt>> below = this->DefaultVisitExpected(value);
      if (below.is_err()) throw std::move(below).error();
      if (detail::EndsVisit(below)) return below;
    }
    const TVMFFIDefRegionKind region = this->def_region_kind();
    WalkResult next =
        detail::DispatchWalk<0>(callbacks_, value, this->StateTuple(), region).value();
    if (std::optional<VisitInterrupt> interrupt = next.template as<VisitInterrupt>()) {
      return Optional<VisitInterrupt>(*std::move(interrupt));
    }
    if constexpr (order == WalkOrder::kPreOrder) {
      if (next.template get<int32_t>() == 1) return Optional<VisitInterrupt>(std::nullopt);
      Expected<Optional<VisitInterrupt>> below = this->DefaultVisitExpected(value);
      if (below.is_err()) throw std::move(below).error();
      return below;
    }
    return Optional<VisitInterrupt>(std::nullopt);
  }

  std::tuple<Callbacks...> callbacks_;
};

/*! \brief As StructuralWalkEngine, with callbacks `(value, Parent*)` that visit the children. */
template <typename Parent, typename... Callbacks>
class StructuralVisitEngine : public Parent {
 public:
  explicit StructuralVisitEngine(Callbacks... callbacks)
      : Parent(Table()), callbacks_(std::move(callbacks)...) {}

 private:
  static const StructuralVisitorObj::VTable* Table() {
    static const StructuralVisitorObj::VTable table{&VisitEntry};
    return &table;
  }
  static TVMFFIAny VisitEntry(StructuralVisitorObj* self, AnyView value) noexcept {
    StructuralVisitEngine* engine = static_cast<StructuralVisitEngine*>(self);
    return detail::RunEngineVisit(value, [&]() -> Expected<Optional<VisitInterrupt>> {
      if (value == nullptr) return Optional<VisitInterrupt>(std::nullopt);
      Expected<Optional<VisitInterrupt>> result = detail::DispatchVisit<0>(
          engine->callbacks_, value, static_cast<typename Parent::VisitorObjType*>(engine));
      if (result.is_err()) throw std::move(result).error();
      return result;
    });
  }

  std::tuple<Callbacks...> callbacks_;
};

/*! \brief In a function that returns Expected<Optional<VisitInterrupt>>: returns what ends a visit.
 */
#define TVM_FFI_S_VISIT_MAYBE_EARLY_RETURN(expr)                             \
  if (::tvm::ffi::Expected<::tvm::ffi::Optional<::tvm::ffi::VisitInterrupt>> \
          tvm_ffi_visit_result = (expr);                                     \
      ::tvm::ffi::detail::EndsVisit(tvm_ffi_visit_result))                   \
  return tvm_ffi_visit_result

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_EXTRA_STRUCTURAL_VISIT_H_

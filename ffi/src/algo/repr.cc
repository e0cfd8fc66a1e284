// SPDX-License-Identifier: Apache-2.0
// ReprPrint: text of any value (ffi-abi 11.5).
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/enum.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/string.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <vector>

#include "big_int_text.h"
#include "float_text.h"
#include "sentinel.h"
#include "stack_guard.h"
#include "value_access.h"
#include "walk_scope.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

// Sharing can make the text exponentially longer than the value; longer texts are refused instead
// of filling the memory.
constexpr size_t kMaxTextBytes = size_t{1} << 30;

const char* DeviceName(int32_t type) {
  switch (type) {
    case 1:
      return "cpu";
    case 2:
      return "cuda";
    case 3:
      return "cuda_host";
    case 4:
      return "opencl";
    case 7:
      return "vulkan";
    case 8:
      return "metal";
    case 9:
      return "vpi";
    case 10:
      return "rocm";
    case 11:
      return "rocm_host";
    case 12:
      return "ext_dev";
    case 13:
      return "cuda_managed";
    case 14:
      return "oneapi";
    case 15:
      return "webgpu";
    case 16:
      return "hexagon";
    case 17:
      return "maia";
    case 18:
      return "trn";
    default:
      return "unknown";
  }
}

std::string DeviceText(DLDevice device) {
  return std::string(DeviceName(static_cast<int32_t>(device.device_type))) + ":" +
         std::to_string(device.device_id);
}

std::string DTypeText(DLDataType dtype) {
  Any text;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIDataTypeToString(&dtype, reinterpret_cast<TVMFFIAny*>(&text)));
  return std::string(TextOf(Raw(text)));
}

void AppendDims(std::string* out, const int64_t* dims, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (i != 0) out->append(", ");
    out->append(std::to_string(dims[i]));
  }
}

class Printer {
 public:
  Printer() {
    const char* flag = std::getenv("TVM_FFI_REPR_WITH_ADDR");
    with_address_ = flag != nullptr && std::string_view(flag) == "1";
  }
  Printer(const Printer&) = delete;
  Printer& operator=(const Printer&) = delete;

  /// Prints one value into a buffer of its own. Re-entered by hooks through the callback.
  std::string Print(const TVMFFIAny& root) {
    NestingScope scope("ReprPrint");
    WalkScope walk;
    const std::shared_ptr<std::string> buffer = std::make_shared<std::string>();
    std::shared_ptr<std::string> outer = std::exchange(out_, buffer);
    const size_t base = stack_.size();
    struct Restore {
      Printer* self;
      std::shared_ptr<std::string>* outer;
      size_t base;
      ~Restore() {
        self->out_ = std::move(*outer);
        self->stack_.resize(base);
      }
    } restore{this, &outer, base};
    Begin(root, 0);
    while (stack_.size() > base) Step();
    return *buffer;
  }

 private:
  enum class Kind { kSequence, kMap, kFields };
  enum class State { kOpen, kDone };

  struct Frame {
    Any owner;
    Kind kind = Kind::kSequence;
    bool shared = false;
    bool mapped_value = false;  // kMap: the key is printed, its value comes next
    int64_t index = 0;
    size_t start = 0;
    SeqCursor seq;
    MapCursor map;
    Any value;  // kMap: what belongs to the key
    FieldCursor fields;
  };

  struct Done {
    State state = State::kOpen;
    std::shared_ptr<const std::string> buffer;
    size_t start = 0;
    size_t size = 0;
  };

  std::string Address(const TVMFFIAny& v) const {
    if (!with_address_) return std::string();
    char text[32];
    std::snprintf(text, sizeof(text), "@%p", static_cast<const void*>(v.v_obj));
    return text;
  }

  void Put(std::string_view text) {
    if (out_->size() + text.size() > kMaxTextBytes) {
      TVM_FFI_THROW(ValueError) << "ReprPrint: text exceeds " << kMaxTextBytes << " bytes";
    }
    out_->append(text);
  }

  void PutLeaf(const TVMFFIAny& v) {
    switch (v.type_index) {
      case kTVMFFINone:
        return Put("None");
      case kTVMFFIBool:
        return Put(v.v_int64 != 0 ? "True" : "False");
      case kTVMFFIInt:
        return Put(std::to_string(v.v_int64));
      case kTVMFFIFloat:
        return Put(FloatReprText(v.v_float64));
      case kTVMFFIDataType:
        return Put(DTypeText(v.v_dtype));
      case kTVMFFIDevice:
        return Put(DeviceText(v.v_device));
      case kTVMFFIRawStr:
        return Put(Quoted(v.v_c_str));
      case kTVMFFISmallStr:
      case kTVMFFIStr:
        return Put(Quoted(TextOf(v)));
      case kTVMFFISmallBytes:
      case kTVMFFIBytes:
        return PutBytes(TextOf(v));
      case kTVMFFIByteArrayPtr:
        return PutBytes(ViewOfBytes(*static_cast<const TVMFFIByteArray*>(v.v_ptr)));
      default:
        return Put(TypeKeyOf(v.type_index));
    }
  }

  static std::string Quoted(std::string_view text) {
    String escaped = EscapedStringPy(String(text.data(), text.size()));
    return std::string(escaped.data(), escaped.size());
  }

  void PutBytes(std::string_view bytes) {
    static const char* const kHex = "0123456789abcdef";
    std::string text = "b\"";
    for (char c : bytes) {
      const unsigned char u = static_cast<unsigned char>(c);
      if (u >= 0x20 && u < 0x7f && c != '"' && c != '\\') {
        text += c;
      } else {
        text += "\\x";
        text += kHex[u >> 4];
        text += kHex[u & 15];
      }
    }
    text += '"';
    Put(text);
  }

  /// Prints a leaf, a finished or open object, or pushes a frame. `known_refs` counts the
  /// references that the walk can account for: 0 for a root, one for the slot plus one for the
  /// local copy below it.
  void Begin(const TVMFFIAny& v, uint32_t known_refs) {
    if (!IsObject(v) || v.type_index == kTVMFFIStr || v.type_index == kTVMFFIBytes)
      return PutLeaf(v);
    switch (v.type_index) {
      case kTVMFFIBigInt:
        return Put(BigIntText(BigIntWords(v)));
      case kTVMFFIShape: {
        const auto& shape = CellOf<TVMFFIShapeCell>(v);
        std::string text = "Shape(";
        AppendDims(&text, shape.data, static_cast<int64_t>(shape.size));
        return Put(text + ")");
      }
      case kTVMFFITensor: {
        const auto& tensor = CellOf<DLTensor>(v);
        std::string text = DTypeText(tensor.dtype) + "[";
        AppendDims(&text, tensor.shape, tensor.ndim);
        return Put(text + "]@" + DeviceText(tensor.device) + Address(v));
      }
      default:
        break;
    }
    if (v.v_obj == MissingSentinel()) return Put("<MISSING>");
    if (v.v_obj == KwargsSentinel()) return Put("<KWARGS>");

    const bool shared = StrongCount(v) > known_refs;
    if (shared) {
      auto [it, fresh] = seen_.try_emplace(v.v_obj);
      if (!fresh) {
        if (it->second.state == State::kOpen) return Put("..." + Address(v));
        return Put(std::string_view(*it->second.buffer).substr(it->second.start, it->second.size));
      }
    }
    const size_t start = out_->size();
    static const HookColumn repr_column("__ffi_repr__");
    if (Function hook = repr_column.FindFunction(v.type_index, "__ffi_repr__"); hook != nullptr) {
      Put(CallHook(hook, v));
      return Finish(v, shared, start);
    }
    if (IsSubtype(v.type_index, EnumObj::RuntimeTypeIndex())) {
      const auto* entry = AsAny(v).cast<const EnumObj*>();
      Put(TypeKeyOf(v.type_index) + "." +
          std::string(entry->_str_index.data(), entry->_str_index.size()) + Address(v));
      return Finish(v, shared, start);
    }
    Push(v, shared, start);
  }

  void Push(const TVMFFIAny& v, bool shared, size_t start) {
    if (stack_.size() >= kMaxGraphDepth) {
      TVM_FFI_THROW(ValueError) << "ObjectGraphDFS: maximum stack depth (" << kMaxGraphDepth
                                << ") exceeded";
    }
    Frame frame;
    frame.owner = Own(v);
    frame.shared = shared;
    frame.start = start;
    switch (v.type_index) {
      case kTVMFFIArray:
      case kTVMFFIList:
        frame.seq = SeqCursor(v);
        Put(v.type_index == kTVMFFIArray ? "(" : "[");
        break;
      case kTVMFFIMap:
      case kTVMFFIDict:
        frame.kind = Kind::kMap;
        frame.map = MapCursor(v);
        Put("{");
        break;
      default:
        frame.kind = Kind::kFields;
        frame.fields = FieldCursor(TypeInfoOf(v.type_index));
        Put(TypeKeyOf(v.type_index) + Address(v));
        break;
    }
    stack_.push_back(std::move(frame));
  }

  void Step() {
    Frame& frame = stack_.back();
    switch (frame.kind) {
      case Kind::kSequence:
        return StepSequence(&frame);
      case Kind::kMap:
        return StepMap(&frame);
      case Kind::kFields:
        return StepFields(&frame);
    }
  }

  void StepSequence(Frame* frame) {
    if (const TVMFFIAny* slot = frame->seq.Next()) {
      const Any item = AsAny(*slot);  // a hook may change the List
      if (frame->seq.index() != 1) Put(", ");
      return Begin(Raw(item), 2);
    }
    if (Raw(frame->owner).type_index == kTVMFFIArray) {
      Put(frame->seq.index() == 1 ? ",)" : ")");
    } else {
      Put("]");
    }
    Put(Address(Raw(frame->owner)));
    Pop();
  }

  void StepMap(Frame* frame) {
    if (frame->mapped_value) {
      frame->mapped_value = false;
      Put(": ");
      const Any value = std::move(frame->value);
      return Begin(Raw(value), 2);
    }
    const MapCursor::Entry entry = frame->map.Next();
    if (!entry) {
      Put("}");
      Put(Address(Raw(frame->owner)));
      return Pop();
    }
    if (frame->index++ != 0) Put(", ");
    frame->mapped_value = true;
    frame->value = AsAny(*entry.value);  // the hook of the key may change the Dict
    const Any key = AsAny(*entry.key);
    return Begin(Raw(key), 2);
  }

  void StepFields(Frame* frame) {
    const TVMFFIAny& owner = Raw(frame->owner);
    while (const TVMFFIFieldInfo* field = frame->fields.Next()) {
      if ((field->flags & kTVMFFIFieldFlagBitMaskReprOff) != 0 ||
          IsRepeatedName(owner.type_index, field))
        continue;
      Put(frame->index++ == 0 ? "(" : ", ");
      Put(ViewOfBytes(field->name));
      Put("=");
      const Any value = ReadField(owner.v_obj, field);
      return Begin(Raw(value), 2);
    }
    if (frame->index != 0) Put(")");
    Pop();
  }

  /// True when an earlier field of the same walk (an ancestor's) carries the same name.
  static bool IsRepeatedName(int32_t type_index, const TVMFFIFieldInfo* field) {
    const TVMFFITypeInfo* info = TypeInfoOf(type_index);
    if (info->type_depth <= 1) return false;
    FieldCursor cursor(info);
    while (const TVMFFIFieldInfo* earlier = cursor.Next()) {
      if (earlier == field) return false;
      if ((earlier->flags & kTVMFFIFieldFlagBitMaskReprOff) == 0 &&
          ViewOfBytes(earlier->name) == ViewOfBytes(field->name)) {
        return true;
      }
    }
    return false;
  }

  void Pop() {
    const Any owner = std::move(stack_.back().owner);
    const bool shared = stack_.back().shared;
    const size_t start = stack_.back().start;
    stack_.pop_back();
    Finish(Raw(owner), shared, start);
    if (shared) keep_.push_back(owner);  // addresses in seen_ must not be reused
  }

  void Finish(const TVMFFIAny& v, bool shared, size_t start) {
    if (!shared) return;
    Done& done = seen_[v.v_obj];
    done.state = State::kDone;
    done.buffer = out_;
    done.start = start;
    done.size = out_->size() - start;
  }

  std::string CallHook(const Function& hook, const TVMFFIAny& v) {
    const Any owner = AsAny(v);
    keep_.push_back(owner);
    if (callback_ == nullptr) {
      callback_ = Function::FromTyped(
          [link = link_.ForHook()](AnyView value) -> String {
            const Any owned(value);
            return link.Enter("The printing function of __ffi_repr__",
                              [&](Printer* self) { return String(self->Print(Raw(owned))); });
          },
          "fn_repr");
    }
    Any text = hook(owner, callback_);
    if (!IsStr(Raw(text))) {
      TVM_FFI_THROW(TypeError) << "__ffi_repr__ of type `" << TypeKeyOf(v.type_index)
                               << "` must return `str`, but got `"
                               << TypeKeyOf(Raw(text).type_index) << "`";
    }
    return std::string(TextOf(Raw(text)));
  }

  std::shared_ptr<std::string> out_;
  std::vector<Frame> stack_;
  std::unordered_map<const TVMFFIObject*, Done> seen_;
  std::vector<Any> keep_;
  Function callback_{nullptr};
  bool with_address_ = false;
  WalkLink<Printer> link_{this};  // last: it ends first
};

}  // namespace
}  // namespace algo

String ReprPrint(const Any& value) {
  algo::Printer printer;
  return String(printer.Print(algo::Raw(value)));
}

}  // namespace ffi
}  // namespace tvm

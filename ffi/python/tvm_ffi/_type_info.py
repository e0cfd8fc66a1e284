# SPDX-License-Identifier: Apache-2.0
"""What Python knows about a native type: ``TypeInfo`` with its fields and methods.

``tvm_ffi.core`` imports this module at the end of its own initialisation and shows these names as
its own. Everything that costs time (metadata, schemas, fields) is read when it is first asked for.
"""

from __future__ import annotations

import importlib
import threading
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import core
    from .core import FieldGetter, FieldSetter, TypeSchema
else:
    core: Any = None

_FLAG_WRITABLE = 1 << 0
_FLAG_HAS_DEFAULT = 1 << 1
_FLAG_IS_STATIC_METHOD = 1 << 2
_FLAG_SEQ_HASH_IGNORE = 1 << 3
_FLAG_SEQ_HASH_DEF_PATTERN = 1 << 4
_FLAG_DEFAULT_FROM_FACTORY = 1 << 5
_FLAG_REPR_OFF = 1 << 6
_FLAG_COMPARE_OFF = 1 << 7
_FLAG_HASH_OFF = 1 << 8
_FLAG_INIT_OFF = 1 << 9
_FLAG_KW_ONLY = 1 << 10
_FLAG_SEQ_HASH_DEF_SIMPLE = 1 << 12

# Types whose classes live in modules that are only imported when one of their objects shows up.
_CLASS_MODULES = {
    "ffi.Array": "tvm_ffi.container",
    "ffi.List": "tvm_ffi.container",
    "ffi.Map": "tvm_ffi.container",
    "ffi.Dict": "tvm_ffi.container",
    "ffi.Shape": "tvm_ffi._tensor",
    "ffi.Module": "tvm_ffi.module",
    "ffi.reflection.AccessStep": "tvm_ffi.access_path",
    "ffi.reflection.AccessPath": "tvm_ffi.access_path",
    "ffi.VisitInterrupt": "tvm_ffi.structural",
    "ffi.StructuralKey": "tvm_ffi.structural",
    "ffi.StructuralVisitor": "tvm_ffi.structural",
    "ffi.StructuralMutator": "tvm_ffi.structural",
    "ffi.EnumState": "tvm_ffi.dataclasses.enum",
    "ffi.Enum": "tvm_ffi.dataclasses.enum",
    "ffi.IntEnum": "tvm_ffi.dataclasses.enum",
    "ffi.StrEnum": "tvm_ffi.dataclasses.enum",
}

_UNSET: Any = type("_Unset", (), {"__repr__": lambda self: "<unset>"})()


def _parse_metadata(text: str | None) -> dict[str, Any]:
    if not text:
        return {}
    import json

    parsed = json.loads(text)
    return parsed if isinstance(parsed, dict) else {}


def _schema_of(metadata: dict[str, Any]) -> TypeSchema | None:
    text = metadata.get("type_schema")
    return core.TypeSchema.from_json_str(text) if text else None


class TypeField:
    """One reflected field.

    ``getter(obj)`` and ``setter(obj, value)`` work on instances of the owning type; ``size``,
    ``alignment`` and ``offset`` are in bytes, the offset from the object header. The ``c_...``
    attributes say how the field takes part in the generated constructor, printing and comparison.
    """

    ty_default = None
    c_init = True
    c_kw_only = False
    c_has_default = False
    c_repr = True
    c_compare = True
    c_hash = True
    c_structural_eq: str | None = None
    dataclass_field: Any = None

    def __init__(
        self,
        name: str,
        doc: str | None,
        size: int,
        alignment: int,
        offset: int,
        field_static_type_index: int,
        frozen: bool,
        metadata: dict[str, Any],
        getter: FieldGetter,
        setter: FieldSetter,
        ty: TypeSchema | None = _UNSET,
        c_init: bool = True,
        c_kw_only: bool = False,
        c_has_default: bool = False,
        c_default: Any = _UNSET,
        c_default_factory: Any = _UNSET,
        c_repr: bool = True,
        c_compare: bool = True,
        c_hash: bool = True,
        c_structural_eq: str | None = None,
        dataclass_field: Any = None,
    ) -> None:
        self.name = name
        self.doc = doc
        self.size = size
        self.alignment = alignment
        self.offset = offset
        self.field_static_type_index = field_static_type_index
        self.frozen = frozen
        self._metadata: Any = metadata
        self.getter = getter
        self.setter = setter
        self._ty = ty
        self.c_init = c_init
        self.c_kw_only = c_kw_only
        self.c_has_default = c_has_default
        self.c_default = core.MISSING if c_default is _UNSET else c_default
        self.c_default_factory = core.MISSING if c_default_factory is _UNSET else c_default_factory
        self.c_repr = c_repr
        self.c_compare = c_compare
        self.c_hash = c_hash
        self.c_structural_eq = c_structural_eq
        self.dataclass_field = dataclass_field

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata of the field; ``type_schema`` holds its declared type as JSON text."""
        if self._metadata is None or isinstance(self._metadata, str):
            self._metadata = _parse_metadata(self._metadata)
        return self._metadata

    @metadata.setter
    def metadata(self, value: dict[str, Any]) -> None:
        self._metadata = value

    @property
    def ty(self) -> TypeSchema | None:
        """Declared type, None when the metadata does not tell."""
        if self._ty is _UNSET:
            self._ty = _schema_of(self.metadata)
        return self._ty

    @ty.setter
    def ty(self, value: TypeSchema | None) -> None:
        self._ty = value

    def as_property(self, cls: type) -> Any:
        """The descriptor that shows this field on ``cls``."""
        prop = core.FFIProperty(self.getter, self.setter, self.frozen, None, self.doc)
        prop.__set_name__(cls, self.name)  # for the messages of property
        return prop

    def normalize_value(self, value: Any) -> Any:
        """The value as the setter of the field would take it."""
        normalize = getattr(self.dataclass_field, "_normalize_value", None)
        return value if normalize is None else normalize(value)

    def __repr__(self) -> str:
        names = (
            "name doc size alignment offset field_static_type_index frozen metadata getter setter "
            "ty c_init c_kw_only c_has_default c_default c_default_factory c_repr c_compare c_hash "
            "c_structural_eq dataclass_field"
        ).split()
        return f"TypeField({', '.join(f'{n}={getattr(self, n)!r}' for n in names)})"


class TypeMethod:
    """One reflected method. ``func`` takes the object first unless ``is_static``."""

    def __init__(
        self, name: str, doc: str | None, func: Any, metadata: dict[str, Any], is_static: bool
    ) -> None:
        self.name = name
        self.doc = doc
        self.func = func
        self._metadata: Any = metadata
        self.is_static = is_static

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata of the method; ``type_schema`` holds its signature as JSON text."""
        if self._metadata is None or isinstance(self._metadata, str):
            self._metadata = _parse_metadata(self._metadata)
        return self._metadata

    @metadata.setter
    def metadata(self, value: dict[str, Any]) -> None:
        self._metadata = value

    def as_callable(self, cls: type) -> Any:
        """What to store in the class body of ``cls``."""
        method = core._Method(self.func, self.name, f"{cls.__qualname__}.{self.name}", self.doc)
        method.__module__ = cls.__module__
        method.__ffi_metadata__ = self._metadata
        if self.is_static:
            method.__ffi_is_static__ = True
            return staticmethod(method)
        return method

    def __repr__(self) -> str:
        return (
            f"TypeMethod(name={self.name!r}, doc={self.doc!r}, func={self.func!r}, "
            f"metadata={self.metadata!r}, is_static={self.is_static!r})"
        )


def _structural_option(flags: int) -> str | None:
    if flags & _FLAG_SEQ_HASH_IGNORE:
        return "ignore"
    if flags & _FLAG_SEQ_HASH_DEF_PATTERN:
        return "def-pattern"
    if flags & _FLAG_SEQ_HASH_DEF_SIMPLE:
        return "def-simple"
    return None


def _refuse(where: str, what: str) -> Any:
    """Stands for the accessor that the native type has not registered."""

    def refuse(*args: Any) -> Any:
        raise AttributeError(f"{where} {what}")

    return refuse


def _read_fields(type_index: int) -> list[TypeField]:
    result = []
    type_key = core._type_record(type_index)[0]
    for record in core._field_records(type_index):
        name, doc, metadata, flags, size, alignment, offset, static, getter, setter, default = (
            record
        )
        where = f"{type_key}.{name}"
        frozen = setter is None or not flags & _FLAG_WRITABLE
        if setter is None:
            setter = _refuse(where, "is read-only: the native type has no setter for it")
        if getter is None:
            getter = _refuse(where, "can't be read: the native type has no getter for it")
        has_default = bool(flags & _FLAG_HAS_DEFAULT)
        from_factory = has_default and bool(flags & _FLAG_DEFAULT_FROM_FACTORY)
        result.append(
            TypeField(
                name,
                doc,
                size,
                alignment,
                offset,
                static,
                frozen,
                metadata,
                getter,
                setter,
                c_init=not flags & _FLAG_INIT_OFF,
                c_kw_only=bool(flags & _FLAG_KW_ONLY),
                c_has_default=has_default,
                c_default=default if has_default and not from_factory else _UNSET,
                c_default_factory=default if from_factory else _UNSET,
                c_repr=not flags & _FLAG_REPR_OFF,
                c_compare=not flags & _FLAG_COMPARE_OFF,
                c_hash=not flags & (_FLAG_HASH_OFF | _FLAG_COMPARE_OFF),
                c_structural_eq=_structural_option(flags),
            )
        )
    return result


def _read_methods(type_index: int) -> list[TypeMethod]:
    return [
        TypeMethod(name, doc, function, metadata, bool(flags & _FLAG_IS_STATIC_METHOD))
        for name, doc, metadata, flags, function in core._method_records(type_index)
    ]


class TypeInfo:
    """What is known of one native type. ``fields`` is None while a Python-defined type waits for
    the classes that its annotations name."""

    def __init__(
        self,
        type_cls: type | None,
        type_index: int,
        type_key: str,
        type_ancestors: list[int],
        fields: list[TypeField] | None,
        methods: list[TypeMethod],
        parent_type_info: TypeInfo | None,
    ) -> None:
        self.type_cls = type_cls
        self.type_index = type_index
        self.type_key = type_key
        self.type_ancestors = type_ancestors
        self.parent_type_info = parent_type_info
        self._methods: Any = methods
        self._fields: Any = _UNSET
        if fields is not _UNSET:
            self.fields = fields

    @property
    def fields(self) -> list[TypeField] | None:
        """Own fields in order of registration."""
        if self._fields is _UNSET:
            self.fields = _read_fields(self.type_index)
        return self._fields

    @fields.setter
    def fields(self, value: list[TypeField] | None) -> None:
        if value:
            names = [field.name for field in value]
            assert len(set(names)) == len(names), (
                f"duplicate field names in {self.type_key}: {names}"
            )
            inherited: set[str] = set()
            parent = self.parent_type_info
            while parent is not None:
                inherited.update(field.name for field in parent.fields or ())
                parent = parent.parent_type_info
            for name in names:
                if name in inherited:
                    warnings.warn(
                        f"field `{name}` of `{self.type_key}` shadows a field of an ancestor",
                        stacklevel=3,
                    )
        self._fields = value

    @property
    def methods(self) -> list[TypeMethod]:
        """Own methods in order of registration."""
        if self._methods is _UNSET:
            self._methods = _read_methods(self.type_index)
        return self._methods

    @methods.setter
    def methods(self, value: list[TypeMethod]) -> None:
        self._methods = value

    @property
    def total_size(self) -> int:
        """Bytes of an instance, header included."""
        size = core._type_record(self.type_index)[2]
        if size > 0 and self.type_index != 64:
            return size
        end = self.parent_type_info.total_size if self.parent_type_info is not None else 24
        for field in self.fields or ():
            end = max(end, field.offset + field.size)
        return (end + 7) // 8 * 8

    def __repr__(self) -> str:
        return (
            f"TypeInfo(type_cls={self.type_cls!r}, type_index={self.type_index!r}, "
            f"type_key={self.type_key!r}, type_ancestors={self.type_ancestors!r}, "
            f"fields={self.fields!r}, methods={self.methods!r}, "
            f"parent_type_info={self.parent_type_info!r})"
        )


_infos: dict[int, TypeInfo] = {}
_infos_by_class: dict[type, TypeInfo] = {}


def _info_of(type_index: int) -> TypeInfo:
    info = _infos.get(type_index)
    if info is None:
        type_key, ancestors, _, _, _ = core._type_record(type_index)
        parent = _info_of(ancestors[-1]) if ancestors else None
        info = TypeInfo(
            core._get_class(type_index), type_index, type_key, ancestors, _UNSET, _UNSET, parent
        )
        _infos[type_index] = info
    return info


def _register_object_by_index(type_index: int, type_cls: type) -> TypeInfo:
    """Makes ``type_cls`` the class of a type index and returns the type's info."""
    old = core._get_class(type_index)
    if old is not None and old is not type_cls and issubclass(type_cls, core.CObject):
        if issubclass(old, core.CObject) and type_cls.__basicsize__ > old.__basicsize__:
            raise ValueError(
                f"Cannot register {type_cls!r} for type index {type_index}: its instances are "
                f"larger than those of {old!r}, which exist already"
            )
    core._set_class(type_index, type_cls)
    info = _info_of(type_index)
    _set_type_cls(info, type_cls)
    return info


def _set_type_cls(type_info: TypeInfo, type_cls: type | None) -> None:
    if type_info.type_cls is not None and type_info.type_cls is not type_cls:
        _infos_by_class.pop(type_info.type_cls, None)
    type_info.type_cls = type_cls
    if type_cls is not None:
        _infos_by_class[type_cls] = type_info
        core._set_class(type_info.type_index, type_cls)


def _type_cls_to_type_info(type_cls: type) -> TypeInfo | None:
    """The info of a registered class, None for any other."""
    return _infos_by_class.get(type_cls)


def _type_index_to_type_info(type_index: int) -> TypeInfo | None:
    """The info of a type index that has a class, else None."""
    if core._get_class(type_index) is None:
        return None
    return _info_of(type_index)


def _lookup_or_register_type_info_from_type_key(type_key: str) -> TypeInfo:
    """The info of a type key; its class is made when there is none yet."""
    type_index = core._object_type_key_to_index(type_key)
    if type_index is None:
        raise ValueError(f"Cannot find object type index for {type_key}")
    if core._get_class(type_index) is None and type_index >= 64:
        _make_class(type_index)
    return _info_of(type_index)


def describe_constructor(constructor: Any, metadata: Any) -> None:
    """Tells a ``_Constructor`` the metadata of its native function, which lacks ``self``."""
    schema = metadata.get("type_schema", "") if isinstance(metadata, dict) else str(metadata)
    # A constructor without declared parameters takes keywords the way generated ones do.
    constructor.__ffi_positional__ = "params" in schema
    constructor.__ffi_metadata__ = metadata
    constructor.__ffi_is_static__ = True
    constructor.__ffi_add_self__ = True


def _is_overridden(type_cls: type, name: str) -> bool:
    """Whether Python code, of the class body or of a plain base, takes the place of a native
    method, rather than a parent type."""
    for base in type_cls.__mro__[:-1]:
        if name in base.__dict__:
            return base is type_cls or not issubclass(base, core.CObject)
    return False


def _add_overridden(type_cls: type, attrs: dict[str, Any]) -> None:
    """Puts what a class overrides where ``super()`` finds it: into a class below its base."""
    bases = list(type_cls.__bases__)
    at = next((i for i, base in enumerate(bases) if issubclass(base, core.CObject)), None)
    if at is None or "__ffi_overridden__" in bases[at].__dict__:
        return
    body = {
        **attrs,
        "__slots__": (),
        "__module__": type_cls.__module__,
        "__qualname__": f"{type_cls.__qualname__}.<native>",
        "__doc__": f"What {type_cls.__qualname__} overrides of its native type.",
        "__ffi_overridden__": True,
    }
    metaclass: Any = type(core.Object)
    bases[at] = metaclass("<native>", (bases[at],), body)
    type_cls.__bases__ = tuple(bases)


def add_class_attrs(type_cls: type, type_info: TypeInfo) -> None:
    """Shows the fields and methods of a type on its class, where the class body has not its own.

    What the body has its own of is reached by ``super()``.
    """
    overridden = {}
    for field in type_info.fields or ():
        if field.name not in type_cls.__dict__:
            prop = field.as_property(type_cls)
            setattr(type_cls, field.name, prop)
        elif isinstance(type_cls.__dict__[field.name], property):
            overridden[field.name] = field.as_property(type_cls)
    constructor = explicit = None
    for method in type_info.methods:
        if method.name == "__ffi_init__":
            constructor, explicit = method.func, method
            continue
        if not hasattr(type_cls, method.name):
            setattr(type_cls, method.name, method.as_callable(type_cls))
        elif (
            not method.name.startswith("__ffi_")
            and _is_overridden(type_cls, method.name)
            and core._callable_of(method.func) is None
        ):
            overridden[method.name] = method.as_callable(type_cls)
    if overridden:
        _add_overridden(type_cls, overridden)
    if constructor is None:
        constructor = core._lookup_type_attr(type_info.type_index, "__ffi_init__")
    if constructor is not None and "__ffi_init__" not in type_cls.__dict__:
        type_cls.__ffi_init__ = core._Constructor(  # type: ignore[attr-defined]
            constructor,
            "__ffi_init__",
            f"{type_cls.__qualname__}.__ffi_init__",
            "Calls the native constructor and fills this object.",
            type_info,
        )
        if explicit is not None:
            describe_constructor(type_cls.__dict__["__ffi_init__"], explicit.metadata)
    type_cls.__tvm_ffi_type_info__ = type_info  # type: ignore[attr-defined]


# Two threads that meet a type at once must end up with one class.
_making = threading.RLock()


def _make_class(type_index: int) -> type:
    """Makes a class for a native type that nobody registered one for."""
    type_key, ancestors, _, _, _ = core._type_record(type_index)
    module = _CLASS_MODULES.get(type_key)
    if module is not None:
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
        cls = core._get_class(type_index)
        if cls is not None:
            return cls
    parent: type = core.Object
    if ancestors and ancestors[-1] >= 64:
        parent = core._get_class(ancestors[-1]) or _make_class(ancestors[-1])
    with _making:
        return core._get_class(type_index) or _make_fallback_class(type_index, type_key, parent)


def _make_fallback_class(type_index: int, type_key: str, parent: type) -> type:
    if not issubclass(parent, core.CObject):
        parent = core.Object
    prefix, _, name = type_key.rpartition(".")
    metaclass: Any = type(core.Object)
    cls = metaclass(
        name, (parent,), {"__module__": prefix, "__qualname__": type_key, "__slots__": ()}
    )
    info = _register_object_by_index(type_index, cls)
    add_class_attrs(cls, info)
    return cls


def install(module: Any) -> None:
    """Completes ``tvm_ffi.core`` with the names that are written in Python."""
    global core
    core = module
    from . import _py_class, _type_schema

    _type_schema.core = module
    _py_class.install(module)
    for cls in (TypeInfo, TypeField, TypeMethod, _type_schema.TypeSchema):
        cls.__module__ = "tvm_ffi.core"
        setattr(module, cls.__name__, cls)
    for function in (
        _register_object_by_index,
        _set_type_cls,
        _type_cls_to_type_info,
        _type_index_to_type_info,
        _lookup_or_register_type_info_from_type_key,
    ):
        setattr(module, function.__name__, function)
    module._set_hook("make_class", _make_class)
    for type_index in (64, 65, 66, 67, 68, 70, 74):
        cls = module._get_class(type_index)
        _infos_by_class[cls] = _info_of(type_index)
    module.Object.__tvm_ffi_type_info__ = _info_of(64)

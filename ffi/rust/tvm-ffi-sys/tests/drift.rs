// SPDX-License-Identifier: Apache-2.0
//! The declarations against the C side: layouts and constants of `ffi/tests/abi/abi.def`, the functions of the headers.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::{align_of, offset_of, size_of};
use std::path::PathBuf;
use tvm_ffi_sys::*;

fn ffi_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    let path = ffi_folder().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The rows of the table: kind, then the arguments.
fn rows() -> Vec<(String, Vec<String>)> {
    let text = read("tests/abi/abi.def");
    let rows: Vec<_> = text
        .lines()
        .filter_map(|line| {
            let (kind, rest) = line.strip_suffix(')')?.split_once('(')?;
            let known = ["LAYOUT", "OFFSET", "CONSTANT"].contains(&kind);
            known.then(|| (kind.to_string(), rest.split(", ").map(str::to_string).collect()))
        })
        .collect();
    assert!(rows.len() > 150, "the table has only {} rows", rows.len());
    rows
}

macro_rules! layouts {
    ($($ty:ident { $($c_name:literal = $($path:ident).+),* $(,)? })*) => {{
        let mut sizes = BTreeMap::new();
        let mut offsets = BTreeMap::new();
        $(
            sizes.insert(stringify!($ty), (size_of::<$ty>(), align_of::<$ty>()));
            $( offsets.insert((stringify!($ty), $c_name), offset_of!($ty, $($path).+)); )*
        )*
        (sizes, offsets)
    }};
}

#[test]
fn layouts_are_those_of_the_table() {
    let (sizes, offsets) = layouts! {
        TVMFFIAny {
            "type_index" = type_index, "zero_padding" = small_str_len, "small_str_len" = small_str_len,
            "v_int64" = data_union, "v_float64" = data_union, "v_ptr" = data_union, "v_c_str" = data_union,
            "v_obj" = data_union, "v_dtype" = data_union, "v_device" = data_union, "v_bytes" = data_union,
            "v_uint64" = data_union,
        }
        TVMFFIObject {
            "combined_ref_count" = combined_ref_count, "type_index" = type_index, "__padding" = __padding,
            "deleter" = deleter,
        }
        TVMFFIByteArray { "data" = data, "size" = size }
        TVMFFIShapeCell { "data" = data, "size" = size }
        TVMFFISeqCell { "data" = data, "size" = size, "capacity" = capacity, "data_deleter" = data_deleter }
        TVMFFIErrorCell {
            "kind" = kind, "message" = message, "backtrace" = backtrace, "update_backtrace" = update_backtrace,
            "cause_chain" = cause_chain, "extra_context" = extra_context,
        }
        TVMFFIFunctionCell { "safe_call" = safe_call, "cpp_call" = cxx_call }
        TVMFFIOpaqueObjectCell { "handle" = handle }
        TVMFFIVersion { "major" = major, "minor" = minor, "patch" = patch }
        TVMFFIObjectAllocHeader { "delete_space" = delete_space }
        TVMFFICustomAllocator { "allocate" = allocate, "context" = context }
        TVMFFITypeAttrColumn { "data" = data, "size" = size, "begin_index" = begin_index }
        TVMFFIFieldInfo {
            "name" = name, "doc" = doc, "metadata" = metadata, "flags" = flags, "size" = size,
            "alignment" = alignment, "offset" = offset, "getter" = getter, "setter" = setter,
            "default_value_or_factory" = default_value_or_factory,
            "field_static_type_index" = field_static_type_index,
        }
        TVMFFIMethodInfo {
            "name" = name, "doc" = doc, "metadata" = metadata, "flags" = flags, "method" = method,
        }
        TVMFFITypeMetadata {
            "doc" = doc, "creator" = creator, "total_size" = total_size,
            "structural_eq_hash_kind" = structural_eq_hash_kind,
        }
        TVMFFITypeInfo {
            "type_index" = type_index, "type_depth" = type_depth, "type_key" = type_key,
            "type_ancestors" = type_acenstors, "type_key_hash" = type_key_hash, "num_fields" = num_fields,
            "num_methods" = num_methods, "fields" = fields, "methods" = methods, "metadata" = metadata,
        }
        DLDataType { "code" = code, "bits" = bits, "lanes" = lanes }
        DLDevice { "device_type" = device_type, "device_id" = device_id }
        DLTensor {
            "data" = data, "device" = device, "ndim" = ndim, "dtype" = dtype, "shape" = shape,
            "strides" = strides, "byte_offset" = byte_offset,
        }
        DLManagedTensor { "dl_tensor" = dl_tensor, "manager_ctx" = manager_ctx, "deleter" = deleter }
        DLManagedTensorVersioned {
            "version" = version, "manager_ctx" = manager_ctx, "deleter" = deleter, "flags" = flags,
            "dl_tensor" = dl_tensor,
        }
        DLPackVersion { "major" = major, "minor" = minor }
    };
    // What only extensions of the Python package use has no declaration here.
    let left_out = ["DLPackExchangeAPI", "DLPackExchangeAPIHeader"];
    for (kind, row) in rows() {
        if kind == "CONSTANT" || left_out.contains(&row[0].as_str()) {
            continue;
        }
        let number = |at: usize| row[at].parse::<usize>().unwrap();
        if kind == "LAYOUT" {
            let found = sizes.get(row[0].as_str());
            assert_eq!(found, Some(&(number(1), number(2))), "size and alignment of {}", row[0]);
        } else {
            let found = offsets.get(&(row[0].as_str(), row[1].as_str()));
            assert_eq!(found, Some(&number(2)), "offset of {}.{}", row[0], row[1]);
        }
    }
}

#[test]
fn constants_are_those_of_the_table() {
    // The declarations are read as text, since a test cannot list the variants of an enumeration.
    let sources = [include_str!("../src/c_api.rs"), include_str!("../src/dlpack.rs")].join("\n");
    let mut declared = BTreeMap::new();
    for line in sources.lines() {
        let line = line.trim();
        let Some((name, value)) = line.strip_suffix(',').and_then(|line| line.split_once(" = ")) else {
            continue;
        };
        let value = match value.split_once(" << ") {
            Some((one, shift)) => one.parse::<i64>().ok().zip(shift.parse::<u32>().ok()).map(|(a, b)| a << b),
            None => value.parse().ok(),
        };
        declared.extend(value.map(|value| (name.to_string(), value)));
    }
    declared.insert("kTVMFFIObject".into(), TVMFFITypeIndex::kTVMFFIObject as i64);
    for (kind, row) in rows() {
        // Versions are those of the library, which is asked when it runs.
        if kind == "CONSTANT" && !row[0].contains("_VERSION") {
            assert_eq!(declared.get(&row[0]), row[1].parse().ok().as_ref(), "{}", row[0]);
        }
    }
}

/// Names of functions that a text declares: `Name(` after `fn ` or anywhere after `TVM_FFI_DLL`.
fn function_names(text: &str, in_rust: bool) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for piece in text.split(if in_rust { "fn " } else { "TVM_FFI_DLL" }).skip(1) {
        let head = piece.split('(').next().unwrap_or("");
        let name = head.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
        if name.starts_with("TVMFFI") {
            names.insert(name.to_string());
        }
    }
    names
}

#[test]
fn every_exported_function_is_declared() {
    let headers = [read("include/tvm/ffi/c_api.h"), read("include/tvm/ffi/extra/c_env_api.h")].join("\n");
    let sources = [include_str!("../src/c_api.rs"), include_str!("../src/c_env_api.rs")].join("\n");
    let exported = function_names(&headers, false);
    assert!(exported.len() >= 45, "{exported:?}");
    let mut declared = function_names(&sources, true);
    declared.remove("TVMFFITestingDummyTarget");
    assert_eq!(exported, declared);
}

#[test]
fn the_library_has_the_version_of_the_crate() {
    let mut version = TVMFFIVersion { major: 9, minor: 9, patch: 9 };
    // SAFETY: the call writes the structure.
    unsafe { TVMFFIGetVersion(&mut version) };
    let crate_version = env!("CARGO_PKG_VERSION");
    assert_eq!(format!("{}.{}.{}", version.major, version.minor, version.patch), crate_version);
}

/// The parts of a list at its own commas, not those of parentheses and brackets inside.
fn parts_of(list: &str) -> Vec<String> {
    let (mut depth, mut parts, mut part) = (0, Vec::new(), String::new());
    for c in list.chars() {
        match c {
            '(' | '<' => depth += 1,
            '>' if part.ends_with('-') => {} // of an arrow
            ')' | '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(std::mem::take(&mut part));
                continue;
            }
            _ => {}
        }
        part.push(c);
    }
    parts.push(part);
    parts.into_iter().map(|part| part.trim().to_string()).filter(|part| !part.is_empty()).collect()
}

/// A C type, without a name behind it, as Rust writes it. Functions are written `fn(..)`.
fn rust_type(c: &str) -> String {
    let words = c.replace('*', " * ");
    let (mut is_const, mut out) = (false, String::new());
    for word in words.split_whitespace() {
        match word {
            "const" => is_const = true,
            "struct" => {}
            "*" => {
                out = format!("{} {out}", if std::mem::take(&mut is_const) { "*const" } else { "*mut" });
            }
            _ => {
                out = match word {
                    "int" | "int32_t" => "i32",
                    "int64_t" => "i64",
                    "uint64_t" => "u64",
                    "size_t" => "usize",
                    "char" => "c_char",
                    "void" => "c_void",
                    other => other,
                }
                .to_string();
            }
        }
    }
    out
}

/// A C parameter with its name, as the Rust type.
fn rust_parameter(c: &str) -> Option<String> {
    if c == "void" {
        return None;
    }
    if let Some((result, rest)) = c.split_once("(*") {
        let (_, list) = rest.split_once(")(").unwrap();
        let list: Vec<_> =
            parts_of(list.trim_end_matches(')')).iter().filter_map(|p| rust_parameter(p)).collect();
        let result = rust_type(result);
        let arrow = if result == "c_void" { String::new() } else { format!(" -> {result}") };
        return Some(format!("fn({}){arrow}", list.join(", ")));
    }
    let name = c.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    Some(rust_type(&c[..name]))
}

/// Name, parameter types and result of each function that a C header exports.
fn c_signatures(text: &str) -> BTreeMap<String, String> {
    let declarations = text.split("TVM_FFI_DLL ").skip(1).filter_map(|piece| piece.split_once(';'));
    let mut out = BTreeMap::new();
    for (declaration, _) in declarations {
        let declaration = declaration.split_whitespace().collect::<Vec<_>>().join(" ");
        let Some((head, rest)) = declaration.split_once('(') else { continue };
        let at = head.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        let (result, name) = (rust_type(&head[..at]), &head[at..]);
        if !name.starts_with("TVMFFI") {
            continue;
        }
        let end = rest.rfind(')').unwrap();
        let list: Vec<_> = parts_of(&rest[..end]).iter().filter_map(|p| rust_parameter(p)).collect();
        let arrow = if result == "c_void" { String::new() } else { format!(" -> {result}") };
        out.insert(name.to_string(), format!("({}){arrow}", list.join(", ")));
    }
    out
}

/// The same of the Rust declarations.
fn rust_signatures(text: &str) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    for (declaration, _) in text.split("pub fn ").skip(1).filter_map(|piece| piece.split_once(';')) {
        let declaration = declaration.split_whitespace().collect::<Vec<_>>().join(" ");
        let Some((name, rest)) = declaration.split_once('(') else { continue };
        if !name.starts_with("TVMFFI") {
            continue;
        }
        let simple = |ty: &str| {
            let ty = ty.replace("unsafe extern \"C\" ", "").replace(", >", ">").replace(",>", ">");
            let ty = ty.trim().trim_end_matches(',').to_string();
            match ty.split_once("Option<") {
                Some((before, rest)) => format!("{before}{}", rest.strip_suffix('>').unwrap_or(rest).trim()),
                None => ty,
            }
        };
        let (list, result) = match rest.rsplit_once(") -> ") {
            Some((list, result)) if !list.is_empty() || rest.starts_with(')') => {
                (list, format!(" -> {}", simple(result)))
            }
            _ => (rest.trim_end_matches(')'), String::new()),
        };
        let list = list.trim_end_matches(')');
        let list: Vec<_> = parts_of(list).iter().map(|p| simple(p.split_once(": ").unwrap().1)).collect();
        out.insert(name.to_string(), format!("({}){result}", list.join(", ")));
    }
    out
}

#[test]
fn signatures_are_those_of_the_headers() {
    let headers = [read("include/tvm/ffi/c_api.h"), read("include/tvm/ffi/extra/c_env_api.h")].join("\n");
    let sources = [include_str!("../src/c_api.rs"), include_str!("../src/c_env_api.rs")].join("\n");
    let (in_c, in_rust) = (c_signatures(&headers), rust_signatures(&sources));
    assert!(in_c.len() >= 45, "{in_c:?}");
    for (name, signature) in in_c {
        // A closing parenthesis may be lost with that of a function pointer, on both sides alike.
        let plain =
            |text: &str| text.replace(['(', ')'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
        let found = in_rust.get(&name).unwrap_or_else(|| panic!("{name} is not declared"));
        assert_eq!(plain(found), plain(&signature), "{name}: {found} is {signature} in C");
    }
}

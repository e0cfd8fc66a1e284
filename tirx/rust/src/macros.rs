// SPDX-License-Identifier: Apache-2.0
//! Declaring an operator as a function.

/// Declares an operator: its documentation, name, operands with theirs, and its expansion.
///
/// The body is an expression of the operands ([`Expr`](crate::Expr)s); it gives the value of a call with other operators. The
/// result has the type of the first operand, the effect is `pure`. The macro makes a function that registers the operator, for
/// [`register_operators!`](crate::register_operators).
#[macro_export]
macro_rules! operator {
    (
        $(#[doc = $doc:literal])*
        $visibility:vis fn $name:ident($full:literal $(, $arg:ident : $arg_doc:literal)* $(,)?) -> pure $body:block
    ) => {
        $(#[doc = $doc])*
        $visibility fn $name() -> $crate::tvm_ffi::Result<$crate::Op> {
            $crate::Operator::new($full)
                .doc(::core::concat!($($doc, "\n"),*))
                $(.arg(stringify!($arg), $arg_doc))*
                .effect($crate::Effect::Pure)
                .vectorizable()
                .type_of_first()
                .expands_to(|operands: &[$crate::Expr]| {
                    let [$($arg),*] = operands else {
                        $crate::tvm_ffi::bail!(
                            $crate::tvm_ffi::TYPE_ERROR,
                            "{} takes {} operands, got {}",
                            $full,
                            [$(stringify!($arg)),*].len(),
                            operands.len()
                        );
                    };
                    $(let $arg = $arg.clone();)*
                    Ok($body)
                })
                .register()
        }
    };
}

/// Exports `tirx_register_ops`, which calls each of the functions: the compiler's entry into an operator library.
#[macro_export]
macro_rules! register_operators {
    ($($register:path),* $(,)?) => {
        fn tirx_register_all_operators() -> $crate::tvm_ffi::Result<()> {
            $($register()?;)*
            Ok(())
        }
        $crate::tvm_ffi::tvm_ffi_dll_export_typed_func!(tirx_register_ops, tirx_register_all_operators);
    };
}

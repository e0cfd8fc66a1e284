// SPDX-License-Identifier: Apache-2.0
//! The numbers of elements that tuples of arguments, elements and callbacks may have.

/// Calls a macro for tuples of one to twelve elements: with the count, and for each element two names and its position.
macro_rules! for_each_arity {
    ($macro:ident) => {
        $macro!(1; A FA 0);
        $macro!(2; A FA 0, B FB 1);
        $macro!(3; A FA 0, B FB 1, C FC 2);
        $macro!(4; A FA 0, B FB 1, C FC 2, D FD 3);
        $macro!(5; A FA 0, B FB 1, C FC 2, D FD 3, E FE 4);
        $macro!(6; A FA 0, B FB 1, C FC 2, D FD 3, E FE 4, F FF 5);
        $macro!(7; A FA 0, B FB 1, C FC 2, D FD 3, E FE 4, F FF 5, G FG 6);
        $macro!(8; A FA 0, B FB 1, C FC 2, D FD 3, E FE 4, F FF 5, G FG 6, H FH 7);
        $macro!(9; A FA 0, B FB 1, C FC 2, D FD 3, E FE 4, F FF 5, G FG 6, H FH 7, I FI 8);
        $macro!(10; A FA 0, B FB 1, C FC 2, D FD 3, E FE 4, F FF 5, G FG 6, H FH 7, I FI 8, J FJ 9);
        $macro!(11; A FA 0, B FB 1, C FC 2, D FD 3, E FE 4, F FF 5, G FG 6, H FH 7, I FI 8, J FJ 9, K FK 10);
        $macro!(12; A FA 0, B FB 1, C FC 2, D FD 3, E FE 4, F FF 5, G FG 6, H FH 7, I FI 8, J FJ 9, K FK 10, L FL 11);
    };
}
pub(crate) use for_each_arity;

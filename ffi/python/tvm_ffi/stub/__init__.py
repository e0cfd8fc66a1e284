# SPDX-License-Identifier: Apache-2.0
"""``tvm-ffi-stubgen``: typed bindings from what native libraries register."""

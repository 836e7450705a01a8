//! What is sent: one file for each family of methods, and the table of all of them.
//!
//! Ranges are LSP's: lines and columns from 0, columns in UTF-16 units. `selection` of the active file is for people: from 1.

pub mod diagnostics;
pub mod editor;
pub mod host;
pub mod methods;
pub mod tools;

/// The version of the protocol. Host and client of different versions refuse each other, and say so.
pub const PROTOCOL: u32 = 1;

/// JSON-RPC's numbers for what went wrong, and zubi's own.
pub mod codes {
    pub const PARSE_ERROR: i64 = -32700;
    pub const INVALID_REQUEST: i64 = -32600;
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The field is in `data.field`.
    pub const INVALID_PARAMS: i64 = -32602;
    pub const INTERNAL_ERROR: i64 = -32603;
    /// Not authenticated, or not allowed over this transport.
    pub const UNAUTHENTICATED: i64 = -32000;
    /// The path is in no folder of this host.
    pub const NOT_IN_WORKSPACE: i64 = -32001;
    pub const COMMAND_NOT_ALLOWED: i64 = -32002;
    /// What would answer is still loading: ask again.
    pub const LOADING: i64 = -32003;
    /// LSP's number for a request that was taken back.
    pub const CANCELLED: i64 = -32800;
}

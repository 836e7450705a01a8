//! Messages of the protocol: one module for each family of methods, and the table of all methods.
//!
//! Ranges are LSP's: 0-based lines and columns, columns in UTF-16 units. Only `selection` of the active file is
//! 1-based, for users.

pub mod diagnostics;
pub mod editor;
pub mod host;
pub mod methods;
pub mod tools;

/// Version of the protocol. A host and a client of different versions refuse to connect and report the version.
pub const PROTOCOL: u32 = 1;

/// Error codes: JSON-RPC's, and zubi's own.
pub mod codes {
    pub const PARSE_ERROR: i64 = -32700;
    pub const INVALID_REQUEST: i64 = -32600;
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// Invalid parameters; `data.field` names the field.
    pub const INVALID_PARAMS: i64 = -32602;
    pub const INTERNAL_ERROR: i64 = -32603;
    /// Not authenticated, or not allowed over this transport.
    pub const UNAUTHENTICATED: i64 = -32000;
    /// The path is in no folder of this host.
    pub const NOT_IN_WORKSPACE: i64 = -32001;
    pub const COMMAND_NOT_ALLOWED: i64 = -32002;
    /// The server that would answer is still loading; the client can retry later.
    pub const LOADING: i64 = -32003;
    /// LSP's code for a cancelled request.
    pub const CANCELLED: i64 = -32800;
}

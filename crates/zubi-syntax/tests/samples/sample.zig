const std = @import("std");
pub const max: u32 = 9;
var count: usize = 0;
/// A rate.
pub const Rate = struct {
    value: u32,
    pub fn init(value: u32) Rate { return .{ .value = value }; }
    const Inner = enum { fixed, floating };
};
const Kind = enum { fixed, floating };
const Bits = union(enum) { int: u32 };
pub fn total(rates: []Rate) u32 { return 1; }
extern fn abs(x: i32) i32;
test "total" { }
const Error = error{ Wrong };

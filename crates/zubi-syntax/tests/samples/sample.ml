(** Money. *)
let max = 9
type rate = { value : int; mutable unit_ : string }
type kind = Fixed | Floating of int
module Inside = struct
  let price x = x
  type t = int
end
module type PRICED = sig
  val price : int -> int
end
exception Wrong of string
let rec total = function [] -> 0 | x :: rest -> let inner y = y in inner x + total rest
and other x = x
class bank = object
  val mutable count = 0
  method size = count
end
external abs : int -> int = "abs"
let ( |+| ) a b = a + b

(** The price. *)
val price : int -> int
type kind = Fixed | Floating of int
module Inside : sig
  val total : int list -> int
end

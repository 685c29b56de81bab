(** The program in OCaml: what [Tables.v] defines, with OCaml's booleans, lists and pairs, and its [int] for
    natural numbers.  They stay far below 2^62, so that [int] calculates as they do, and what divides is 2.
    Coq's library has each function under two names. *)
Require Import Arith Extraction ExtrOcamlBasic.
Require Import Tables.

Extract Inductive nat => "int" [ "0" "Stdlib.Int.succ" ] "(fun zero next n -> if n = 0 then zero () else next (n - 1))".
Extract Inlined Constant Init.Nat.add => "Stdlib.Int.add".
Extract Inlined Constant PeanoNat.Nat.add => "Stdlib.Int.add".
Extract Inlined Constant Init.Nat.mul => "Stdlib.Int.mul".
Extract Inlined Constant PeanoNat.Nat.mul => "Stdlib.Int.mul".
Extract Inlined Constant Init.Nat.sub => "(fun m n -> if m < n then 0 else Stdlib.Int.sub m n)".
Extract Inlined Constant PeanoNat.Nat.sub => "(fun m n -> if m < n then 0 else Stdlib.Int.sub m n)".
Extract Inlined Constant Init.Nat.div => "Stdlib.Int.div".
Extract Inlined Constant PeanoNat.Nat.div => "Stdlib.Int.div".
Extract Inlined Constant Init.Nat.modulo => "Stdlib.Int.rem".
Extract Inlined Constant PeanoNat.Nat.modulo => "Stdlib.Int.rem".
Extract Inlined Constant Init.Nat.eqb => "(fun (m : int) n -> m = n)".
Extract Inlined Constant PeanoNat.Nat.eqb => "(fun (m : int) n -> m = n)".
Extract Inlined Constant Init.Nat.leb => "(fun (m : int) n -> m <= n)".
Extract Inlined Constant PeanoNat.Nat.leb => "(fun (m : int) n -> m <= n)".
Extract Inlined Constant Init.Nat.ltb => "(fun (m : int) n -> m < n)".
Extract Inlined Constant PeanoNat.Nat.ltb => "(fun (m : int) n -> m < n)".
Extract Inlined Constant Init.Nat.min => "(fun (m : int) n -> if m < n then m else n)".
Extract Inlined Constant PeanoNat.Nat.min => "(fun (m : int) n -> if m < n then m else n)".
Extract Inlined Constant Init.Nat.max => "(fun (m : int) n -> if m < n then n else m)".
Extract Inlined Constant PeanoNat.Nat.max => "(fun (m : int) n -> if m < n then n else m)".

Extraction "certified.ml" run tables all_positions byte_of is_right by_number.

(** The eight tables: their men, how a position is looked up (docs/format.md), and the comparison of every
    position with those one move ahead.

    Nothing is proven of the numbering, and nothing needs to be: whatever it does, [probe] is a function of
    positions, and a function that mixed up positions with different values would fail the comparison. *)
Require Import List Bool Arith.
Require Import Fixed Chess.
Import ListNotations.

Inductive table := KK | KQK | KRK | KBK | KNK | KPK | KNNK | KRNK.

Definition tables := [KK; KQK; KRK; KBK; KNK; KPK; KNNK; KRNK].

Definition kings := [Man White King; Man Black King].

Definition men_of (t : table) : list man :=
  kings ++ match t with
           | KK => []
           | KQK => [Man White Queen]
           | KRK => [Man White Rook]
           | KBK => [Man White Bishop]
           | KNK => [Man White Knight]
           | KPK => [Man White Pawn]
           | KNNK => [Man White Knight; Man White Knight]
           | KRNK => [Man White Rook; Man White Knight]
           end.

(** * Kings *)

(** The symmetries of the square: exchange files and ranks or not, then left and right, then up and down. *)
Record symmetry := Symmetry { exchanges : bool; mirrors : bool; flips : bool }.

(** Files from right to left, and ranks from top to bottom. *)
Definition mirrored (f : file) : file :=
  match f with
  | FileA => FileH | FileB => FileG | FileC => FileF | FileD => FileE
  | FileE => FileD | FileF => FileC | FileG => FileB | FileH => FileA
  end.

Definition flipped (r : rank) : rank :=
  match r with
  | Rank1 => Rank8 | Rank2 => Rank7 | Rank3 => Rank6 | Rank4 => Rank5
  | Rank5 => Rank4 | Rank6 => Rank3 | Rank7 => Rank2 | Rank8 => Rank1
  end.

Definition file_as_rank (f : file) : rank :=
  match f with
  | FileA => Rank1 | FileB => Rank2 | FileC => Rank3 | FileD => Rank4
  | FileE => Rank5 | FileF => Rank6 | FileG => Rank7 | FileH => Rank8
  end.

Definition rank_as_file (r : rank) : file :=
  match r with
  | Rank1 => FileA | Rank2 => FileB | Rank3 => FileC | Rank4 => FileD
  | Rank5 => FileE | Rank6 => FileF | Rank7 => FileG | Rank8 => FileH
  end.

Definition image (g : symmetry) (s : square) : square :=
  let (f, r) := s in
  let (x, y, z) := g in
  let f' := if x then rank_as_file r else f in
  let r' := if x then file_as_rank f else r in
  Square (if y then mirrored f' else f') (if z then flipped r' else r').

Definition all_symmetries : list symmetry :=
  flat_map (fun x => flat_map (fun y => map (Symmetry x y) [false; true]) [false; true]) [false; true].

Definition left_and_right : list symmetry := map (fun y => Symmetry false y false) [false; true].

(** Squares by their numbers, and file by file, up and down in turn. *)
Definition by_number : list square := flat_map (fun r => map (fun f => Square f r) files) ranks.

Definition snake : list square :=
  flat_map (fun f => map (Square f) (if Nat.even (file_number f) then ranks else rev ranks)) files.

Definition distance (m n : nat) : nat := (m - n) + (n - m).

Definition is_apart (s t : square) : bool :=
  let (f, r) := s in
  let (f', r') := t in
  (1 <? distance (file_number f) (file_number f')) || (1 <? distance (rank_number r) (rank_number r')).

(** The triangle a1-d1-d4, and whether a square is on or below the diagonal a1-h8. *)
Definition in_triangle (s : square) : bool :=
  let (f, r) := s in (rank_number r <=? file_number f) && (file_number f <? 4).

Definition is_below (s : square) : bool := let (f, r) := s in rank_number r <=? file_number f.
Definition on_diagonal (s : square) : bool := let (f, r) := s in rank_number r =? file_number f.

(** The pairs of kings without pawns, and with pawns: by the black king, then by the white one. *)
Definition has_slot (white black : square) : bool :=
  is_apart white black && in_triangle white && (negb (on_diagonal white) || is_below black).

Definition pairs (has : square -> square -> bool) (squares : list square) : list (square * square) :=
  flat_map (fun black => map (fun white => (white, black)) (filter (fun white => has white black) squares))
    squares.

(** Of a pair of kings: its number, that of the first pair with this black king, and how many have him. *)
Record place := Place { king_pair : nat; first : nat; count : nat }.

Fixpoint find_from (n : nat) (found : square * square -> bool) (l : list (square * square)) : option nat :=
  match l with
  | [] => None
  | one :: l => if found one then Some n else find_from (S n) found l
  end.

Definition place_in (l : list (square * square)) (white black : square) : option place :=
  match find_from 0 (fun one => same white (fst one) && same black (snd one)) l,
        find_from 0 (fun one => same black (snd one)) l with
  | Some n, Some m => Some (Place n m (length (filter (fun one => same black (snd one)) l)))
  | _, _ => None
  end.

(** For each pair of kings the symmetries that bring it to one in a list, with the place of that one. *)
Definition images_in (l : list (square * square)) (symmetries : list symmetry) (white black : square)
    : list (symmetry * place) :=
  flat_map (fun g => match place_in l (image g white) (image g black) with
                     | Some where_ => [(g, where_)]
                     | None => []
                     end) symmetries.

Definition king_pairs := pairs has_slot by_number.
Definition king_pairs_with_pawns := pairs is_apart snake.
Definition number_of_pairs_with_pawns := length king_pairs_with_pawns.

Definition images := work_out (fun white => work_out (images_in king_pairs all_symmetries white)).
Definition images_with_pawns :=
  work_out (fun white => work_out (images_in king_pairs_with_pawns left_and_right white)).

(** * Slots *)

Definition slot_of (ranks rank : nat) (where_ : place) : nat :=
  first where_ * ranks + rank * count where_ + (king_pair where_ - first where_).

(** Of two images the one of smaller rank counts, of equal ranks that of the smaller pair of kings. *)
Fixpoint best_slot (ranks : nat) (rank : symmetry -> nat) (best : option (nat * place))
    (l : list (symmetry * place)) : nat :=
  match l with
  | [] => match best with Some (r, where_) => slot_of ranks r where_ | None => 0 end
  | (g, where_) :: l =>
      let r := rank g in
      best_slot ranks rank
        match best with
        | Some (r', where') =>
            if (r <? r') || ((r =? r') && (king_pair where_ <? king_pair where'))
            then Some (r, where_)
            else best
        | None => Some (r, where_)
        end l
  end.

(** Without pawns, with so many ranks, and the rank of each image. *)
Definition slot (ranks : nat) (rank : symmetry -> nat) (white black : square) : nat :=
  best_slot ranks rank None (look_up (look_up images white) black).

(** With one white pawn: the image with the pawn on the files a to d has the smaller key. *)
Definition slot_with_pawn (white black pawn : square) : nat :=
  let (f, r) := pawn in
  let is_right := 3 <? file_number f in
  let slice := 4 * (rank_number r - 1) + file_number (if is_right then mirrored f else f) in
  match filter (fun one => Bool.eqb is_right (mirrors (fst one)))
          (look_up (look_up images_with_pawns white) black) with
  | (_, where_) :: _ => slice * number_of_pairs_with_pawns + king_pair where_
  | [] => 0
  end.

Definition squares := length by_number.
Definition sets_of_two := squares * (squares - 1) / 2.
Definition ordered_pairs := squares * (squares - 1).

(** The number of one piece, that of a second one of another kind, and that of two of the same kind. *)
Definition rank_of_one (s : square) (g : symmetry) : nat := number (image g s).

Definition rank_of_two (s t : square) (g : symmetry) : nat :=
  let m := number (image g s) in
  let n := number (image g t) in
  m * (squares - 1) + (if m <? n then n - 1 else n).

Definition rank_of_twins (s t : square) (g : symmetry) : nat :=
  let m := number (image g s) in
  let n := number (image g t) in
  let low := min m n in
  let high := max m n in
  low + high * (high - 1) / 2.

(** * Values *)

(** What a byte of a table says. *)
Definition value_of (byte : nat) : value :=
  if byte =? 255 then Draw else if byte mod 2 =? 1 then Win byte else Loss byte.

(** The squares of both kings, and the other men. *)
Fixpoint sort_out (b : board) (white black : square) (others : board) : square * square * board :=
  match b with
  | [] => (white, black, others)
  | (s, Man White King) :: b => sort_out b s black others
  | (s, Man Black King) :: b => sort_out b white s others
  | one :: b => sort_out b white black (one :: others)
  end.

Definition a1 := Square FileA Rank1.
Definition upside_down := image (Symmetry false false true).

(** Which byte of which file says the value of a position.  In [KK] both sides have the same men, so that
    there is only a file with White to move. *)
Definition byte_of (p : position) : table * colour * nat :=
  let c := turn p in
  let '(white, black, others) := sort_out (men p) a1 a1 [] in
  match others with
  | [(s, Man White Queen)] => (KQK, c, slot squares (rank_of_one s) white black)
  | [(s, Man White Rook)] => (KRK, c, slot squares (rank_of_one s) white black)
  | [(s, Man White Bishop)] => (KBK, c, slot squares (rank_of_one s) white black)
  | [(s, Man White Knight)] => (KNK, c, slot squares (rank_of_one s) white black)
  | [(s, Man White Pawn)] => (KPK, c, slot_with_pawn white black s)
  | [(s, Man White Knight); (t, Man White Knight)] => (KNNK, c, slot sets_of_two (rank_of_twins s t) white black)
  | [(s, Man White Rook); (t, Man White Knight)] => (KRNK, c, slot ordered_pairs (rank_of_two s t) white black)
  | [(t, Man White Knight); (s, Man White Rook)] => (KRNK, c, slot ordered_pairs (rank_of_two s t) white black)
  | _ => (KK, White,
      match c with
      | White => slot 1 (fun _ => 0) white black
      | Black => slot 1 (fun _ => 0) (upside_down black) (upside_down white)
      end)
  end.

(** [bytes] are the files: the byte of a table, a side to move and a slot. *)
Definition files_of_bytes := table -> colour -> nat -> nat.

Definition probe (bytes : files_of_bytes) (p : position) : value :=
  let '(t, c, n) := byte_of p in value_of (bytes t c n).

(** * The comparison *)

(** The number of positions compared, or one whose value does not follow from those one move ahead. *)
Inductive report := Passed (n : nat) | Wrong (p : position).

Definition is_right (bytes : files_of_bytes) (p : position) : bool :=
  value_eqb (probe bytes p) (rule position moves check (probe bytes) p).

Definition compare (bytes : files_of_bytes) (p : position) (r : report) : report :=
  match r with
  | Wrong _ => r
  | Passed n => if legal p then if is_right bytes p then Passed (S n) else Wrong p else r
  end.

Definition same_kind (m n : kind) : bool :=
  match m, n with
  | King, King | Queen, Queen | Rook, Rook | Bishop, Bishop | Knight, Knight | Pawn, Pawn => true
  | _, _ => false
  end.

Definition same_man (m n : man) : bool :=
  let (c, k) := m in
  let (c', k') := n in
  Bool.eqb (is_white c) (is_white c') && same_kind k k'.

Fixpoint without (m : man) (l : list man) : list man :=
  match l with
  | [] => []
  | n :: l => if same_man m n then l else n :: without m l
  end.

Fixpoint distinct (l : list man) : list man :=
  match l with
  | [] => []
  | m :: l => m :: filter (fun n => negb (same_man m n)) (distinct l)
  end.

(** Go through all boards that have the men in [hand] on some of the squares, which descend, and on higher
    ones those who [stand] already.  On each square is one of the men in hand, or nobody. *)
Fixpoint all_boards {A} (visit : board -> A -> A) (descending : list square) (hand : list man)
    (stand : board) (r : A) : A :=
  match hand, descending with
  | [], _ => visit stand r
  | _, [] => r
  | _, s :: lower =>
      all_boards visit lower hand stand
        (fold_left (fun r m => all_boards visit lower (without m hand) ((s, m) :: stand) r) (distinct hand) r)
  end.

(** With either side to move. *)
Definition both {A} (visit : position -> A -> A) (b : board) (r : A) : A :=
  visit (Position Black b) (visit (Position White b) r).

Definition all_positions {A} (visit : position -> A -> A) (t : table) (r : A) : A :=
  all_boards (both visit) (rev by_number) (men_of t) [] r.

(** Every legal position of a table. *)
Definition run (bytes : files_of_bytes) (t : table) : report :=
  all_positions (compare bytes) t (Passed 0).

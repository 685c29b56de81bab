(** The laws of chess, as far as these tables need them: the board, how men move, check, and legal moves.

    What is left out: castling and en passant, because the tables hold positions without these rights and
    have no more than one pawn; and all draws but stalemate, because distances to mate disregard the
    50-move rule and repetitions.  Checkmate and stalemate are in [Fixed.v]: no legal move, in check or not.

    Read from top to bottom, these definitions say what the certificate means by chess.  Nothing in them is
    taken from the program that made the tables. *)
Require Import List Bool Arith.
Import ListNotations.

(** * The board *)

Inductive file := FileA | FileB | FileC | FileD | FileE | FileF | FileG | FileH.
Inductive rank := Rank1 | Rank2 | Rank3 | Rank4 | Rank5 | Rank6 | Rank7 | Rank8.
Inductive square := Square (f : file) (r : rank).

Definition files := [FileA; FileB; FileC; FileD; FileE; FileF; FileG; FileH].
Definition ranks := [Rank1; Rank2; Rank3; Rank4; Rank5; Rank6; Rank7; Rank8].

(** The square next to one, as White sees it; there is none beyond the edge. *)
Definition north (s : square) : option square :=
  let (f, r) := s in
  match r with
  | Rank1 => Some (Square f Rank2)
  | Rank2 => Some (Square f Rank3)
  | Rank3 => Some (Square f Rank4)
  | Rank4 => Some (Square f Rank5)
  | Rank5 => Some (Square f Rank6)
  | Rank6 => Some (Square f Rank7)
  | Rank7 => Some (Square f Rank8)
  | Rank8 => None
  end.

Definition south (s : square) : option square :=
  let (f, r) := s in
  match r with
  | Rank1 => None
  | Rank2 => Some (Square f Rank1)
  | Rank3 => Some (Square f Rank2)
  | Rank4 => Some (Square f Rank3)
  | Rank5 => Some (Square f Rank4)
  | Rank6 => Some (Square f Rank5)
  | Rank7 => Some (Square f Rank6)
  | Rank8 => Some (Square f Rank7)
  end.

Definition east (s : square) : option square :=
  let (f, r) := s in
  match f with
  | FileA => Some (Square FileB r)
  | FileB => Some (Square FileC r)
  | FileC => Some (Square FileD r)
  | FileD => Some (Square FileE r)
  | FileE => Some (Square FileF r)
  | FileF => Some (Square FileG r)
  | FileG => Some (Square FileH r)
  | FileH => None
  end.

Definition west (s : square) : option square :=
  let (f, r) := s in
  match f with
  | FileA => None
  | FileB => Some (Square FileA r)
  | FileC => Some (Square FileB r)
  | FileD => Some (Square FileC r)
  | FileE => Some (Square FileD r)
  | FileF => Some (Square FileE r)
  | FileG => Some (Square FileF r)
  | FileH => Some (Square FileG r)
  end.

(** Steps follow each other: [north & north & east] is one of a knight's. *)
Definition step := square -> option square.

Definition followed_by (first second : step) : step :=
  fun s => match first s with Some t => second t | None => None end.

Infix "&" := followed_by (at level 40, left associativity).

Definition straight : list step := [north; south; east; west].
Definition diagonal : list step := [north & east; north & west; south & east; south & west].
Definition knight_steps : list step :=
  [north & north & east; north & north & west; south & south & east; south & south & west;
   east & east & north; east & east & south; west & west & north; west & west & south].

(** The squares that a step leads to if it is repeated, up to so many times or to the edge. *)
Fixpoint path (times : nat) (go : step) (s : square) : list square :=
  match times with
  | 0 => []
  | S times => match go s with Some t => t :: path times go t | None => [] end
  end.

(** * Men *)

Inductive colour := White | Black.
Inductive kind := King | Queen | Rook | Bishop | Knight | Pawn.
Inductive man := Man (c : colour) (k : kind).

Definition other (c : colour) := match c with White => Black | Black => White end.
Definition colour_of (m : man) := let (c, _) := m in c.

Definition forward (c : colour) : step := match c with White => north | Black => south end.

(** The paths along which a man attacks from a square, on an empty board. *)
Definition attacks_of (m : man) (s : square) : list (list square) :=
  match m with
  | Man _ King => map (fun go => path 1 go s) (straight ++ diagonal)
  | Man _ Queen => map (fun go => path 7 go s) (straight ++ diagonal)
  | Man _ Rook => map (fun go => path 7 go s) straight
  | Man _ Bishop => map (fun go => path 7 go s) diagonal
  | Man _ Knight => map (fun go => path 1 go s) knight_steps
  | Man c Pawn => map (fun go => path 1 go s) [forward c & east; forward c & west]
  end.

(** * Speed: what depends on a square alone is worked out once *)

Inductive eight (A : Type) := Eight (x1 x2 x3 x4 x5 x6 x7 x8 : A).
Arguments Eight {A}.

Definition of_file {A} (row : eight A) (f : file) : A :=
  let (x1, x2, x3, x4, x5, x6, x7, x8) := row in
  match f with
  | FileA => x1 | FileB => x2 | FileC => x3 | FileD => x4
  | FileE => x5 | FileF => x6 | FileG => x7 | FileH => x8
  end.

Definition of_rank {A} (rows : eight A) (r : rank) : A :=
  let (x1, x2, x3, x4, x5, x6, x7, x8) := rows in
  match r with
  | Rank1 => x1 | Rank2 => x2 | Rank3 => x3 | Rank4 => x4
  | Rank5 => x5 | Rank6 => x6 | Rank7 => x7 | Rank8 => x8
  end.

Definition by_file {A} (what : file -> A) : eight A :=
  Eight (what FileA) (what FileB) (what FileC) (what FileD)
        (what FileE) (what FileF) (what FileG) (what FileH).

Definition by_rank {A} (what : rank -> A) : eight A :=
  Eight (what Rank1) (what Rank2) (what Rank3) (what Rank4)
        (what Rank5) (what Rank6) (what Rank7) (what Rank8).

Definition work_out {A} (what : square -> A) : eight (eight A) :=
  by_rank (fun r => by_file (fun f => what (Square f r))).

Definition look_up {A} (worked_out : eight (eight A)) (s : square) : A :=
  let (f, r) := s in of_file (of_rank worked_out r) f.

(** Looking up changes nothing. *)
Lemma look_up_work_out : forall A (what : square -> A) s, look_up (work_out what) s = what s.
Proof. intros A what [f r]. destruct f, r; reflexivity. Qed.

Definition king_attacks := work_out (attacks_of (Man White King)).
Definition queen_attacks := work_out (attacks_of (Man White Queen)).
Definition rook_attacks := work_out (attacks_of (Man White Rook)).
Definition bishop_attacks := work_out (attacks_of (Man White Bishop)).
Definition knight_attacks := work_out (attacks_of (Man White Knight)).
Definition white_pawn_attacks := work_out (attacks_of (Man White Pawn)).
Definition black_pawn_attacks := work_out (attacks_of (Man Black Pawn)).

Definition paths (m : man) (s : square) : list (list square) :=
  match m with
  | Man _ King => look_up king_attacks s
  | Man _ Queen => look_up queen_attacks s
  | Man _ Rook => look_up rook_attacks s
  | Man _ Bishop => look_up bishop_attacks s
  | Man _ Knight => look_up knight_attacks s
  | Man White Pawn => look_up white_pawn_attacks s
  | Man Black Pawn => look_up black_pawn_attacks s
  end.

Lemma paths_are_attacks : forall m s, paths m s = attacks_of m s.
Proof.
  intros [[] []] s; unfold paths, king_attacks, queen_attacks, rook_attacks, bishop_attacks,
    knight_attacks, white_pawn_attacks, black_pawn_attacks; rewrite look_up_work_out; reflexivity.
Qed.

(** * Positions *)

(** a1 is 0, b1 is 1, ..., h8 is 63. *)
Definition file_number (f : file) : nat :=
  match f with
  | FileA => 0 | FileB => 1 | FileC => 2 | FileD => 3 | FileE => 4 | FileF => 5 | FileG => 6 | FileH => 7
  end.

Definition rank_number (r : rank) : nat :=
  match r with
  | Rank1 => 0 | Rank2 => 1 | Rank3 => 2 | Rank4 => 3 | Rank5 => 4 | Rank6 => 5 | Rank7 => 6 | Rank8 => 7
  end.

Definition number (s : square) : nat := let (f, r) := s in 8 * rank_number r + file_number f.

Definition same (s t : square) : bool :=
  let (f, r) := s in
  let (f', r') := t in
  (file_number f =? file_number f') && (rank_number r =? rank_number r').

(** The men on a board, in the order of their squares, so that each position is written in one way. *)
Definition board := list (square * man).

Record position := Position { turn : colour; men : board }.

(** What stands on a square. *)
Fixpoint on (b : board) (s : square) : option man :=
  match b with
  | [] => None
  | (t, m) :: b => if same s t then Some m else on b s
  end.

Definition lift (s : square) (b : board) : board := filter (fun one => negb (same s (fst one))) b.

Fixpoint put (s : square) (m : man) (b : board) : board :=
  match b with
  | [] => [(s, m)]
  | (t, n) :: rest => if number s <? number t then (s, m) :: b else (t, n) :: put s m rest
  end.

(** * Check *)

(** The squares of a path up to the first man, his square among them. *)
Fixpoint reached (b : board) (path : list square) : list square :=
  match path with
  | [] => []
  | s :: path => s :: match on b s with None => reached b path | Some _ => [] end
  end.

(** The squares that a man attacks. *)
Definition attacked (b : board) (s : square) (m : man) : list square := flat_map (reached b) (paths m s).

Definition is_white (c : colour) : bool := match c with White => true | Black => false end.
Definition is_of (c : colour) (m : man) : bool := Bool.eqb (is_white c) (is_white (colour_of m)).
Definition is_king (m : man) : bool := match m with Man _ King => true | _ => false end.

(** A king is in check if a man of the other side attacks his square. *)
Definition in_check (b : board) (c : colour) : bool :=
  existsb (fun '(k, m) => is_king m && is_of c m &&
    existsb (fun '(s, n) => is_of (other c) n && existsb (same k) (attacked b s n)) b) b.

(** * Moves *)

Definition is_free (b : board) (s : square) : bool := match on b s with None => true | Some _ => false end.

(** Whether a man of this side may capture on a square: any man of the other side but the king. *)
Definition may_capture (b : board) (c : colour) (s : square) : bool :=
  match on b s with Some m => is_of (other c) m && negb (is_king m) | None => false end.

(** Where pawns begin, and where they are promoted. *)
Definition is_first (c : colour) (s : square) : bool :=
  match c, s with White, Square _ Rank2 | Black, Square _ Rank7 => true | _, _ => false end.

Definition is_last (c : colour) (s : square) : bool :=
  match c, s with White, Square _ Rank8 | Black, Square _ Rank1 => true | _, _ => false end.

(** A pawn advances to a free square in front of it, from where it begins also by two free squares. *)
Definition advances (b : board) (c : colour) (s : square) : list square :=
  match forward c s with
  | Some t =>
      if is_free b t then
        t :: (if is_first c s then
                match forward c t with Some u => if is_free b u then [u] else [] | None => [] end
              else [])
      else []
  | None => []
  end.

(** The squares to which a man may move, were it not for his king. *)
Definition targets (b : board) (s : square) (m : man) : list square :=
  match m with
  | Man c Pawn => filter (may_capture b c) (attacked b s m) ++ advances b c s
  | Man c _ => filter (fun t => is_free b t || may_capture b c t) (attacked b s m)
  end.

(** What a man is after a move to a square: a pawn on the last rank is promoted. *)
Definition becomes (m : man) (t : square) : list man :=
  match m with
  | Man c Pawn => if is_last c t then [Man c Queen; Man c Rook; Man c Bishop; Man c Knight] else [m]
  | _ => [m]
  end.

(** The man leaves his square, whatever stands on the other one is captured, and he stands there. *)
Definition after (b : board) (s t : square) (m : man) : board := put t m (lift t (lift s b)).

Definition moves_of (b : board) (s : square) (m : man) : list board :=
  flat_map (fun t => map (after b s t) (becomes m t)) (targets b s m).

(** The positions after each legal move: one after which the king of the side that moved is not in check. *)
Definition moves (p : position) : list position :=
  let c := turn p in
  map (Position (other c))
    (filter (fun b => negb (in_check b c))
      (flat_map (fun '(s, m) => if is_of c m then moves_of (men p) s m else []) (men p))).

Definition check (p : position) : bool := in_check (men p) (turn p).

(** * Legal positions *)

(** The men are written in the order of their squares, which also says that no two share one. *)
Fixpoint in_order (b : board) : bool :=
  match b with
  | (s, _) :: ((t, _) :: _) as rest => (number s <? number t) && in_order rest
  | _ => true
  end.

(** No pawn is on the first or eighth rank. *)
Definition may_stand (s : square) (m : man) : bool :=
  match s, m with Square _ (Rank1 | Rank8), Man _ Pawn => false | _, _ => true end.

(** A position is legal if the men stand where they may, and the side not to move is not in check: kings,
    too, attack the squares around them, so that they never touch.  [Tables.v] says which men there are. *)
Definition legal (p : position) : bool :=
  in_order (men p) && forallb (fun '(s, m) => may_stand s m) (men p) && negb (in_check (men p) (other (turn p))).

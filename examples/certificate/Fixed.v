(** A game of two sides that move in turn, and a table of values that agrees everywhere with the values one
    move ahead.  The table is right: it tells who can force mate, and in how many plies.  Theorem 1 of
    docs/verification.md. *)
Require Import List Arith Lia Bool.
Import ListNotations.

Section Game.
Variable pos : Type.
Variable moves : pos -> list pos.       (* the positions after each legal move; the other side moves there *)
Variable check : pos -> bool.           (* whether the side to move is in check *)

Definition mated p := moves p = [] /\ check p = true.

(** What chess says, without tables.  [win k p]: the side to move can force mate within k plies.
    [lost k p]: it is mated within k plies, whatever it plays. *)
Fixpoint win (k : nat) (p : pos) : Prop :=
  match k with
  | 0 => False
  | S k' => exists q, In q (moves p) /\ lost k' q
  end
with lost (k : nat) (p : pos) : Prop :=
  mated p \/
  match k with
  | 0 => False
  | S k' => moves p <> [] /\ forall q, In q (moves p) -> win k' q
  end.

Inductive value := Win (n : nat) | Loss (n : nat) | Draw.

(** The value of a position, by the laws of chess alone. *)
Definition value_is (v : value) (p : pos) : Prop :=
  match v with
  | Win n => win n p /\ forall k, win k p -> n <= k
  | Loss n => lost n p /\ forall k, lost k p -> n <= k
  | Draw => forall k, ~ win k p /\ ~ lost k p
  end.

(** The local rule: the value of a move, the better of two values, the value by those one move ahead. *)
Definition before (v : value) : value :=
  match v with Win n => Loss (S n) | Loss n => Win (S n) | Draw => Draw end.

Definition better (a b : value) : value :=
  match a, b with
  | Win m, Win n => Win (min m n)
  | Win m, _ => Win m
  | _, Win n => Win n
  | Draw, _ => Draw
  | _, Draw => Draw
  | Loss m, Loss n => Loss (max m n)
  end.

Fixpoint best (v : value) (l : list value) : value :=
  match l with [] => v | w :: l => best (better v w) l end.

Variable t : pos -> value.              (* the stored value *)

Definition rule (p : pos) : value :=
  match moves p with
  | [] => if check p then Loss 0 else Draw
  | q :: l => best (before (t q)) (map (fun q => before (t q)) l)
  end.

Definition value_eqb (a b : value) : bool :=
  match a, b with
  | Win m, Win n => m =? n
  | Loss m, Loss n => m =? n
  | Draw, Draw => true
  | _, _ => false
  end.

Lemma value_eqb_eq : forall a b, value_eqb a b = true -> a = b.
Proof.
  intros [m|m|] [n|n|] H; simpl in H; try discriminate; auto;
  apply Nat.eqb_eq in H; now subst.
Qed.

(** A set of positions that moves do not leave: all legal positions of some materials, sub-tables included. *)
Variable inside : pos -> Prop.
Hypothesis closed : forall p q, inside p -> In q (moves p) -> inside q.
Hypothesis passes : forall p, inside p -> t p = rule p.

Definition le (a b : value) : Prop := better a b = b.   (* b is at least as good for the side to move *)

Lemma better_choice : forall a b, better a b = a \/ better a b = b.
Proof.
  intros [m|m|] [n|n|]; simpl; auto.
  - destruct (Nat.min_dec m n) as [e|e]; rewrite e; auto.
  - destruct (Nat.max_dec m n) as [e|e]; rewrite e; auto.
Qed.

Lemma le_refl : forall a, le a a.
Proof. intros [m|m|]; unfold le; simpl; auto; f_equal; lia. Qed.

Lemma le_better_l : forall a b, le a (better a b).
Proof. intros [m|m|] [n|n|]; unfold le; simpl; auto; f_equal; lia. Qed.

Lemma le_better_r : forall a b, le b (better a b).
Proof. intros [m|m|] [n|n|]; unfold le; simpl; auto; f_equal; lia. Qed.

Lemma le_trans : forall a b c, le a b -> le b c -> le a c.
Proof.
  intros [m|m|] [n|n|] [k|k|]; unfold le; simpl; intros H1 H2; try discriminate; auto;
  try injection H1 as H1; try injection H2 as H2; f_equal; lia.
Qed.

Lemma best_in : forall l v, In (best v l) (v :: l).
Proof.
  induction l as [|w l IH]; intros v; simpl; auto.
  destruct (IH (better v w)) as [e|i].
  - rewrite <- e. destruct (better_choice v w) as [c|c]; rewrite c; auto.
  - right; right; exact i.
Qed.

Lemma best_ge : forall l v w, In w (v :: l) -> le w (best v l).
Proof.
  induction l as [|x l IH]; intros v w H; simpl in *.
  - destruct H as [<-|[]]. apply le_refl.
  - destruct H as [<-|[<-|H]].
    + eapply le_trans; [apply le_better_l | apply IH; left; reflexivity].
    + eapply le_trans; [apply le_better_r | apply IH; left; reflexivity].
    + apply IH. right. exact H.
Qed.

(** The rule, in words. *)
Lemma rule_in : forall p, moves p <> [] -> exists q, In q (moves p) /\ rule p = before (t q).
Proof.
  intros p H. unfold rule. destruct (moves p) as [|q l]; [congruence|].
  assert (I := best_in (map (fun q => before (t q)) l) (before (t q))).
  change (before (t q) :: map (fun q => before (t q)) l)
    with (map (fun q => before (t q)) (q :: l)) in I.
  apply in_map_iff in I. destruct I as [r [e i]]. exists r. split; auto.
Qed.

Lemma rule_ge : forall p q, In q (moves p) -> le (before (t q)) (rule p).
Proof.
  intros p q H. unfold rule. destruct (moves p) as [|r l]; [destruct H|].
  apply best_ge.
  change (In (before (t q)) (map (fun q => before (t q)) (r :: l))).
  apply in_map_iff. exists q. auto.
Qed.

Lemma rule_none : forall p, moves p = [] -> rule p = if check p then Loss 0 else Draw.
Proof. intros p H. unfold rule. now rewrite H. Qed.

Lemma mono : forall k p, (win k p -> win (S k) p) /\ (lost k p -> lost (S k) p).
Proof.
  induction k as [|k IH]; intros p; split; intro H.
  - destruct H.
  - destruct H as [H|[]]. left. exact H.
  - destruct H as [q [i l]]. exists q. split; auto. now apply IH.
  - destruct H as [H|[ne a]]; [left; exact H|right]. split; auto. intros q i. apply IH. now apply a.
Qed.

Lemma win_mono : forall p j k, j <= k -> win j p -> win k p.
Proof. intros p j k H. induction H; auto. intro W. apply mono. auto. Qed.

(** Sound: a stored win in n is a win in n, and so for losses. *)
Lemma sound : forall n p, inside p ->
  (t p = Win n -> win n p) /\ (t p = Loss n -> lost n p).
Proof.
  induction n as [n IH] using (well_founded_induction lt_wf). intros p I.
  rewrite (passes p I). destruct (moves p) as [|q0 l] eqn:M.
  - rewrite (rule_none p M). destruct (check p) eqn:C; split; intro H; try discriminate.
    destruct n; left; now split.
  - assert (M' : moves p <> []) by congruence. clear M.
    destruct (rule_in p M') as [q [iq e]]. split; intro H; rewrite H in e.
    + destruct (t q) as [|m|] eqn:T; simpl in e; try discriminate. injection e as ->.
      exists q. split; auto. apply (IH m); auto. eapply closed; eauto.
    + destruct (t q) as [m'| |]; simpl in e; try discriminate. injection e as ->.
      right. split; auto. intros r ir.
      assert (L := rule_ge p r ir). rewrite H in L.
      assert (J : inside r) by (eapply closed; eauto).
      destruct (t r) as [m|m|] eqn:T; unfold le in L; cbn [before better] in L; try discriminate.
      assert (E : Nat.max (S m) (S m') = S m') by congruence. clear L.
      apply (win_mono r m); [lia|]. apply (IH m); auto. lia.
Qed.

(** Complete: a win within k plies is stored as one of at most k, and so for losses. *)
Lemma complete : forall k p, inside p ->
  (win k p -> exists n, n <= k /\ t p = Win n) /\ (lost k p -> exists n, n <= k /\ t p = Loss n).
Proof.
  assert (Z : forall p, inside p -> mated p -> t p = Loss 0).
  { intros p I [M C]. rewrite (passes p I), (rule_none p M), C. reflexivity. }
  induction k as [|k IH]; intros p I; split; intro H.
  - destruct H.
  - destruct H as [H|[]]. exists 0. split; auto.
  - destruct H as [q [i l]].
    destruct (IH q) as [_ c]; [eapply closed; eauto|]. destruct (c l) as [n [b e]].
    assert (L := rule_ge p q i). rewrite e in L. rewrite (passes p I). unfold le in L. cbn [before] in L.
    destruct (rule p) as [m|m|]; cbn [better] in L; try discriminate.
    exists m. split; auto. assert (E : Nat.min (S n) m = m) by congruence. lia.
  - destruct H as [H|[ne a]].
    + exists 0. split; [lia|]. auto.
    + destruct (rule_in p ne) as [q [i e]].
      destruct (IH q) as [c _]; [eapply closed; eauto|]. destruct (c (a q i)) as [n [b f]].
      rewrite (passes p I), e, f. exists (S n). split; [lia|reflexivity].
Qed.

(** The theorem: every stored value is the true one. *)
Theorem right : forall p, inside p -> value_is (t p) p.
Proof.
  intros p I. destruct (t p) as [n|n|] eqn:T; simpl.
  - split; [now apply (sound n p I)|]. intros k W.
    destruct (complete k p I) as [c _]. destruct (c W) as [m [b e]]. rewrite T in e.
    now injection e as ->.
  - split; [now apply (sound n p I)|]. intros k W.
    destruct (complete k p I) as [_ c]. destruct (c W) as [m [b e]]. rewrite T in e.
    now injection e as ->.
  - intro k. destruct (complete k p I) as [c d]. split; intro W.
    + destruct (c W) as [m [_ e]]. congruence.
    + destruct (d W) as [m [_ e]]. congruence.
Qed.

End Game.

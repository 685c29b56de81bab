(** From the comparison to the theorem: moves stay within the eight tables, and the comparison reaches
    every legal position of theirs. *)
Require Import List Bool Arith Lia Permutation Sorted.
Require Import Fixed Chess Tables.
Import ListNotations.

(** * Squares and men are equal where the comparisons say so *)

Lemma file_number_inj : forall f f', file_number f = file_number f' -> f = f'.
Proof. intros [] []; simpl; intro H; congruence || discriminate. Qed.

Lemma rank_number_inj : forall r r', rank_number r = rank_number r' -> r = r'.
Proof. intros [] []; simpl; intro H; congruence || discriminate. Qed.

Lemma same_eq : forall s t, same s t = true <-> s = t.
Proof.
  intros [f r] [f' r']. unfold same. rewrite andb_true_iff, !Nat.eqb_eq. split.
  - intros [F R]. apply file_number_inj in F. apply rank_number_inj in R. congruence.
  - intro E. injection E as -> ->. auto.
Qed.

Lemma number_inj : forall s t, number s = number t -> s = t.
Proof.
  intros [f r] [f' r'] H. unfold number in H.
  assert (file_number f < 8) by (destruct f; simpl; lia).
  assert (file_number f' < 8) by (destruct f'; simpl; lia).
  rewrite (file_number_inj f f'), (rank_number_inj r r'); auto; lia.
Qed.

Lemma same_man_eq : forall m n, same_man m n = true <-> m = n.
Proof. intros [[] []] [[] []]; simpl; split; intro H; congruence || discriminate. Qed.

(** * Boards *)

Definition sorted (b : board) := StronglySorted (fun one two => number (fst one) < number (fst two)) b.

Lemma in_order_sorted : forall b, in_order b = true -> sorted b.
Proof.
  intros b H. apply Sorted_StronglySorted.
  - intros x y z; simpl; lia.
  - induction b as [|[s m] [|[t n] b] IH]; auto.
    cbn [in_order] in H. apply andb_true_iff in H. destruct H as [L R]. apply Nat.ltb_lt in L.
    constructor; [now apply IH|]. now constructor.
Qed.

Lemma sorted_in_order : forall b, sorted b -> in_order b = true.
Proof.
  induction b as [|[s m] [|[t n] b] IH]; intro H; auto.
  inversion H as [|? ? S F]; subst. inversion F; subst.
  cbn [in_order]. apply andb_true_iff. split; [now apply Nat.ltb_lt | now apply IH].
Qed.

Lemma sorted_filter : forall f b, sorted b -> sorted (filter f b).
Proof.
  intros f b H. induction H as [|one b S IH F]; simpl; [constructor|].
  destruct (f one); auto. constructor; auto.
  rewrite Forall_forall in *. intros x I. apply filter_In in I. now apply F.
Qed.

Lemma in_put : forall s m b x, In x (put s m b) -> x = (s, m) \/ In x b.
Proof.
  induction b as [|[t n] b IH]; intros x I; simpl in *.
  - destruct I as [<-|[]]; auto.
  - destruct (number s <? number t); simpl in I.
    + destruct I as [<-|I]; auto.
    + destruct I as [<-|I]; auto. destruct (IH x I); auto.
Qed.

Lemma sorted_put : forall s m b, ~ In s (map fst b) -> sorted b -> sorted (put s m b).
Proof.
  intros s m b N H. induction H as [|[t n] b S IH F]; simpl.
  - repeat constructor.
  - simpl in N. destruct (number s <? number t) eqn:L.
    + apply Nat.ltb_lt in L. constructor; [now constructor|]. constructor; simpl; auto.
      eapply Forall_impl; [|exact F]. simpl. intros. lia.
    + apply Nat.ltb_ge in L. constructor; [now apply IH; tauto|].
      rewrite Forall_forall in *. intros x I. destruct (in_put _ _ _ _ I) as [->|J]; [|now apply F].
      simpl. assert (number s <> number t) by (intro E; apply number_inj in E; subst; tauto). lia.
Qed.

Lemma put_permutation : forall s m b, Permutation (put s m b) ((s, m) :: b).
Proof.
  induction b as [|[t n] b IH]; simpl; auto.
  destruct (number s <? number t); auto.
  rewrite IH. apply perm_swap.
Qed.

Lemma lift_absent : forall s b, ~ In s (map fst b) -> lift s b = b.
Proof.
  induction b as [|[t n] b IH]; simpl; auto. intro N.
  destruct (same s t) eqn:E; simpl.
  - apply same_eq in E. subst. tauto.
  - rewrite IH; auto.
Qed.

Lemma lift_gone : forall s b, ~ In s (map fst (lift s b)).
Proof.
  intros s b I. apply in_map_iff in I. destruct I as [[t n] [E I]]. simpl in E. subst t.
  apply filter_In in I. destruct I as [_ I]. simpl in I.
  assert (same s s = true) by now apply same_eq. rewrite H in I. discriminate.
Qed.

Lemma sorted_later : forall t n b, sorted ((t, n) :: b) -> ~ In t (map fst b).
Proof.
  intros t n b H I. inversion H as [|? ? S F]; subst. rewrite Forall_forall in F.
  apply in_map_iff in I. destruct I as [[u k] [E I]]. specialize (F _ I). simpl in *. subst. lia.
Qed.

(** Lifting a man takes just him away. *)
Lemma lift_permutation : forall s m b, sorted b -> In (s, m) b -> Permutation b ((s, m) :: lift s b).
Proof.
  intros s m b H. induction b as [|[t n] b IH]; intro I; [destruct I|].
  assert (L := sorted_later _ _ _ H). inversion H; subst. simpl.
  destruct I as [E|I].
  - injection E as -> ->. assert (same s s = true) by now apply same_eq. rewrite H0. simpl.
    rewrite lift_absent; auto.
  - destruct (same s t) eqn:E; simpl.
    + apply same_eq in E. subst. exfalso. apply L. apply in_map_iff. exists (t, m). auto.
    + rewrite perm_swap. constructor. now apply IH.
Qed.

Lemma on_in : forall b s m, on b s = Some m -> In (s, m) b.
Proof.
  induction b as [|[t n] b IH]; simpl; intros s m H; [discriminate|].
  destruct (same s t) eqn:E.
  - apply same_eq in E. injection H as ->. subst. auto.
  - auto.
Qed.

Lemma on_none : forall b s, on b s = None -> ~ In s (map fst b).
Proof.
  induction b as [|[t n] b IH]; simpl; intros s H; auto.
  destruct (same s t) eqn:E; [discriminate|].
  intros [->|I]; [|now apply (IH s)].
  assert (same s s = true) by now apply same_eq. congruence.
Qed.

(** * Where men move to *)

(** A man moves to a free square, or captures a man of the other side who is no king. *)
Lemma targets_ok : forall b s m t, In t (targets b s m) ->
  on b t = None \/ exists n, on b t = Some n /\ colour_of n <> colour_of m /\ is_king n = false.
Proof.
  assert (P : forall b c t, may_capture b c t = true ->
    exists n, on b t = Some n /\ colour_of n <> c /\ is_king n = false).
  { intros b c t H. unfold may_capture in H. destruct (on b t) as [n|]; [|discriminate].
    apply andb_true_iff in H. destruct H as [C K]. exists n. repeat split.
    - destruct c, n as [[] ?]; simpl in *; congruence || discriminate.
    - now apply negb_true_iff. }
  assert (Q : forall b t, is_free b t = true -> on b t = None).
  { intros b t H. unfold is_free in H. destruct (on b t); congruence || discriminate. }
  assert (R : forall b c s m t, In t (filter (fun t => is_free b t || may_capture b c t) (attacked b s m)) ->
    on b t = None \/ exists n, on b t = Some n /\ colour_of n <> c /\ is_king n = false).
  { intros b c s m t H. apply filter_In in H. destruct H as [_ H]. apply orb_true_iff in H.
    destruct H; auto. }
  intros b s [c k] t H. destruct k; simpl in H; try (now apply (R b c s _ t H)).
  apply in_app_iff in H. destruct H as [H|H].
  - apply filter_In in H. right. now apply P.
  - left. unfold advances in H. destruct (forward c s) as [u|]; [|destruct H].
    destruct (is_free b u) eqn:F; [|destruct H]. simpl in H. destruct H as [<-|H]; auto.
    destruct (is_first c s); [|destruct H]. destruct (forward c u) as [v|]; [|destruct H].
    destruct (is_free b v) eqn:G; [|destruct H]. simpl in H. destruct H as [<-|[]]; auto.
Qed.

(** A square where a pawn of this side may be after a move: not where that side's pieces begin. *)
Definition is_ahead (c : colour) (s : square) : bool :=
  match c, s with White, Square _ Rank1 | Black, Square _ Rank8 => false | _, _ => true end.

Lemma reached_in : forall b l t, In t (reached b l) -> In t l.
Proof.
  induction l as [|s l IH]; simpl; intros t H; auto.
  destruct H as [<-|H]; auto. destruct (on b s); [destruct H|]. auto.
Qed.

Lemma pawn_ahead : forall b c s t, In t (targets b s (Man c Pawn)) -> is_ahead c t = true.
Proof.
  assert (A : forall c s t, forward c s = Some t -> is_ahead c t = true).
  { intros [] [f []] t H; simpl in H; try discriminate; injection H as <-; reflexivity. }
  intros b c s t H. simpl in H. apply in_app_iff in H. destruct H as [H|H].
  - apply filter_In in H. destruct H as [H _]. unfold attacked in H. apply in_flat_map in H.
    destruct H as [l [I J]]. apply reached_in in J. rewrite paths_are_attacks in I.
    destruct c, s as [[] []]; simpl in I; repeat (destruct I as [<-|I]; simpl in J); try tauto;
      repeat (destruct J as [<-|J]); try tauto; reflexivity.
  - unfold advances in H. destruct (forward c s) as [u|] eqn:F; [|destruct H].
    destruct (is_free b u); [|destruct H]. simpl in H. destruct H as [<-|H]; [eapply A; eauto|].
    destruct (is_first c s); [|destruct H]. destruct (forward c u) as [v|] eqn:G; [|destruct H].
    destruct (is_free b v); [|destruct H]. simpl in H. destruct H as [<-|[]]. eapply A; eauto.
Qed.

Lemma becomes_may_stand : forall b s m t n, In t (targets b s m) -> In n (becomes m t) -> may_stand t n = true.
Proof.
  intros b s [c k] t n H N. destruct k; simpl in N; try (destruct N as [<-|[]]; destruct t as [f []]; reflexivity).
  apply pawn_ahead in H. destruct c, t as [f []]; simpl in *; try discriminate;
    repeat (destruct N as [<-|N]; [reflexivity|]); destruct N.
Qed.

(** * Materials *)

Fixpoint permuted (l l' : list man) : bool :=
  match l with
  | [] => match l' with [] => true | _ => false end
  | m :: l => existsb (same_man m) l' && permuted l (without m l')
  end.

Lemma without_permutation : forall m l, In m l -> Permutation l (m :: without m l).
Proof.
  induction l as [|n l IH]; simpl; intro I; [destruct I|].
  destruct (same_man m n) eqn:E.
  - apply same_man_eq in E. subst. auto.
  - destruct I as [->|I].
    + assert (same_man m m = true) by now apply same_man_eq. congruence.
    + rewrite perm_swap. constructor. now apply IH.
Qed.

Lemma permuted_permutation : forall l l', permuted l l' = true -> Permutation l l'.
Proof.
  induction l as [|m l IH]; intros l' H; simpl in H.
  - destruct l'; auto. discriminate.
  - apply andb_true_iff in H. destruct H as [I P]. apply existsb_exists in I.
    destruct I as [n [I E]]. apply same_man_eq in E. subst n.
    rewrite (without_permutation m l'); auto.
Qed.

Definition is_known (l : list man) : bool := existsb (fun t => permuted l (men_of t)) tables.

Definition kinds := [King; Queen; Rook; Bishop; Knight; Pawn].

(** Whatever a man of one of the tables becomes and captures, the men that are left are those of a table.
    All cases are gone through. *)
Definition moves_stay : bool :=
  forallb (fun t =>
    forallb (fun m =>
      let rest := without m (men_of t) in
      forallb (fun n =>
        is_known (n :: rest) &&
        forallb (fun captured =>
          Bool.eqb (is_white (colour_of captured)) (is_white (colour_of m)) || is_king captured ||
          is_known (n :: without captured rest)) rest)
      (match m with
       | Man c Pawn => map (Man c) [Queen; Rook; Bishop; Knight; Pawn]
       | _ => [m]
       end))
    (men_of t)) tables.

Lemma they_stay : moves_stay = true.
Proof. vm_compute. reflexivity. Qed.

Lemma becomes_in : forall m t n, In n (becomes m t) ->
  In n (match m with Man c Pawn => map (Man c) [Queen; Rook; Bishop; Knight; Pawn] | _ => [m] end).
Proof.
  intros [c []] t n H; simpl in H; try exact H. destruct (is_last c t); simpl in *; tauto.
Qed.

Definition of_table (b : board) := exists t, Permutation (map snd b) (men_of t).

Lemma all_tables : forall t, In t tables.
Proof. intros []; simpl; tauto. Qed.

Lemma is_known_of_table : forall l, is_known l = true -> exists t, Permutation l (men_of t).
Proof.
  intros l H. apply existsb_exists in H. destruct H as [t [_ H]]. exists t. now apply permuted_permutation.
Qed.

Lemma stay : forall t m rest n k, Permutation (m :: rest) (men_of t) -> In n (becomes m k) ->
  (exists t', Permutation (n :: rest) (men_of t')) /\
  (forall captured rest', Permutation rest (captured :: rest') ->
     colour_of captured <> colour_of m -> is_king captured = false ->
     exists t', Permutation (n :: rest') (men_of t')).
Proof.
  intros t m rest n k P N.
  assert (S := they_stay). unfold moves_stay in S. rewrite forallb_forall in S.
  specialize (S t (all_tables t)). rewrite forallb_forall in S.
  assert (M : In m (men_of t)) by (eapply Permutation_in; [exact P | now left]).
  specialize (S m M). cbv zeta in S. rewrite forallb_forall in S.
  specialize (S n (becomes_in _ _ _ N)). apply andb_true_iff in S. destruct S as [S1 S2].
  assert (R : Permutation rest (without m (men_of t))).
  { eapply Permutation_cons_inv. rewrite P. now apply without_permutation. }
  split.
  - destruct (is_known_of_table _ S1) as [t' Q]. exists t'. now rewrite R.
  - intros captured rest' R' C K. rewrite forallb_forall in S2.
    assert (I : In captured (without m (men_of t))).
    { eapply Permutation_in; [exact R|]. eapply Permutation_in; [symmetry; exact R' | now left]. }
    specialize (S2 captured I). rewrite K, orb_false_r in S2.
    assert (D : Bool.eqb (is_white (colour_of captured)) (is_white (colour_of m)) = false).
    { destruct captured as [[] ?], m as [[] ?]; simpl in *; congruence. }
    rewrite D in S2. simpl in S2. destruct (is_known_of_table _ S2) as [t' Q]. exists t'.
    rewrite <- Q. constructor. eapply Permutation_cons_inv. rewrite <- R'. rewrite R.
    now apply without_permutation.
Qed.

(** * Moves do not leave the legal positions of the eight tables *)

Definition inside (p : position) := legal p = true /\ of_table (men p).

Lemma other_other : forall c, other (other c) = c.
Proof. intros []; reflexivity. Qed.

Lemma legal_parts : forall p, legal p = true <->
  sorted (men p) /\ (forall s m, In (s, m) (men p) -> may_stand s m = true) /\
  in_check (men p) (other (turn p)) = false.
Proof.
  intro p. unfold legal. rewrite !andb_true_iff, negb_true_iff, forallb_forall. split.
  - intros [[O S] C]. repeat split; auto; [now apply in_order_sorted|]. intros s m I. exact (S _ I).
  - intros [O [S C]]. repeat split; auto; [now apply sorted_in_order|]. intros [s m] I. now apply S.
Qed.

Lemma lift_lift : forall s t b m n, sorted b -> In (s, m) b -> In (t, n) b -> s <> t ->
  Permutation (lift s b) ((t, n) :: lift t (lift s b)).
Proof.
  intros s t b m n S I J D. apply lift_permutation; [now apply sorted_filter|].
  apply filter_In. split; auto. simpl. apply negb_true_iff.
  destruct (same s t) eqn:E; auto. apply same_eq in E. tauto.
Qed.

Theorem closed : forall p q, inside p -> In q (moves p) -> inside q.
Proof.
  intros [c b] q [L [t T]] Q. apply legal_parts in L. destruct L as [S [W _]].
  unfold moves in Q. cbn [turn men] in *. apply in_map_iff in Q. destruct Q as [b' [<- Q]].
  apply filter_In in Q. destruct Q as [Q C]. apply negb_true_iff in C.
  apply in_flat_map in Q. destruct Q as [[s m] [I Q]]. destruct (is_of c m); [|destruct Q].
  unfold moves_of in Q. apply in_flat_map in Q. destruct Q as [u [U Q]].
  apply in_map_iff in Q. destruct Q as [n [<- N]]. unfold after.
  assert (Lifted : sorted (lift u (lift s b))) by now repeat apply sorted_filter.
  assert (Gone := lift_gone u (lift s b)).
  split.
  - apply legal_parts. cbn [turn men]. rewrite other_other. split; [|split].
    + now apply sorted_put.
    + intros s' m' J. apply in_put in J. destruct J as [E|J].
      * injection E as -> ->. eapply becomes_may_stand; eauto.
      * apply filter_In in J. destruct J as [J _]. apply filter_In in J. destruct J as [J _]. now apply W.
    + exact C.
  - cbn [men]. unfold of_table.
    assert (P := Permutation_map snd (put_permutation u n (lift u (lift s b)))). cbn [map snd] in P.
    assert (P1 := Permutation_map snd (lift_permutation s m b S I)). cbn [map snd] in P1.
    rewrite T in P1. symmetry in P1.
    destruct (stay t m _ n u P1 N) as [Quiet Capture].
    destruct (targets_ok b s m u U) as [F|[captured [F [D K]]]].
    + assert (E : lift u (lift s b) = lift s b).
      { apply lift_absent. intro J. apply on_none in F. apply F. apply in_map_iff in J.
        destruct J as [x [E J]]. apply filter_In in J. apply in_map_iff. exists x. tauto. }
      rewrite E in P. destruct Quiet as [t' Q]. exists t'. now rewrite E, P.
    + apply on_in in F.
      assert (s <> u).
      { intros ->. assert (X := lift_permutation u m b S I).
        assert (Y : In (u, captured) ((u, m) :: lift u b)) by (eapply Permutation_in; eauto).
        destruct Y as [E|Y]; [injection E as ->; tauto|].
        apply (lift_gone u b). apply in_map_iff. exists (u, captured). auto. }
      assert (P2 := Permutation_map snd (lift_lift s u b m captured S I F H)). cbn [map snd] in P2.
      destruct (Capture _ _ P2 D K) as [t' Q]. exists t'. now rewrite P.
Qed.

(** * The comparison reaches every position *)

Section Visits.
Variable bytes : files_of_bytes.

Definition compare_both := both (compare bytes).

Definition passes_through (f : report -> report) := forall p, f (Wrong p) = Wrong p.

(** [f] ends well only if it has found the positions with these men right. *)
Definition finds_right (b : board) (f : report -> report) :=
  forall r n, f r = Passed n -> forall c, legal (Position c b) = true -> is_right bytes (Position c b) = true.

Lemma compare_wrong : forall p, passes_through (compare bytes p).
Proof. intros p q. reflexivity. Qed.

Lemma both_wrong : forall b, passes_through (compare_both b).
Proof. intros b p. reflexivity. Qed.

Lemma compare_right : forall p r n, compare bytes p r = Passed n -> legal p = true -> is_right bytes p = true.
Proof.
  intros p [m|q] n H L; simpl in H; [|discriminate]. rewrite L in H.
  destruct (is_right bytes p); auto. discriminate.
Qed.

Lemma compare_before : forall p r n, compare bytes p r = Passed n -> exists m, r = Passed m.
Proof. intros p [m|q] n H; [eauto | discriminate]. Qed.

Lemma both_right : forall b, finds_right b (compare_both b).
Proof.
  intros b r n H c L. unfold compare_both, both in H. destruct c.
  - destruct (compare_before _ _ _ H) as [m E]. eapply compare_right; eauto.
  - eapply compare_right; eauto.
Qed.

Lemma fold_wrong : forall A (f : report -> A -> report) l p,
  (forall x, passes_through (fun r => f r x)) -> fold_left f l (Wrong p) = Wrong p.
Proof. intros A f l p H. induction l as [|x l IH]; simpl; auto. rewrite (H x p). exact IH. Qed.

Lemma boards_wrong : forall squares hand stand, passes_through (all_boards compare_both squares hand stand).
Proof.
  induction squares as [|s lower IH]; intros [|m hand] stand p; try apply both_wrong; [reflexivity|].
  cbn [all_boards]. rewrite fold_wrong; [apply IH|]. intros x q. apply IH.
Qed.

Lemma fold_finds : forall A (f : report -> A -> report) l x b,
  (forall y, passes_through (fun r => f r y)) -> In x l -> finds_right b (fun r => f r x) ->
  finds_right b (fold_left f l).
Proof.
  intros A f l x b W I F. induction l as [|y l IH]; [destruct I|].
  intros r n H. cbn [fold_left] in H.
  destruct I as [->|I]; [|eapply IH; eauto].
  destruct (f r x) as [m|p] eqn:E; [eapply F; eauto|]. rewrite fold_wrong in H; [discriminate | exact W].
Qed.

(** A list that is left of another if some of its elements are crossed out. *)
Inductive part : list square -> list square -> Prop :=
  | part_nil : forall l, part [] l
  | part_take : forall s k l, part k l -> part (s :: k) (s :: l)
  | part_skip : forall s k l, part k l -> part k (s :: l).

Lemma in_distinct : forall m l, In m l -> In m (distinct l).
Proof.
  induction l as [|n l IH]; simpl; intro I; [destruct I|].
  destruct (same_man n m) eqn:E; [left; now apply same_man_eq|].
  destruct I as [->|I].
  - assert (same_man m m = true) by now apply same_man_eq. congruence.
  - right. apply filter_In. split; auto. now rewrite E.
Qed.

(** [front] are the men still to be placed, from the highest square down. *)
Lemma boards_find : forall squares front hand stand,
  part (map fst front) squares -> Permutation (map snd front) hand ->
  finds_right (rev front ++ stand) (all_boards compare_both squares hand stand).
Proof.
  induction squares as [|s lower IH]; intros front hand stand P H.
  - inversion P as [l E| |]. destruct front; [|discriminate]. simpl in *.
    apply Permutation_nil in H. subst. exact (both_right stand).
  - destruct front as [|[t m] front].
    + simpl in *. apply Permutation_nil in H. subst. exact (both_right stand).
    + destruct hand as [|h hand]; [exfalso; symmetry in H; exact (Permutation_nil_cons H)|].
      cbn [map fst snd] in *. cbn [all_boards]. inversion P as [|? ? ? P'|? ? ? P']; subst.
      * intros r n E.
        destruct (fold_left _ _ r) as [k|q] eqn:F in E; [|rewrite boards_wrong in E; discriminate].
        assert (I : In m (h :: hand)) by (eapply Permutation_in; [exact H | now left]).
        refine (fold_finds _ _ _ m (rev ((s, m) :: front) ++ stand) _ (in_distinct _ _ I) _ r k F).
        -- intros y q. apply boards_wrong.
        -- cbn [rev]. rewrite <- app_assoc. apply IH; auto.
           eapply Permutation_cons_inv. rewrite H. now apply without_permutation.
      * intros r n E. exact (IH ((t, m) :: front) (h :: hand) stand P' H _ _ E).
Qed.

Definition descending := StronglySorted (fun s t => number t < number s).

(** A descending list whose squares occur in another one is part of it. *)
Lemma part_of : forall l k, descending k -> descending l -> (forall s, In s k -> In s l) -> part k l.
Proof.
  induction l as [|t l IH]; intros k K L I.
  - destruct k as [|s k]; [constructor|]. destruct (I s); now left.
  - destruct k as [|s k]; [constructor|].
    inversion K as [|? ? K' KF]; inversion L as [|? ? L' LF]; subst.
    rewrite Forall_forall in KF, LF.
    destruct (I s) as [->|J]; [now left| |].
    + constructor. apply IH; auto. intros u U. destruct (I u) as [->|V]; [now right| |auto].
      specialize (KF u U). lia.
    + apply part_skip. apply IH; auto. intros u [<-|U]; auto.
      destruct (I u) as [->|V]; [now right| |auto].
      assert (A := KF u U). assert (B := LF s J). lia.
Qed.

Lemma every_square : forall s, In s (rev by_number).
Proof.
  intro s. assert (H : existsb (same s) (rev by_number) = true) by (destruct s as [[] []]; vm_compute; reflexivity).
  apply existsb_exists in H. destruct H as [t [I E]]. apply same_eq in E. now subst.
Qed.

Fixpoint descends (l : list square) : bool :=
  match l with
  | s :: (t :: _) as rest => (number t <? number s) && descends rest
  | _ => true
  end.

Lemma squares_descend : descending (rev by_number).
Proof.
  assert (H : descends (rev by_number) = true) by (vm_compute; reflexivity).
  apply Sorted_StronglySorted; [intros x y z; lia|]. revert H. generalize (rev by_number).
  induction l as [|s [|t l] IH]; intro H; auto.
  cbn [descends] in H. apply andb_true_iff in H. destruct H as [L R]. apply Nat.ltb_lt in L.
  constructor; [now apply IH|]. now constructor.
Qed.

Lemma board_descends : forall b, sorted b -> descending (map fst (rev b)).
Proof.
  intros b H. rewrite map_rev. induction H as [|[s m] b S IH F]; simpl; [constructor|].
  assert (G : forall t, In t (rev (map fst b)) -> number s < number t).
  { intros t I. apply in_rev in I. apply in_map_iff in I. destruct I as [x [<- I]].
    rewrite Forall_forall in F. exact (F x I). }
  clear F. induction IH as [|t l D IH' F]; simpl; [repeat constructor|].
  constructor.
  - apply IH'. intros u U. apply G. now right.
  - apply Forall_app. split; auto. constructor; auto. apply G. now left.
Qed.

Lemma run_is : forall t, run bytes t = all_boards compare_both (rev by_number) (men_of t) [] (Passed 0).
Proof. reflexivity. Qed.

Lemma boards_find_all : forall squares, descending squares -> (forall s, In s squares) ->
  forall b hand, sorted b -> Permutation (map snd b) hand ->
  finds_right b (all_boards compare_both squares hand []).
Proof.
  intros squares D I b hand S P. rewrite <- (rev_involutive b), <- (app_nil_r (rev (rev b))).
  apply boards_find.
  - apply part_of; auto. now apply board_descends.
  - rewrite <- P. apply Permutation_map. symmetry. apply Permutation_rev.
Qed.

Theorem reached_all : forall t n, run bytes t = Passed n ->
  forall p, legal p = true -> Permutation (map snd (men p)) (men_of t) -> is_right bytes p = true.
Proof.
  intros t n H [c b] L P. rewrite run_is in H.
  destruct (proj1 (legal_parts _) L) as [S _].
  exact (boards_find_all _ squares_descend every_square b (men_of t) S P (Passed 0) n H c L).
Qed.
End Visits.

(** * The theorem *)

(** If the comparison passes for all eight tables, whatever bytes their files hold, then the files tell the
    value of every legal position with the men of one of them: who can force mate and in how many plies. *)
Theorem databases : forall bytes : files_of_bytes,
  (forall t, exists n, run bytes t = Passed n) ->
  forall p t, legal p = true -> Permutation (map snd (men p)) (men_of t) ->
  value_is position moves check (probe bytes p) p.
Proof.
  intros bytes H p t L P.
  apply (right position moves check (probe bytes) inside closed).
  - intros q [LQ [u U]]. apply value_eqb_eq. destruct (H u) as [n R]. exact (reached_all bytes u n R q LQ U).
  - split; auto. now exists t.
Qed.

Print Assumptions databases.

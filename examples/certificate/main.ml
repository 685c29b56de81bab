(* The program around what Coq extracts: it reads bytes and prints what [Certified] finds.

     certificate FOLDER TABLE...             compare every legal position of each table
     certificate --moves                     read positions like "w Ka1Rb2kc3", and tell of each whether it is
                                             illegal or check, and the boards after each move
     certificate FOLDER --slots TABLE        print the slots of legal positions, as lines SIDE SLOT
     certificate FOLDER --change TABLE       read lines SIDE SLOT BYTE; change each byte in turn, and compare
                                             only the slot's positions and those of the table one move before

   Exit codes: 0 all right, 1 a wrong value (or, with --change, a byte that was accepted), 2 bad input. *)
open Certified

exception Bad of string

let names =
  [ KK, "KK"; KQK, "KQK"; KRK, "KRK"; KBK, "KBK"; KNK, "KNK"; KPK, "KPK"; KNNK, "KNNK"; KRNK, "KRNK" ]

let name table = List.assoc table names

let table_named text =
  match List.find_opt (fun (_, name) -> name = text) names with
  | Some (table, _) -> table
  | None -> raise (Bad (text ^ ": no such table; there are " ^ String.concat " " (List.map snd names)))

let side_named = function
  | "white" -> White
  | "black" -> Black
  | text -> raise (Bad (text ^ ": the side to move is white or black"))

let index = function KK -> 0 | KQK -> 1 | KRK -> 2 | KBK -> 3 | KNK -> 4 | KPK -> 5 | KNNK -> 6 | KRNK -> 7

(* Files *)

let file folder table side =
  Filename.concat folder (name table ^ match side with White -> ".white" | Black -> ".black")

(* The number of bytes of a file, those of docs/format.md. *)
let slots = function KK -> 462 | KQK | KRK | KBK | KNK -> 29568 | KPK -> 86688 | KNNK -> 931392 | KRNK -> 1862784

let read path length =
  match open_in_bin path with
  | exception Sys_error reason -> raise (Bad (reason ^ ": write it with plain.py"))
  | channel ->
      let found = in_channel_length channel in
      if found <> length then
        raise (Bad (Printf.sprintf "%s has %d bytes, not %d: write it with plain.py" path found length));
      let text = really_input_string channel length in
      close_in channel;
      Bytes.of_string text

(* All files of a folder; if both sides have the same men there is none with Black to move. *)
let read_all folder =
  let whites = Array.make 8 Bytes.empty and blacks = Array.make 8 Bytes.empty in
  List.iter
    (fun table ->
      whites.(index table) <- read (file folder table White) (slots table);
      if table <> KK then blacks.(index table) <- read (file folder table Black) (slots table))
    tables;
  fun table side -> (match side with White -> whites | Black -> blacks).(index table)

let byte_in files table side slot =
  let bytes = files table side in
  if slot >= Bytes.length bytes then raise (Bad (Printf.sprintf "%s is too short" (file "" table side)));
  Char.code (Bytes.unsafe_get bytes slot)

(* Positions, as in "w Ka1Rb2kc3": the side to move, and the men by their squares *)

let square_text square =
  let n = number square in
  Printf.sprintf "%c%c" (Char.chr (97 + (n mod 8))) (Char.chr (49 + (n / 8)))

let man_text (Man (colour, kind)) =
  let letter = match kind with King -> "K" | Queen -> "Q" | Rook -> "R" | Bishop -> "B" | Knight -> "N" | Pawn -> "P" in
  match colour with White -> letter | Black -> String.lowercase_ascii letter

let board_text men = String.concat "" (List.map (fun (square, man) -> man_text man ^ square_text square) men)

let position_text p = (match p.turn with White -> "w " | Black -> "b ") ^ board_text p.men

(* What the program does *)

let compare_table files table =
  let start = Sys.time () in
  match run (byte_in files) table with
  | Passed n ->
      Printf.printf "%s: %d positions compared, all right (%.0f s of processor time)\n%!" (name table) n (Sys.time () -. start);
      n > 0
  | Wrong p ->
      Printf.printf "%s: %s: the value does not follow from those one move ahead\n%!" (name table) (position_text p);
      false

let man_named letter =
  let colour = if Char.uppercase_ascii letter = letter then White else Black in
  match Char.uppercase_ascii letter with
  | 'K' -> Man (colour, King)
  | 'Q' -> Man (colour, Queen)
  | 'R' -> Man (colour, Rook)
  | 'B' -> Man (colour, Bishop)
  | 'N' -> Man (colour, Knight)
  | 'P' -> Man (colour, Pawn)
  | _ -> raise (Bad (Printf.sprintf "%c is no man" letter))

let square_named file rank =
  match List.nth_opt by_number ((Char.code rank - 49) * 8 + Char.code file - 97) with
  | Some square -> square
  | None | (exception Invalid_argument _) -> raise (Bad (Printf.sprintf "%c%c is no square" file rank))

let position_named line =
  let rec men text stand =
    match text with
    | [] -> stand
    | letter :: file :: rank :: text -> men text (put (square_named file rank) (man_named letter) stand)
    | _ -> raise (Bad (line ^ " is no position"))
  in
  match List.of_seq (String.to_seq line) with
  | 'w' :: ' ' :: text -> { turn = White; men = men text [] }
  | 'b' :: ' ' :: text -> { turn = Black; men = men text [] }
  | _ -> raise (Bad (line ^ " is no position"))

let rec print_moves () =
  match input_line stdin with
  | exception End_of_file -> ()
  | line ->
      let p = position_named line in
      if legal p then begin
        print_string (if check p then "check" else "quiet");
        List.iter (fun q -> print_char ' '; print_string (board_text q.men)) (moves p);
        print_newline ()
      end
      else print_endline "illegal";
      print_moves ()

let side_text = function White -> "white" | Black -> "black"

let print_slots files table =
  let seen side = Bytes.make (Bytes.length (files table side)) '0' in
  let whites = seen White and blacks = seen Black in
  let note p () =
    if legal p then begin
      let (_, side), slot = byte_of p in
      let seen = match side with White -> whites | Black -> blacks in
      if Bytes.get seen slot = '0' then begin
        Bytes.set seen slot '1';
        Printf.printf "%s %d\n" (side_text side) slot
      end
    end
  in
  all_positions note table ()

let read_changes () =
  let rec more found =
    match input_line stdin with
    | line -> more (Scanf.sscanf line " %s %d %d" (fun side slot byte -> (side_named side, slot, byte)) :: found)
    | exception End_of_file -> List.rev found
  in
  more []

let try_changes files table =
  let changes = read_changes () in
  let near = Hashtbl.create 65536 in
  List.iter
    (fun (side, slot, byte) ->
      let bytes = files table side in
      if slot < 0 || slot >= Bytes.length bytes || byte < 0 || byte > 255 || byte = Char.code (Bytes.get bytes slot)
      then raise (Bad (Printf.sprintf "%s %d %d is no change of a byte" (side_text side) slot byte));
      Hashtbl.replace near (side, slot) [])
    changes;
  let note p q =
    let (other, side), slot = byte_of q in
    if other = table then
      match Hashtbl.find_opt near (side, slot) with
      | None -> ()
      | Some (last :: _) when last == p -> ()
      | Some others -> Hashtbl.replace near (side, slot) (p :: others)
  in
  all_positions (fun p () -> if legal p then List.iter (note p) (p :: moves p)) table ();
  let accepted = ref 0 and compared = ref 0 in
  List.iter
    (fun (side, slot, byte) ->
      let bytes = files table side and positions = Hashtbl.find near (side, slot) in
      let old = Bytes.get bytes slot in
      if positions = [] then
        raise (Bad (Printf.sprintf "%s %d: no legal position has this slot" (side_text side) slot));
      Bytes.set bytes slot (Char.chr byte);
      compared := !compared + List.length positions;
      if List.for_all (is_right (byte_in files)) positions then begin
        incr accepted;
        Printf.printf "%s: %s %d %d: accepted\n" (name table) (side_text side) slot byte
      end;
      Bytes.set bytes slot old)
    changes;
  Printf.printf "%s: %d changed bytes, %d accepted; %d positions at them\n" (name table) (List.length changes)
    !accepted !compared;
  changes <> [] && !accepted = 0

let main = function
  | [ "--moves" ] -> print_moves (); true
  | [ folder; "--slots"; table ] -> print_slots (read_all folder) (table_named table); true
  | [ folder; "--change"; table ] -> try_changes (read_all folder) (table_named table)
  | folder :: (_ :: _ as chosen) when not (List.exists (fun text -> text.[0] = '-') chosen) ->
      let files = read_all folder in
      List.for_all (compare_table files) (List.map table_named chosen)
  | _ -> raise (Bad "usage: certificate FOLDER TABLE... | certificate --moves | certificate FOLDER --slots|--change TABLE")

let () =
  match main (List.tl (Array.to_list Sys.argv)) with
  | true -> ()
  | false -> exit 1
  | exception (Bad reason | Sys_error reason | Scanf.Scan_failure reason) ->
      prerr_endline ("certificate: " ^ reason);
      exit 2

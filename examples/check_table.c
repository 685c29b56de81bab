/* Check every value of tables by the rules of chess alone:
 *
 *     cc -O2 -Wall -Wextra -o check_table examples/check_table.c -lz && ./check_table data/KPK.h5
 *
 * It knows docs/format.md, and nothing of the program that made the tables: each value must be the
 * best of those after the moves. Sub-tables lie beside the file, and stay in memory for the next
 * file. The exit code is 1 for a wrong value, 2 for bad input. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef uint64_t u64;
enum { KING, QUEEN, ROOK, BISHOP, KNIGHT, PAWN, BLACK, EMPTY = 12, MOST = 6 }; /* black men: + 6 */
enum { MATE = 10000 }; /* a win in n plies is MATE - n, a loss n - MATE, a draw 0 */
static const char LETTERS[] = "KQRBNPkqrbnp";
static const char *SIDES[] = {"white_to_move", "black_to_move"};
static const char *METRICS[] = {"dtm", "dtz", "dtm_epoch"};

typedef struct { /* the values of one side to move */
    u64 chunk, entries, entry, page; /* values in a chunk; address and size of entries, how many */
    uint8_t **chunks;                /* unpacked, when first needed */
} Data;

typedef struct {
    char name[16];
    int counts[EMPTY], pawns, symmetric, has[3], values[2][256];
    unsigned char *file;
    u64 length, slices, ranks;
    int *slice_of; /* by the key of the pawns; -1 where the mirror image counts */
    Data data[2][3];
} Table;

typedef struct { /* passed: the square that a pawn has just passed, or -1 */
    int men, turn, passed, kind[MOST + 1], square[MOST];
    u64 occupied;
} Position;

#define FAIL(...) (fprintf(stderr, "%s: ", checked), fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), exit(2))
static const char *checked; /* the file that is checked, its folder and its table */
static char folder[4096];
static const Table *table;
static Table tables[256];
static int table_count, pair_number[2][64][64], first_pair[2][64], pairs_on[2][64], pair_count[2];

static void *get_memory(u64 count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) FAIL("the memory does not suffice");
    return memory;
}

/* ---- The part of HDF5 that docs/format.md describes ---- */

static u64 number(const Table *t, u64 at, u64 bytes) {
    u64 value = 0;
    if (at > t->length || t->length - at < bytes) FAIL("%s.h5 is damaged or cut off", t->name);
    while (bytes--) value = value << 8 | t->file[at + bytes];
    return value;
}

static void expect(const Table *t, int is_so, const char *what) {
    if (!is_so) FAIL("%s.h5 is not as docs/format.md says: %s", t->name, what);
}

/* Find a message of an object: a link or attribute by its name, others by type. 0: none. */
static u64 message(const Table *t, u64 object, u64 type, const char *name) {
    expect(t, number(t, object, 4) == 0x5244484f, "header of an object"); /* "OHDR" */
    u64 flags = number(t, object + 5, 1), at = object + 6 + (flags & 32 ? 16 : 0) + (flags & 16 ? 4 : 0);
    u64 start[64] = {at + (1 << (flags & 3))}, end[64] = {start[0] + number(t, at, 1 << (flags & 3))};
    u64 head = flags & 4 ? 6 : 4, size;
    for (int block = 0, blocks = 1; block < blocks; block++)
        for (at = start[block]; at + head < end[block]; at += size) {
            u64 found = number(t, at, 1);
            size = number(t, at + 1, 2);
            at += head;
            if (found == 16 && blocks < 64) { /* more messages elsewhere, after "OCHK" */
                start[blocks] = number(t, at, 8) + 4;
                end[blocks] = start[blocks] + number(t, at + 8, 8) - 8;
                blocks++;
            }
            if (found != type) continue;
            if (!name) return at;
            u64 length = strlen(name), text = type == 12 ? at + 9 : at + size - 8 - length;
            if (number(t, type == 12 ? at + 2 : text - 1, 1) != length + (type == 12)) continue;
            if (text + length < t->length && !memcmp(t->file + text, name, length))
                return type == 12 ? at : number(t, at + size - 8, 8);
        }
    return 0;
}

/* Copy an attribute of the root, of which there are texts and numbers; return the number. */
static u64 attribute(const Table *t, const char *name, char *text, u64 most) {
    u64 at = message(t, number(t, 36, 8), 12, name);
    text[0] = 0;
    if (!at) return 0;
    u64 type = at + 9 + number(t, at + 2, 2), data = type + number(t, at + 4, 2) + number(t, at + 6, 2);
    u64 size = number(t, type + 4, 4);
    expect(t, size < most && data < t->length && size < t->length - data, name);
    memcpy(text, t->file + data, size);
    text[size] = 0;
    return number(t, data, size < 8 ? size : 8);
}

static void open_data(Table *t, int side, int metric) {
    Data *data = &t->data[side][metric];
    u64 group = message(t, number(t, 36, 8), 6, SIDES[side]);
    u64 object = group ? message(t, group, 6, METRICS[metric]) : 0;
    if (!object) FAIL("%s.h5 has no %s/%s", t->name, SIDES[side], METRICS[metric]);
    u64 space = message(t, object, 1, NULL), type = message(t, object, 3, NULL);
    u64 layout = message(t, object, 8, NULL), filters = message(t, object, 11, NULL);
    expect(t, space && number(t, space + 4, 8) == t->slices * pair_count[t->pawns > 0] * t->ranks, "size");
    expect(t, type && number(t, type + 4, 4) == 1, "bytes");
    expect(t, filters && number(t, filters, 4) == 0x10202 && number(t, filters + 12, 2) == 3, "filters");
    expect(t, layout && number(t, layout, 2) == 0x204, "layout");
    u64 width = number(t, layout + 4, 1), at = layout + 5 + 2 * width, kind = number(t, at, 1);
    data->chunk = number(t, layout + 5, width);
    expect(t, data->chunk && data->chunk <= 1 << 20, "chunks");
    u64 count = (number(t, space + 4, 8) + data->chunk - 1) / data->chunk;
    data->chunks = get_memory(count, sizeof(uint8_t *));
    data->entries = at + 1;
    if (kind == 1) return; /* one chunk, and its size and address are here */
    u64 head = number(t, at + 2, 8);
    data->entry = number(t, head + 6, 1);
    data->page = 1ull << number(t, head + 7, 1) % 32;
    data->entries = number(t, head + 16, 8) + 14;
    if (count > data->page) data->entries += (count / data->page + 8) / 8 + 4;
    expect(t, kind == 3 && number(t, head, 4) == 0x44484146, "index of chunks"); /* "FAHD" */
}

static int code(const Table *t, int side, int metric, u64 slot) {
    const Data *data = &t->data[side][metric];
    u64 i = slot / data->chunk;
    if (!data->chunks[i]) {
        u64 at = data->entries, bytes, address;
        if (data->entry) { /* entries in pages, each with a checksum of 4 bytes */
            at += i * data->entry + i / data->page * 4;
            address = number(t, at, 8);
            bytes = number(t, at + 8, data->entry - 12);
        } else {
            bytes = number(t, at, 8);
            address = number(t, at + 12, 8);
        }
        uLongf size = data->chunk;
        uint8_t *values = get_memory(size, 1);
        expect(t, address < t->length && bytes < t->length - address + 1, "place of a chunk");
        if (uncompress(values, &size, t->file + address, bytes - 4) != Z_OK || size != data->chunk)
            FAIL("%s.h5 has a damaged chunk in %s/%s", t->name, SIDES[side], METRICS[metric]);
        data->chunks[i] = values;
    }
    return data->chunks[i][slot % data->chunk];
}

/* ---- Slots ---- */

static u64 choose(int n, int k) {
    u64 ways = 1;
    for (int i = 0; i < k; i++) ways = ways * (u64)(n - i) / (i + 1);
    return n < k ? 0 : ways;
}

static void number_kings(void) {
    for (int pawns = 0; pawns < 2; pawns++)
        for (int i = 0; i < 64 * 64; i++) {
            int black = i / 64, white = i % 64;
            if (pawns) { /* file by file, up and down in turn */
                black = (black & 8 ? 7 - black % 8 : black % 8) * 8 + black / 8;
                white = (white & 8 ? 7 - white % 8 : white % 8) * 8 + white / 8;
            }
            int chosen = white / 8 <= white % 8 && white % 8 < 4 && (white % 9 || black / 8 <= black % 8);
            pair_number[pawns][white][black] = -1;
            if (abs(white % 8 - black % 8) < 2 && abs(white / 8 - black / 8) < 2) continue;
            if (!pawns && !chosen) continue;
            if (!pairs_on[pawns][black]++) first_pair[pawns][black] = pair_count[pawns];
            pair_number[pawns][white][black] = pair_count[pawns]++;
        }
}

static u64 pawn_key(const u64 *sets) {
    u64 key = 0, weight = 1;
    for (int kind = PAWN; kind < EMPTY; kind += BLACK)
        for (u64 set = sets[kind]; set; set &= set - 1, weight *= 48)
            key += (__builtin_ctzll(set) - 8) * weight;
    return key;
}

static void number_pawns(Table *t) {
    u64 keys = 1;
    for (int i = 0; i < t->pawns; i++) keys *= 48;
    t->slice_of = get_memory(keys, sizeof(int));
    for (u64 key = 0; key < keys; key++) {
        u64 sets[EMPTY] = {0}, mirrored[EMPTY] = {0}, rest = key;
        for (int i = 0; i < t->pawns; i++, rest /= 48) {
            int kind = i < t->counts[PAWN] ? PAWN : PAWN + BLACK;
            sets[kind] |= 1ull << (rest % 48 + 8);
            mirrored[kind] |= 1ull << ((rest % 48 + 8) ^ 7);
        }
        int apart = __builtin_popcountll(sets[PAWN] | sets[PAWN + BLACK]) == t->pawns;
        int counts = apart && key == pawn_key(sets) && key <= pawn_key(mirrored);
        t->slice_of[key] = counts ? (int)t->slices++ : -1;
    }
}

/* Give the slot of a position by the first symmetries (1: itself alone), or -1. */
static int64_t slot_of(const Table *t, const Position *p, int symmetries) {
    int pawns = t->pawns > 0, best_pair = 0;
    u64 best_rank = UINT64_MAX, best = 0;
    for (int symmetry = 0; symmetry < symmetries; symmetry++) {
        u64 sets[EMPTY] = {0}, rank = 0;
        for (int i = 0; i < p->men; i++) {
            int s = symmetry & 4 ? p->square[i] % 8 * 8 + p->square[i] / 8 : p->square[i];
            sets[p->kind[i]] |= 1ull << (s ^ (symmetry & 1 ? 7 : 0) ^ (symmetry & 2 ? 56 : 0));
        }
        int black = __builtin_ctzll(sets[KING + BLACK]), free_squares = 64 - t->pawns;
        int pair = pair_number[pawns][__builtin_ctzll(sets[KING])][black], slice = t->slice_of[pawn_key(sets)];
        u64 crossed = sets[PAWN] | sets[PAWN + BLACK];
        if (pair < 0 || slice < 0) continue;
        for (int kind = 0; kind < EMPTY; kind++) {
            if (kind % BLACK == KING || kind % BLACK == PAWN || !sets[kind]) continue;
            u64 own = 0, i = 0;
            for (u64 set = sets[kind]; set; set &= set - 1)
                own += choose(__builtin_ctzll(set) - __builtin_popcountll(crossed & ((set & -set) - 1)), ++i);
            rank = rank * choose(free_squares, i) + own;
            free_squares -= i;
            crossed |= sets[kind];
        }
        if (rank > best_rank || (rank == best_rank && pair > best_pair)) continue;
        best_rank = rank;
        best_pair = pair;
        best = ((u64)slice * pair_count[pawns] + first_pair[pawns][black]) * t->ranks
            + rank * pairs_on[pawns][black] + pair - first_pair[pawns][black];
    }
    return best_rank == UINT64_MAX ? -1 : (int64_t)best;
}

/* ---- Tables ---- */

static Table *open_table(const char *name) {
    static char path[5000], text[65536];
    snprintf(path, sizeof path, "%s%s.h5", folder, name);
    FILE *stream = fopen(path, "rb");
    if (!stream) return NULL;
    if (table_count == 256) FAIL("it needs too many tables");
    Table *t = &tables[table_count++];
    snprintf(t->name, sizeof t->name, "%s", name);
    expect(t, !fseek(stream, 0, SEEK_END) && (int64_t)(t->length = ftell(stream)) >= 48, "length");
    t->file = get_memory(t->length, 1);
    rewind(stream);
    if (fread(t->file, 1, t->length, stream) != t->length) FAIL("%s.h5 cannot be read", name);
    fclose(stream);
    expect(t, !memcmp(t->file, "\211HDF\r\n\032\n\3\10\10", 11), "beginning");
    u64 version = attribute(t, "format_version", text, sizeof text);
    expect(t, version == 3 || version == 4, "version 3 or 4");
    attribute(t, "material", text, sizeof text);
    expect(t, !strcmp(text, name), "the name is that of the material");
    int side = -BLACK, free_squares = 64;
    for (int i = 0; name[i]; i++) {
        side += name[i] == 'K' ? BLACK : 0;
        t->counts[strchr(LETTERS, name[i]) - LETTERS + side]++;
    }
    t->symmetric = !memcmp(t->counts, t->counts + BLACK, BLACK * sizeof(int));
    free_squares -= t->pawns = t->counts[PAWN] + t->counts[PAWN + BLACK];
    number_pawns(t);
    t->ranks = 1;
    for (int kind = 0; kind < EMPTY; kind++)
        if (kind % BLACK != KING && kind % BLACK != PAWN) {
            t->ranks *= choose(free_squares, t->counts[kind]);
            free_squares -= t->counts[kind];
        }
    attribute(t, "metrics", text, sizeof text);
    for (int metric = 0; metric < 3; metric++) {
        t->has[metric] = metric == 2 ? t->has[0] && version == 4 : strstr(text, METRICS[metric]) != NULL;
        for (side = 0; t->has[metric] && side < 2 - t->symmetric; side++) open_data(t, side, metric);
    }
    attribute(t, "dtz_outcomes", text, sizeof text);
    for (side = 0; side < 2; side++) {
        char *next = strstr(text, SIDES[side]);
        next = next ? strchr(next, '[') : "]";
        for (int i = 0; i < 255; i++) {
            int n = *next == ']' || next[1] == ']' ? 3 * MATE : (int)strtol(next + 1, &next, 10);
            t->values[side][i] = n > 0 ? MATE - n : -n - 1 - MATE; /* 3 * MATE: without a meaning */
        }
    }
    return t;
}

/* Give the table of a position's men, and whether its colours are exchanged. */
static Table *find(const Position *p, int *exchanged) {
    int counts[EMPTY + BLACK] = {0};
    char names[2][16] = {"", ""};
    for (int i = 0; i < p->men; i++) counts[p->kind[i]]++;
    memcpy(counts + EMPTY, counts, BLACK * sizeof(int)); /* White's again: from BLACK on exchanged */
    for (int i = 0; i < table_count; i++)
        for (*exchanged = 0; *exchanged < 2; ++*exchanged)
            if (!memcmp(tables[i].counts, counts + BLACK * *exchanged, sizeof tables[i].counts)) return &tables[i];
    for (*exchanged = 0; *exchanged < 2; ++*exchanged) {
        char *end = names[*exchanged];
        for (int kind = 0; kind < EMPTY; kind++)
            for (int n = counts[kind + BLACK * *exchanged]; n; n--) *end++ = LETTERS[kind % BLACK];
        Table *t = open_table(names[*exchanged]);
        if (t) return t;
    }
    FAIL("it needs %s.h5 beside it: tablebase build %s --dir '%s.'", names[0], names[0], folder);
    return NULL;
}

/* ---- The rules of chess ---- */

static int attacks(const Position *p, int man, int to) {
    int from = p->square[man], kind = p->kind[man] % BLACK;
    int files = to % 8 - from % 8, ranks = to / 8 - from / 8, wide = abs(files), high = abs(ranks);
    if (kind == PAWN) return wide == 1 && ranks == (p->kind[man] < BLACK ? 1 : -1);
    if (kind == KNIGHT) return wide * high == 2;
    if (kind == KING) return from != to && wide < 2 && high < 2;
    int is_line = ((!wide || !high) && kind != BISHOP) || (wide == high && kind != ROOK);
    if (from == to || !is_line) return 0;
    int step = (files > 0) - (files < 0) + 8 * ((ranks > 0) - (ranks < 0));
    for (int s = from + step; s != to; s += step)
        if (p->occupied >> s & 1) return 0;
    return 1;
}

static int is_in_check(const Position *p, int side) {
    int king = 0;
    while (p->kind[king] != KING + side * BLACK) king++;
    for (int i = 0; i < p->men; i++)
        if (p->kind[i] / BLACK != side && attacks(p, i, p->square[king])) return 1;
    return 0;
}

/* Make a move; return whether it is legal. */
static int make(Position *after, const Position *p, int man, int to, int kind) {
    int is_pawn = p->kind[man] % BLACK == PAWN, from = p->square[man];
    int victim = is_pawn && to == p->passed ? to + (p->turn ? 8 : -8) : to;
    *after = (Position){0, !p->turn, is_pawn && abs(to - from) == 16 ? (to + from) / 2 : -1, {0}, {0}, 0};
    for (int i = 0; i < p->men; i++) {
        if (p->square[i] == victim) continue;
        int square = i == man ? to : p->square[i];
        after->kind[after->men] = i == man ? kind : p->kind[i];
        after->square[after->men++] = square;
        after->occupied |= 1ull << square;
    }
    return !is_in_check(after, p->turn);
}

static void by_moves(const Position *p, int *best);

/* Give what the files say of a position. */
static void look_up(const Position *p, int *values) {
    Position q;
    int exchanged;
    for (int i = 0; p->passed >= 0 && i < p->men; i++)
        if (p->kind[i] == PAWN + p->turn * BLACK && attacks(p, i, p->passed) && make(&q, p, i, p->passed, p->kind[i])) {
            by_moves(p, values); /* such a position has no slot */
            return;
        }
    const Table *t = find(p, &exchanged);
    q = *p;
    if (exchanged || (t->symmetric && p->turn)) {
        q.turn = !p->turn;
        for (int i = 0; i < q.men; i++) {
            q.square[i] ^= 56;
            q.kind[i] = (q.kind[i] + BLACK) % EMPTY;
        }
    }
    u64 slot = slot_of(t, &q, t->pawns ? 2 : 8);
    for (int metric = 0; metric < 2; metric++) {
        if (!table->has[metric]) continue;
        if (!t->has[metric]) FAIL("it needs %s in %s.h5, too", METRICS[metric], t->name);
        int n = code(t, q.turn, metric, slot);
        if (metric) values[1] = n == 255 ? 0 : t->values[q.turn][n];
        if (metric) continue;
        int plies = n + (t->has[2] ? 254 * code(t, q.turn, 2, slot) : 0);
        values[0] = n == 255 ? 0 : n % 2 ? MATE - plies : plies - MATE;
    }
}

/* Give the best values that moves lead to. */
static void by_moves(const Position *p, int *best) {
    int up = p->turn ? -8 : 8, moves = 0, values[2];
    best[0] = best[1] = -4 * MATE;
    for (int i = 0; i < p->men * 64; i++) {
        int man = i / 64, to = i % 64, from = p->square[man], kind = p->kind[man];
        int is_pawn = kind % BLACK == PAWN, is_taken = p->occupied >> to & 1, last = kind;
        if (kind / BLACK != p->turn) continue;
        for (int j = 0; j < p->men; j++)
            if (p->square[j] == to && p->kind[j] / BLACK == p->turn) is_taken = 2; /* by its own side */
        int can_push = is_pawn && !is_taken && (to == from + up
            || (to == from + 2 * up && from / 8 == (p->turn ? 6 : 1) && !(p->occupied >> (from + up) & 1)));
        int can_capture = attacks(p, man, to) && (!is_pawn || is_taken || to == p->passed);
        if (is_taken == 2 || (!can_push && !can_capture)) continue;
        if (is_pawn && to / 8 % 7 == 0) kind += QUEEN - PAWN, last = kind + KNIGHT - QUEEN;
        for (; kind <= last; kind++) {
            Position after;
            if (!make(&after, p, man, to, kind)) continue;
            moves++;
            look_up(&after, values);
            for (int metric = 0; metric < 2; metric++) {
                int plies = MATE - abs(values[metric]), value = values[metric];
                plies = metric && (is_pawn || is_taken) ? (plies > 100 ? 101 : 1) : plies + 1;
                value = value < 0 ? MATE - plies : value > 0 ? plies - MATE : 0;
                if (value > best[metric]) best[metric] = value;
            }
        }
    }
    if (!moves) best[0] = best[1] = is_in_check(p, p->turn) ? -MATE : 0;
}

/* ---- The check ---- */

static void print_fen(const Position *p) {
    for (int i = 0, empty = 0; i < 64; i++) {
        int man = 0, is_last = i % 8 == 7;
        while (man < p->men && p->square[man] != (i ^ 56)) man++;
        empty += man == p->men;
        if (empty && (is_last || man < p->men)) fprintf(stderr, "%d", empty), empty = 0;
        if (man < p->men) fputc(LETTERS[p->kind[man]], stderr);
        if (is_last && i < 63) fputc('/', stderr);
    }
    fprintf(stderr, " %c - - 0 1", p->turn ? 'b' : 'w');
}

static void print_value(const char *before, int value) {
    if (abs(value) > MATE) fprintf(stderr, "%sa code without a meaning", before);
    else if (!value) fprintf(stderr, "%sdrawn", before);
    else fprintf(stderr, "%s%s in %d", before, value > 0 ? "won" : "lost", MATE - abs(value));
}

/* Check all positions that differ in the squares of the men from one on; return their number. */
static u64 check_from(Position *p, int man) {
    u64 checked_here = 0;
    int is_pawn = p->kind[man] % BLACK == PAWN, is_same = man > 2 && p->kind[man] == p->kind[man - 1];
    for (int s = is_same ? p->square[man - 1] + 1 : 0; man < p->men && s < 64; s++) {
        if (p->occupied >> s & 1 || (is_pawn && s / 8 % 7 == 0)) continue;
        if (man == 1 && pair_number[table->pawns > 0][p->square[0]][s] < 0) continue;
        p->square[man] = s;
        p->occupied |= 1ull << s;
        checked_here += check_from(p, man + 1);
        p->occupied &= ~(1ull << s);
    }
    if (man < p->men || slot_of(table, p, 1) < 0) return checked_here;
    for (p->turn = 0; p->turn < 2 - table->symmetric; p->turn++) {
        int stored[2], right[2];
        if (is_in_check(p, !p->turn)) continue;
        look_up(p, stored);
        by_moves(p, right);
        for (int metric = 0; metric < 2; metric++) {
            if (!table->has[metric] || stored[metric] == right[metric]) continue;
            fprintf(stderr, "%s: ", checked);
            print_fen(p);
            fprintf(stderr, ": %s", METRICS[metric]);
            print_value(" ", stored[metric]);
            print_value(", but ", right[metric]);
            fprintf(stderr, " by its moves\n");
            exit(1);
        }
        checked_here++;
    }
    return checked_here;
}

int main(int count, char **arguments) {
    number_kings();
    for (int i = 1; i < count; i++) {
        checked = arguments[i];
        const char *slash = strrchr(checked, '/'), *dot = strstr(slash ? slash : checked, ".h5");
        const char *name = slash ? slash + 1 : checked;
        char stem[16] = "";
        if (!dot || dot - name > 15 || name - checked > 4000) FAIL("its name is not like KRK.h5");
        memcpy(stem, name, dot - name);
        memset(folder, 0, sizeof folder);
        memcpy(folder, checked, name - checked);
        table = open_table(stem);
        if (!table) FAIL("there is no such file");
        Position p = {0, 0, -1, {0}, {0}, 0};
        for (int kind = 0; kind < EMPTY; kind++) {}
        p.kind[p.men++] = KING, p.kind[p.men++] = KING + BLACK;
        for (int kind = 0; kind < EMPTY; kind++)
            for (int n = table->counts[kind]; n && kind % BLACK; n--) p.kind[p.men++] = kind;
        u64 positions = check_from(&p, 0);
        printf("%s: %llu positions,%s%s right\n", checked, (unsigned long long)positions,
               table->has[0] ? " dtm" : "", table->has[1] ? " dtz" : "");
    }
    return 0;
}

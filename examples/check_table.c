/* Check every value of tables by the rules of chess alone:
 *
 *     cc -O2 -Wall -Wextra -o check_table examples/check_table.c -lz && ./check_table data/KPK.h5
 *
 * It knows docs/format.md, and nothing of the program: each value must be the best of those after the
 * moves. Sub-tables lie beside the file. The exit code is 1 for a wrong value, and 2 for bad input or
 * if nothing was compared. */
#include <ctype.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef uint64_t u64;
/* Black men are White's + BLACK. A win in n plies is MATE - n, a loss n - MATE, a draw 0. */
enum { KING, QUEEN, ROOK, BISHOP, KNIGHT, PAWN, BLACK, EMPTY = 12, MOST = 6, MATE = 100000 };

typedef struct { /* the values of one side to move: in each chunk, and where entries of chunks lie */
    u64 chunk, entries, entry, page;
    uint8_t **chunks; /* unpacked, when first needed */
} Data;

typedef struct {
    char name[16 * MOST];
    u64 key; /* four bits for each kind: how many men */
    int counts[EMPTY], pawns, is_symmetric, has[5], values[2][256];
    unsigned char *file;
    u64 length, slices, ranks;
    int *slice_of; /* by the key of the pawns; -1 where the mirror image counts */
    Data data[2][5];
} Table;

typedef struct { /* passed: the square that a pawn has just passed, or -1 */
    int men, turn, passed, kind[MOST + 1], square[MOST + 1];
    u64 occupied;
} Position;

#define FAIL(form, ...) (fprintf(stderr, "%s: " form "\n", checked, __VA_ARGS__), exit(2))
static const char LETTERS[] = "KQRBNPkqrbnp", *SIDES[] = {"white_to_move", "black_to_move"};
static const char *METRICS[] = {"dtm", "dtz", "white_mates", "black_mates", "dtm_epoch"}, *checked;
static const char *STATED[] = {"", "dtm", "dtz", "dtm dtz"};
static const char *HELPMATES[] = {"", "white_mates", "black_mates", "white_mates black_mates"};
enum { LARGEST_CHUNK = 1 << 20, HELPED = 2, EPOCHS = 4 }; /* the first helpmate is White's */
static char folder[4096];
static Table tables[1100];
static const Table *table; /* the one that is checked */
static int table_count, pair_number[2][64][64], first_pair[2][64], pairs_on[2][64], pair_count[2];

static void expect(const Table *t, int is_so, const char *what) {
    if (!is_so) FAIL("%s.h5 is not as docs/format.md says: %s", t->name, what);
}

static u64 number(const Table *t, u64 at, u64 bytes) {
    u64 value = 0;
    expect(t, at < t->length && bytes <= 8 && t->length - at >= bytes, "it is damaged or cut off");
    while (bytes--) value = value << 8 | t->file[at + bytes];
    return value;
}

/* Find a message of an object: a link or attribute by its name, others by type. 0: none. */
static u64 message(const Table *t, u64 object, u64 type, const char *name) {
    u64 flags = number(t, object + 5, 1), at = object + 6 + (flags & 32 ? 16 : 0) + (flags & 16 ? 4 : 0);
    u64 start[64] = {at + (1 << (flags & 3))}, end[64] = {start[0] + number(t, at, 1 << (flags & 3))};
    u64 head = flags & 4 ? 6 : 4, size, wanted = name ? strlen(name) : 0;
    expect(t, number(t, object, 4) == 0x5244484f, "header of an object"); /* "OHDR" */
    for (int block = 0, blocks = 1; block < blocks; block++)
        for (at = start[block]; at + head < end[block]; at += size) {
            u64 found = number(t, at, 1);
            size = number(t, at + 1, 2);
            at += head;
            if (found == 16 && blocks < 64) { /* more messages elsewhere, after "OCHK" */
                start[blocks] = number(t, at, 8) + 4;
                end[blocks++] = number(t, at, 8) + number(t, at + 8, 8) - 4;
            }
            if (found == type && !name) return at;
            if (found != type) continue;
            u64 text = type == 12 ? at + 9 : at + size - 8 - wanted; /* an attribute's name, a link's */
            u64 length = number(t, type == 12 ? at + 2 : text - 1, 1) - (type == 12);
            if (length == wanted && text + wanted < t->length && !memcmp(t->file + text, name, wanted))
                return type == 12 ? at : number(t, at + size - 8, 8);
        }
    return 0;
}

/* Copy an attribute of the root, of which there are texts and numbers; return the number. */
static u64 attribute(const Table *t, const char *name, char *text, u64 most) {
    u64 at = message(t, number(t, 36, 8), 12, name);
    if (!at) return text[0] = 0;
    u64 type = at + 9 + number(t, at + 2, 2), data = type + number(t, at + 4, 2) + number(t, at + 6, 2);
    u64 size = number(t, type + 4, 4);
    expect(t, size < most && data < t->length && size < t->length - data, name);
    memcpy(text, t->file + data, size);
    text[size] = 0;
    return number(t, data, size < 8 ? size : 8);
}

static int open_data(Table *t, int side, int metric) {
    Data *data = &t->data[side][metric];
    u64 group = message(t, number(t, 36, 8), 6, SIDES[side]);
    u64 object = group ? message(t, group, 6, METRICS[metric]) : 0;
    if (!object) return 0;
    u64 layout = message(t, object, 8, NULL);
    expect(t, layout && number(t, layout, 2) == 0x204, "chunks");
    u64 width = number(t, layout + 4, 1), at = layout + 5 + 2 * width, kind = number(t, at, 1);
    data->chunk = number(t, layout + 5, width);
    expect(t, data->chunk && data->chunk <= LARGEST_CHUNK, "size of chunks");
    u64 count = (t->slices * pair_count[t->pawns > 0] * t->ranks + data->chunk - 1) / data->chunk;
    *data = (Data){data->chunk, at + 1, 0, 1, calloc(count, sizeof(uint8_t *))};
    expect(t, data->chunks != NULL, "out of memory");
    if (kind == 1 && count == 1) return 1; /* one chunk: its size and address are here */
    u64 head = number(t, at + 2, 8);
    data->entry = number(t, head + 6, 1);
    int is_index = kind == 3 && number(t, head, 4) == 0x44484146; /* "FAHD" */
    expect(t, is_index && data->entry > 12, "index of chunks");
    data->page = 1ull << number(t, head + 7, 1) % 32;
    data->entries = number(t, head + 16, 8) + 14;
    if (count > data->page) data->entries += ((count - 1) / data->page + 8) / 8 + 4;
    return 1;
}

static int code(const Table *t, int side, int metric, u64 slot) {
    const Data *data = &t->data[side][metric];
    u64 i = slot / data->chunk, at = data->entries + i * data->entry + i / data->page * 4;
    if (!data->chunks[i]) {
        u64 address = number(t, data->entry ? at : at + 12, 8);
        u64 bytes = data->entry ? number(t, at + 8, data->entry - 12) : number(t, at, 8);
        uLongf size = data->chunk;
        expect(t, address < t->length && bytes > 4 && bytes <= t->length - address, "address of a chunk");
        uint8_t *values = data->chunks[i] = malloc(size); /* the last four bytes are a checksum */
        int is_whole = values && !uncompress(values, &size, t->file + address, bytes - 4);
        expect(t, is_whole && size == data->chunk, "a chunk is damaged");
    }
    return data->chunks[i][slot % data->chunk];
}

static u64 choose(int n, int k) { return k < 2 ? (k ? (u64)n : 1) : choose(n - 1, k - 1) * n / k; }

static void number_kings(void) {
    for (int i = 0; i < 2 * 64 * 64; i++) {
        int pawns = i / 4096, black = i / 64 % 64, white = i % 64;
        if (pawns) black = (black & 8 ? 7 - black % 8 : black % 8) * 8 + black / 8; /* file by file, */
        if (pawns) white = (white & 8 ? 7 - white % 8 : white % 8) * 8 + white / 8; /* up and down */
        int chosen = white / 8 <= white % 8 && white % 8 < 4 && (white % 9 || black / 8 <= black % 8);
        int touch = abs(white % 8 - black % 8) < 2 && abs(white / 8 - black / 8) < 2;
        pair_number[pawns][white][black] = -1;
        if (touch || (!pawns && !chosen)) continue;
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
    u64 keys = t->pawns ? 48 : 1;
    for (int i = 1; i < t->pawns; i++) keys *= 48;
    t->slice_of = calloc(keys, sizeof(int));
    expect(t, t->slice_of != NULL, "out of memory");
    for (u64 key = 0; key < keys; key++) {
        u64 sets[EMPTY] = {0}, mirrored[EMPTY] = {0}, rest = key;
        for (int i = 0; i < t->pawns; i++, rest /= 48) {
            int kind = i < t->counts[PAWN] ? PAWN : PAWN + BLACK;
            sets[kind] |= 1ull << (rest % 48 + 8);
            mirrored[kind] |= 1ull << ((rest % 48 + 8) ^ 7);
        }
        int are_apart = __builtin_popcountll(sets[PAWN] | sets[PAWN + BLACK]) == t->pawns;
        int is_chosen = are_apart && key == pawn_key(sets) && key <= pawn_key(mirrored);
        t->slice_of[key] = is_chosen ? (int)t->slices++ : -1;
    }
}

static int image(int symmetry, int square) {
    int turned = symmetry & 4 ? square % 8 * 8 + square / 8 : square;
    return turned ^ (symmetry & 1 ? 7 : 0) ^ (symmetry & 2 ? 56 : 0);
}

/* Give the slot of a position by the first symmetries (1: itself alone), or -1. */
static int64_t slot_of(const Table *t, const Position *p, int symmetries) {
    int pawns = t->pawns > 0, white = p->square[p->kind[0] != KING], black = p->square[p->kind[0] == KING];
    u64 least = UINT64_MAX, best = UINT64_MAX;
    for (int symmetry = 0; symmetry < symmetries; symmetry++) {
        u64 sets[EMPTY] = {0}, rank = 0;
        int king = image(symmetry, black), pair = pair_number[pawns][image(symmetry, white)][king];
        if (pair < 0) continue;
        for (int i = 0; i < p->men; i++) sets[p->kind[i]] |= 1ull << image(symmetry, p->square[i]);
        int slice = t->slice_of[pawn_key(sets)], free_squares = 64 - t->pawns;
        u64 crossed = sets[PAWN] | sets[PAWN + BLACK];
        if (slice < 0) continue;
        for (int kind = 0; kind < EMPTY; kind++) {
            if (!(kind % BLACK % PAWN) || !sets[kind]) continue; /* kings and pawns */
            u64 own = 0, i = 0;
            for (u64 set = sets[kind]; set; set &= set - 1)
                own += choose(__builtin_ctzll(set) - __builtin_popcountll(crossed & ((set & -set) - 1)), ++i);
            rank = rank * choose(free_squares, i) + own;
            free_squares -= i;
            crossed |= sets[kind];
        }
        if ((rank << 12 | pair) >= least) continue;
        least = rank << 12 | pair;
        best = ((u64)slice * pair_count[pawns] + first_pair[pawns][king]) * t->ranks;
        best += rank * pairs_on[pawns][king] + pair - first_pair[pawns][king];
    }
    return best;
}

/* Give the table of a material by its key; it has no file if there is none. */
static const Table *open_table(u64 key) {
    static char path[5000], text[65536];
    for (int i = 0; i < table_count; i++)
        if (tables[i].key == key) return &tables[i];
    Table *t = memset(&tables[table_count++], 0, sizeof *t);
    char *end = t->name;
    t->key = key;
    for (int kind = 0; kind < EMPTY; kind++)
        for (int n = t->counts[kind] = key >> 4 * kind & 15; n; n--) *end++ = LETTERS[kind % BLACK];
    snprintf(path, sizeof path, "%s%s.h5", folder, t->name);
    FILE *stream = fopen(path, "rb");
    if (!stream) return t;
    long length = fseek(stream, 0, SEEK_END) ? -1 : ftell(stream);
    expect(t, length > 0 && length < LONG_MAX, "it is no file"); /* but a folder or a pipe */
    t->file = malloc(t->length = length);
    rewind(stream);
    expect(t, t->file && fread(t->file, 1, t->length, stream) == t->length, "it cannot be read");
    fclose(stream);
    u64 version = attribute(t, "format_version", text, sizeof text);
    attribute(t, "material", text, sizeof text);
    expect(t, (version == 3 || version == 4) && !strcmp(text, t->name), "version 3 or 4, material");
    t->is_symmetric = !memcmp(t->counts, t->counts + BLACK, BLACK * sizeof(int));
    int others = t->pawns = t->counts[PAWN] + t->counts[PAWN + BLACK];
    number_pawns(t);
    t->ranks = 1;
    for (int kind = 0; kind < EMPTY; others += kind % BLACK % PAWN ? t->counts[kind] : 0, kind++)
        if (kind % BLACK % PAWN) t->ranks *= choose(64 - others, t->counts[kind]);
    for (int metric = 0, sides = 2 - t->is_symmetric; metric <= EPOCHS; metric++) {
        for (int side = 0; side < sides; side++) t->has[metric] += open_data(t, side, metric);
        expect(t, t->has[metric] % sides == 0, "both sides to move");
    }
    attribute(t, "metrics", text, sizeof text);
    const char *stated = STATED[(t->has[0] > 0) + 2 * (t->has[1] > 0)];
    expect(t, *stated && !strcmp(text, stated), "the metrics that it states, and data sets of them");
    attribute(t, "helpmates", text, sizeof text);
    stated = HELPMATES[(t->has[HELPED] > 0) + 2 * (t->has[HELPED + 1] > 0)];
    expect(t, !strcmp(text, stated), "the helpmates that it states, and data sets of them");
    expect(t, (t->has[EPOCHS] > 0) == (version == 4), "epochs in version 4");
    attribute(t, "dtz_outcomes", text, sizeof text);
    for (int side = 0; side < 2; side++) {
        char *next = strstr(text, SIDES[side]);
        next = next ? strchr(next, '[') : NULL;
        for (int i = 0; i < 255; i++) {
            long n = next && *next != ']' && next[1] != ']' ? strtol(next + 1, &next, 10) : 3 * MATE;
            if (n < -MATE || n > MATE || !n) n = 3 * MATE; /* no meaning */
            t->values[side][i] = (int)(n > 0 ? MATE - n : -n - 1 - MATE);
        }
    }
    return t;
}

static int attacks(const Position *p, int man, int to) {
    int from = p->square[man], kind = p->kind[man] % BLACK;
    int files = to % 8 - from % 8, ranks = to / 8 - from / 8, wide = abs(files), high = abs(ranks);
    if (kind == PAWN) return wide == 1 && ranks == (p->kind[man] < BLACK ? 1 : -1);
    if (kind == KNIGHT) return wide * high == 2;
    if (kind == KING) return from != to && wide < 2 && high < 2;
    int is_line = ((!wide || !high) && kind != BISHOP) || (wide == high && kind != ROOK);
    int step = (files > 0) - (files < 0) + 8 * ((ranks > 0) - (ranks < 0));
    if (from == to || !is_line) return 0;
    while ((from += step) != to && !(p->occupied >> from & 1)) {}
    return from == to;
}

static int is_in_check(const Position *p, int side) {
    int king = p->kind[0] != KING + side * BLACK; /* the kings come first */
    for (int i = 0; i < p->men; i++)
        if (p->kind[i] / BLACK != side && attacks(p, i, p->square[king])) return 1;
    return 0;
}

/* Make a move; return whether it is legal. */
static int make(Position *after, const Position *p, int man, int to, int kind) {
    int is_pawn = p->kind[man] % BLACK == PAWN, from = p->square[man];
    int victim = is_pawn && to == p->passed ? to + (p->turn ? 8 : -8) : to;
    *after = (Position){.turn = !p->turn, .passed = is_pawn && abs(to - from) == 16 ? (to + from) / 2 : -1};
    for (int i = 0; i < p->men; i++) {
        if (p->square[i] == victim) continue;
        after->kind[after->men] = i == man ? kind : p->kind[i];
        after->square[after->men] = i == man ? to : p->square[i];
        after->occupied |= 1ull << after->square[after->men++];
    }
    return !is_in_check(after, p->turn);
}

static void by_moves(const Position *p, int *best);
/* Give what the files say of a position. */
static void look_up(const Position *p, int *values) {
    Position q = *p, after;
    for (int i = 0; p->passed >= 0 && i < p->men; i++)
        if (p->kind[i] == PAWN + p->turn * BLACK && attacks(p, i, p->passed))
            if (make(&after, p, i, p->passed, p->kind[i])) return by_moves(p, values); /* it has no slot */
    u64 key = 0, white = (1 << 24) - 1; /* the other half of a key is Black's */
    for (int i = 0; i < p->men; i++) key += 1ull << 4 * p->kind[i];
    const Table *own = open_table(key), *t = own->file ? own : open_table(key >> 24 | (key & white) << 24);
    if (!t->file) FAIL("no %s.h5 beside it: tablebase build %s --dir '%s.'", own->name, own->name, folder);
    q.turn ^= t != own || (t->is_symmetric && p->turn);
    for (int i = 0; q.turn != p->turn && i < q.men; i++) {
        q.square[i] ^= 56;
        q.kind[i] = (q.kind[i] + BLACK) % EMPTY;
    }
    u64 slot = slot_of(t, &q, t->pawns ? 2 : 8);
    for (int metric = 0; metric < EPOCHS; metric++) {
        if (!table->has[metric]) continue;
        int is_other = metric >= HELPED && q.turn != p->turn, stored = is_other ? 5 - metric : metric;
        expect(t, t->has[stored], METRICS[stored]);
        int n = code(t, q.turn, stored, slot), plies = n;
        if (t->has[EPOCHS] && !metric) plies += 254 * code(t, q.turn, EPOCHS, slot);
        if (metric >= HELPED) values[metric] = n == 255 ? 0 : MATE - n; /* both prefer the shortest */
        else if (metric) values[metric] = n == 255 ? 0 : t->values[q.turn][n];
        else values[metric] = n == 255 ? 0 : n % 2 ? MATE - plies : plies - MATE;
    }
}

/* Give the best values that moves lead to. */
static void by_moves(const Position *p, int *best) {
    int up = p->turn ? -8 : 8, values[EPOCHS] = {0};
    for (int metric = 0; metric < EPOCHS; metric++) best[metric] = -4 * MATE;
    for (int i = 0; i < p->men * 64; i++) {
        int man = i / 64, to = i % 64, from = p->square[man], kind = p->kind[man], own = 0;
        int is_pawn = kind % BLACK == PAWN, taken = p->occupied >> to & 1, last = kind;
        if (kind / BLACK != p->turn) continue;
        for (int j = 0; taken && j < p->men; j++) own |= p->square[j] == to && p->kind[j] / BLACK == p->turn;
        int is_free = !taken && !(p->occupied >> ((from + up) & 63) & 1);
        int is_push = is_free && (to == from + up || (to == from + 2 * up && from / 8 == (p->turn ? 6 : 1)));
        int is_capture = attacks(p, man, to) && (!is_pawn || taken || to == p->passed);
        if (own || !(is_capture || (is_pawn && is_push))) continue;
        if (is_pawn && to / 8 % 7 == 0) kind += QUEEN - PAWN, last = kind + KNIGHT - QUEEN;
        for (Position after; kind <= last; kind++) {
            if (!make(&after, p, man, to, kind)) continue;
            look_up(&after, values);
            for (int metric = 0; metric < EPOCHS; metric++) {
                int value = values[metric], plies = MATE - abs(value) + 1;
                if (metric == 1 && (is_pawn || taken)) plies = plies > 101 ? 101 : 1;
                if (metric >= HELPED) value -= value > 0;
                else value = value < 0 ? MATE - plies : value > 0 ? plies - MATE : 0;
                if (value > best[metric]) best[metric] = value;
            }
        }
    }
    for (int metric = 0; best[metric] < -MATE; metric++) { /* no move: all are below, to the last */
        int mated = metric < HELPED ? -MATE : p->turn == metric - HELPED ? 0 : MATE;
        best[metric] = is_in_check(p, p->turn) ? mated : 0;
        if (metric == EPOCHS - 1) break;
    }
}

static void report(const Position *p, int metric, int said[2][EPOCHS]) {
    fprintf(stderr, "%s: ", checked);
    for (int i = 0, empty = 0; i < 64; i++) {
        int man = 0, is_last = i % 8 == 7;
        while (man < p->men && p->square[man] != (i ^ 56)) man++;
        empty += man == p->men;
        if (empty && (is_last || man < p->men)) fprintf(stderr, "%d", empty), empty = 0;
        if (man < p->men) fputc(LETTERS[p->kind[man]], stderr);
        if (is_last && i < 63) fputc('/', stderr);
    }
    fprintf(stderr, " %c - - 0 1: %s", "wb"[p->turn], METRICS[metric]);
    for (int i = 0; i < 2; i++) {
        int n = said[i][metric];
        const char *form = abs(n) > MATE ? "%s a code without a meaning" : n ? "%s %s in %d" : "%s drawn";
        if (metric >= HELPED && !n) form = "%s none";
        const char *result = metric >= HELPED ? "a helpmate" : n > 0 ? "won" : "lost";
        fprintf(stderr, form, i ? ", but" : "", result, MATE - abs(n));
    }
    fprintf(stderr, " by its moves\n");
    exit(1);
}

/* Check all positions that differ in the squares of the men from one on; return their number. */
static u64 check_from(Position *p, int man) {
    u64 count = 0;
    int said[2][EPOCHS], pawn = p->kind[man] % BLACK == PAWN;
    int same = man > 2 && p->kind[man] == p->kind[man - 1];
    for (int s = same ? p->square[man - 1] + 1 : 0; man < p->men && s < 64; s++) {
        if (p->occupied >> s & 1 || (pawn && s / 8 % 7 == 0)) continue;
        if (man == 1 && pair_number[table->pawns > 0][p->square[0]][s] < 0) continue;
        p->square[man] = s;
        p->occupied |= 1ull << s;
        count += check_from(p, man + 1);
        p->occupied &= ~(1ull << s);
    }
    if (man < p->men || slot_of(table, p, 1) < 0) return count;
    for (p->turn = 0; p->turn < 2 - table->is_symmetric; p->turn++)
        if (!is_in_check(p, !p->turn)) {
            look_up(p, said[0]);
            by_moves(p, said[1]);
            for (int metric = 0; metric < EPOCHS; metric++)
                if (table->has[metric] && said[0][metric] != said[1][metric]) report(p, metric, said);
            count++;
        }
    return count;
}

int main(int count, char **arguments) {
    number_kings();
    if (count < 2) checked = arguments[0], FAIL("give it files like %s", "data/KRK.h5");
    for (int i = 1; i < count; i++) {
        checked = arguments[i];
        const char *slash = strrchr(checked, '/'), *name = slash ? slash + 1 : checked;
        size_t size = strspn(name, "KQRBNP"), start = name - checked;
        for (const char *c = checked; *c; c++)
            if (iscntrl((unsigned char)*c)) checked = *arguments, FAIL("%s", "control characters in a name");
        if (start > 4000 || size > MOST || strcmp(name + size, ".h5")) FAIL("not named like %s", "KRK.h5");
        if (strncmp(folder, checked, start) || folder[start]) table_count = 0; /* another folder */
        snprintf(folder, sizeof folder, "%.*s", (int)start, checked);
        u64 key = 0;
        int kings = 0, last = KING, is_name = *name == 'K';
        for (size_t j = 0; j < size; j++) {
            int kind = strchr(LETTERS, name[j]) - LETTERS;
            is_name &= kind == KING || kind >= last;
            kings += (last = kind) == KING;
            key += 1ull << 4 * (kind + BLACK * (kings > 1));
        }
        if (!is_name || kings != 2) FAIL("not named like %s", "KRK.h5");
        table = open_table(key);
        if (!table->file) FAIL("there is no such file: tablebase build %s --dir '%s.'", table->name, folder);
        Position p = {.men = 2, .passed = -1, .kind = {KING, KING + BLACK}};
        for (int kind = 0; kind < EMPTY; kind++)
            for (int n = table->counts[kind]; n && kind % BLACK; n--) p.kind[p.men++] = kind;
        u64 positions = check_from(&p, 0);
        if (!positions) FAIL("no position was %s", "compared");
        const char *joint = ", ";
        printf("%s: %llu positions", checked, (unsigned long long)positions);
        for (int metric = 0; metric < EPOCHS; metric++)
            if (table->has[metric]) printf("%s%s", joint, METRICS[metric]), joint = " and ";
        printf(" right\n");
    }
    return 0;
}

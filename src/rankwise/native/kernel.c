#include "kernel.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#define HAS_VECTORS
#elif defined(__aarch64__) && defined(__ARM_NEON) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#include <arm_neon.h>
#define HAS_VECTORS
#endif

/* Tests make all hashes collide with a mask of few bits. */
#ifndef HASH_MASK
#define HASH_MASK 0xffffffffu
#endif

/* Largest number of slots of a hash table that are searched for one name. Tables are at most half
   full, so with random hashes one name in 10^20 needs more. Names that were chosen to collide are
   left to the Python reader, whose time does not depend on collisions. */
#ifndef MOST_PROBES
#define MOST_PROBES 256u
#endif

enum { FIRST_CAPACITY = 4, CHUNK = 1 << 16, LONGEST_LINE = 1 << 20, LONGEST_NUMBER = 128 };
static const uint32_t MOST = 1u << 30; /* limit of names and of judgments; columns have 31 bits */

#ifdef __GNUC__
#define FETCH(address) __builtin_prefetch(address)
#else
#define FETCH(address) ((void)(address))
#endif
enum { AHEAD = 16 };

/* ---- memory ---- */

/* Return a larger array with the same items; NULL if memory runs out. */
static void *enlarge(void *items, size_t *capacity, size_t wanted, size_t item) {
    size_t larger = *capacity ? *capacity : FIRST_CAPACITY;
    while (larger < wanted) {
        if (larger > SIZE_MAX / 2 / item) return NULL;
        larger *= 2;
    }
    void *moved = realloc(items, larger * item);
    if (moved) *capacity = larger;
    return moved;
}

/* Make room for `wanted` items in an array. */
#define ENSURE(array, capacity, wanted)                                            \
    do {                                                                           \
        size_t wanted_ = (wanted);                                                 \
        if (wanted_ > (capacity)) {                                                \
            void *moved_ = enlarge((array), &(capacity), wanted_, sizeof *(array)); \
            if (!moved_) return NO_MEMORY;                                         \
            (array) = moved_;                                                      \
        }                                                                          \
    } while (0)

static Status reserve(Column *column, size_t more) {
    ENSURE(column->values, column->capacity, column->count + more);
    return OK;
}

/* Append to a column that has room. */
static void append(Column *column, int64_t value) {
    column->values[column->count++] = (int32_t)value;
}

static Status push(Column *column, int64_t value) {
    TRY(reserve(column, 1));
    append(column, value);
    return OK;
}

/* Copy bytes; from 8 to 16 bytes, this is faster than a call of memcpy. */
static void copy_bytes(char *to, const char *from, size_t size) {
    if (size < 8 || size > 16) {
        memcpy(to, from, size);
        return;
    }
    uint64_t first, last;
    memcpy(&first, from, sizeof first);
    memcpy(&last, from + size - sizeof last, sizeof last);
    memcpy(to, &first, sizeof first);
    memcpy(to + size - sizeof last, &last, sizeof last);
}

/* Copy a text into an arena. A cleared arena keeps its chunks, and uses them in the same order. */
static Status copy_text(Arena *arena, Text *text) {
    while (arena->current < arena->count &&
           arena->chunks[arena->current].size - arena->used < text->size) {
        arena->current++;
        arena->used = 0;
    }
    if (arena->current == arena->count) {
        ENSURE(arena->chunks, arena->capacity, arena->count + 1);
        size_t size = text->size > CHUNK ? text->size : CHUNK;
        char *bytes = malloc(size);
        if (!bytes) return NO_MEMORY;
        arena->chunks[arena->count++] = (Chunk){bytes, size};
        arena->used = 0;
    }
    char *copy = arena->chunks[arena->current].bytes + arena->used;
    copy_bytes(copy, text->at, text->size);
    arena->used += text->size;
    text->at = copy;
    return OK;
}

static void arena_clear(Arena *arena) { arena->current = arena->used = 0; }

static void arena_free(Arena *arena) {
    for (size_t chunk = 0; chunk < arena->count; chunk++) free(arena->chunks[chunk].bytes);
    free(arena->chunks);
}

/* ---- names ---- */

/* Short texts are compared, hashed and copied in words of eight bytes, which is faster than a call
   of memcpy. The last word may overlap the one before it. */
static uint64_t word_at(const char *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* Return a text of fewer than eight bytes as one word. */
static uint64_t short_word(Text text) {
    uint32_t first, last;
    if (text.size < 4) {
        if (!text.size) return 0;
        return (uint64_t)(uint8_t)text.at[0] | (uint64_t)(uint8_t)text.at[text.size / 2] << 8 |
               (uint64_t)(uint8_t)text.at[text.size - 1] << 16;
    }
    memcpy(&first, text.at, sizeof first);
    memcpy(&last, text.at + text.size - sizeof last, sizeof last);
    return (uint64_t)last << 32 | first;
}

static uint64_t hash_seed; /* 0 until it is set; anybody can compute the hashes with seed 0 */

void kernel_seed(uint64_t seed) { hash_seed = seed; }

static Text hashed(Text text) {
    const uint64_t factor = 0x9E3779B97F4A7C15u;
    uint64_t hash = text.size * factor ^ hash_seed;
    if (text.size < 8) {
        hash = (hash ^ short_word(text)) * factor;
    } else {
        const char *last = text.at + text.size - 8;
        for (const char *at = text.at; at < last; at += 8) {
            hash = (hash ^ word_at(at)) * factor;
            hash ^= hash >> 32;
        }
        hash = (hash ^ word_at(last)) * factor;
    }
    hash ^= hash >> 29;
    hash *= factor;
    text.hash = (uint32_t)(hash >> 32) & HASH_MASK;
    return text;
}

static bool text_equal(Text a, Text b) {
    if (a.size != b.size) return false;
    if (a.size < 8) return short_word(a) == short_word(b);
    if (a.size > 16) return !memcmp(a.at, b.at, a.size);
    return word_at(a.at) == word_at(b.at) &&
           word_at(a.at + a.size - 8) == word_at(b.at + b.size - 8);
}

/* Whether a name has a line end or a zero byte. Names from dictionaries and tables may have one. */
static bool has_line_end(Text name) {
    return memchr(name.at, '\n', name.size) || memchr(name.at, '\r', name.size) ||
           memchr(name.at, 0, name.size);
}

/* Return the slot of a text, or the free slot for it; NULL after MOST_PROBES slots. */
static uint64_t *probe(const Names *names, Text text) {
    uint32_t slot = text.hash & names->mask;
    for (uint32_t probes = 0; probes < MOST_PROBES; probes++, slot = (slot + 1) & names->mask) {
        uint64_t entry = names->slots[slot];
        if (!entry) return &names->slots[slot];
        if ((uint32_t)(entry >> 32) == text.hash &&
            text_equal(names->texts[(uint32_t)entry - 1], text))
            return &names->slots[slot];
    }
    return NULL;
}

/* Find the number of the first text with a hash, or -1; NOT_CLEAN after MOST_PROBES slots. */
static Status find_by_hash(const Names *names, uint32_t hash, int32_t *number) {
    uint32_t slot = hash & names->mask;
    for (uint32_t probes = 0; probes < MOST_PROBES; probes++, slot = (slot + 1) & names->mask) {
        uint64_t entry = names->slots[slot];
        if (entry && (uint32_t)(entry >> 32) != hash) continue;
        *number = (int32_t)(uint32_t)entry - 1;
        return OK;
    }
    return NOT_CLEAN;
}

/* Find the number of a text, or -1; NOT_CLEAN after MOST_PROBES slots. */
static Status find(const Names *names, Text text, int64_t *number) {
    *number = -1;
    if (!names->slots) return OK;
    const uint64_t *slot = probe(names, text);
    if (!slot) return NOT_CLEAN;
    *number = (int64_t)(uint32_t)*slot - 1;
    return OK;
}

static uint64_t slot_of(uint32_t number, Text text) {
    return (uint64_t)text.hash << 32 | (number + 1);
}

static Status names_grow(Names *names) {
    uint32_t capacity = names->capacity ? names->capacity * 2 : FIRST_CAPACITY;
    Text *texts = realloc(names->texts, capacity * sizeof *texts);
    if (!texts) return NO_MEMORY;
    names->texts = texts;
    names->capacity = capacity;
    return OK;
}

/* Double the slots, so that the table stays at most half full. */
static Status slots_grow(Names *names) {
    uint32_t size = names->slots ? 2 * (names->mask + 1) : 2 * FIRST_CAPACITY;
    uint64_t *slots = calloc(size, sizeof *slots);
    if (!slots) return NO_MEMORY;
    free(names->slots);
    names->slots = slots;
    names->mask = size - 1;
    for (uint32_t number = 0; number < names->count; number++) {
        uint32_t slot = names->texts[number].hash & names->mask;
        for (uint32_t probes = 0; slots[slot]; slot = (slot + 1) & names->mask)
            if (++probes >= MOST_PROBES) return NOT_CLEAN;
        slots[slot] = slot_of(number, names->texts[number]);
    }
    return OK;
}

/* Make room for one more text. */
static Status names_reserve(Names *names) {
    if (names->count >= MOST) return NOT_CLEAN; /* twice as many slots would overflow 32 bits */
    if (!names->slots || 2 * names->count > names->mask) TRY(slots_grow(names));
    return names->count == names->capacity ? names_grow(names) : OK;
}

/* Put a text into its slot, after `names_reserve`. */
static void names_put(Names *names, uint64_t *slot, Text text) {
    *slot = slot_of(names->count, text);
    names->texts[names->count++] = text;
}

/* Add a text, and copy its bytes into the arena; NOT_CLEAN if it is a duplicate. */
static Status names_add(Names *names, Arena *arena, Text text) {
    TRY(names_reserve(names));
    uint64_t *slot = probe(names, text);
    if (!slot || *slot) return NOT_CLEAN;
    TRY(copy_text(arena, &text));
    names_put(names, slot, text);
    return OK;
}

static void names_free(Names *names) {
    free(names->texts);
    free(names->slots);
}

/* ---- lines and fields ---- */

enum { ORDINARY = 1, HIGH = 2, BLANK = 4 }; /* 0: line ends and control characters */

static const uint8_t KIND[256] = {
    ['\t'] = BLANK, ['\v'] = BLANK, ['\f'] = BLANK, ['\r'] = BLANK, [' '] = BLANK,
#define EIGHT(from, kind)                                                              \
    [from] = kind, [from + 1] = kind, [from + 2] = kind, [from + 3] = kind, [from + 4] = kind, \
    [from + 5] = kind, [from + 6] = kind, [from + 7] = kind
    ['!'] = ORDINARY, ['"'] = ORDINARY, ['#'] = ORDINARY, ['$'] = ORDINARY, ['%'] = ORDINARY,
    ['&'] = ORDINARY, ['\''] = ORDINARY, EIGHT(40, ORDINARY), EIGHT(48, ORDINARY),
    EIGHT(56, ORDINARY), EIGHT(64, ORDINARY), EIGHT(72, ORDINARY), EIGHT(80, ORDINARY),
    EIGHT(88, ORDINARY), EIGHT(96, ORDINARY), EIGHT(104, ORDINARY), EIGHT(112, ORDINARY),
    EIGHT(120, ORDINARY), EIGHT(128, HIGH), EIGHT(136, HIGH), EIGHT(144, HIGH), EIGHT(152, HIGH),
    EIGHT(160, HIGH), EIGHT(168, HIGH), EIGHT(176, HIGH), EIGHT(184, HIGH), EIGHT(192, HIGH),
    EIGHT(200, HIGH), EIGHT(208, HIGH), EIGHT(216, HIGH), EIGHT(224, HIGH), EIGHT(232, HIGH),
    EIGHT(240, HIGH), EIGHT(248, HIGH),
};

static bool is_utf8(const char *text, size_t size) {
    const uint8_t *at = (const uint8_t *)text, *end = at + size;
    while (at < end) {
        uint8_t lead = *at++;
        if (lead < 0x80) continue;
        int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
        if (lead < 0xC2 || lead > 0xF4 || end - at < more) return false;
        /* An overlong form, a surrogate, or a value beyond the last code point. */
        if ((lead == 0xE0 && at[0] < 0xA0) || (lead == 0xED && at[0] > 0x9F) ||
            (lead == 0xF0 && at[0] < 0x90) || (lead == 0xF4 && at[0] > 0x8F))
            return false;
        for (; more; more--)
            if ((*at++ & 0xC0) != 0x80) return false;
    }
    return true;
}

static Status check_comment(const char *line, size_t size) {
    return memchr(line, 0, size) || !is_utf8(line, size) ? NOT_CLEAN : OK;
}

static const uint64_t EACH_BYTE = 0x0101010101010101u;
static const uint64_t HIGH_BITS = 0x8080808080808080u;

/* Whether a text is UTF-8. ASCII, the most frequent case, is recognised faster. */
static bool is_text(Text text) {
    uint64_t bits = 0;
    if (text.size < 8) {
        bits = short_word(text);
    } else {
        for (const char *at = text.at; at < text.at + text.size - 8; at += 8) bits |= word_at(at);
        bits |= word_at(text.at + text.size - 8);
    }
    return !(bits & HIGH_BITS) || is_utf8(text.at, text.size);
}

enum { MOST_FIELDS = 6 };

/* Return the end of a field: a blank, a line end or a control character. Eight bytes are read at
   once if they are before the limit, so most fields take one or two steps. `bits` is the bitwise or
   of all bytes that were read, including bytes after the field. */
static const uint8_t *field_end(const uint8_t *at, const uint8_t *limit, uint64_t *bits) {
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; limit - at >= 8; at += 8) {
        uint64_t word = word_at((const char *)at);
        /* The lowest marked byte is less than 0x21; marks of higher bytes may be wrong. */
        uint64_t ends = (word - 0x21 * EACH_BYTE) & ~word & HIGH_BITS;
        *bits |= word;
        if (ends) return at + (__builtin_ctzll(ends) >> 3);
    }
#else
    (void)limit;
#endif
    for (; KIND[*at] & (ORDINARY | HIGH); at++) *bits |= *at;
    return at;
}

/* Find the fields of a line and return their number; -1 for a control character or too many fields.
   `high` is false if all bytes are ASCII. */
static int fields_of(const char *line, const char *end, const char *limit,
                     Text fields[MOST_FIELDS], bool *high) {
    const uint8_t *at = (const uint8_t *)line;
    uint64_t bits = 0;
    int found = 0;
    for (;;) {
        while (KIND[*at] == BLANK) at++;
        if (at == (const uint8_t *)end) break;
        const uint8_t *start = at;
        at = field_end(at, (const uint8_t *)limit, &bits);
        if (at == start || found == MOST_FIELDS) return -1;
        fields[found++] = (Text){.at = (const char *)start, .size = (uint32_t)(at - start)};
    }
    *high = (bits & HIGH_BITS) != 0;
    return found;
}

#ifdef HAS_VECTORS
enum { AT_ONCE = 64 };

/* Return a bit for each of 64 bytes, which is set if the byte belongs to a field. `high` and
   `control` are true if some of the 64 bytes are not ASCII or are control characters, which may be
   after the line. The five bytes from tab to carriage return are blanks and the line end. */
#ifdef __SSE2__
static uint64_t field_mask(const char *at, bool *high, bool *control) {
    const __m128i space = _mm_set1_epi8(' '), tab = _mm_set1_epi8('\t'), four = _mm_set1_epi8(4);
    __m128i all = _mm_setzero_si128(), odd = all;
    uint64_t blank = 0;
    for (int part = 0; part < AT_ONCE / 16; part++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(at + 16 * part));
        __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, space), bytes);
        __m128i past = _mm_sub_epi8(bytes, tab);
        __m128i like_tab = _mm_cmpeq_epi8(_mm_min_epu8(past, four), past);
        __m128i allowed = _mm_or_si128(_mm_cmpeq_epi8(bytes, space), like_tab);
        all = _mm_or_si128(all, bytes);
        odd = _mm_or_si128(odd, _mm_andnot_si128(allowed, low));
        blank |= (uint64_t)(uint32_t)_mm_movemask_epi8(low) << (16 * part);
    }
    *high = _mm_movemask_epi8(all) != 0;
    *control = _mm_movemask_epi8(odd) != 0;
    return ~blank;
}
#else
static uint64_t field_mask(const char *at, bool *high, bool *control) {
    static const uint8_t BITS[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bits = vld1q_u8(BITS), space = vdupq_n_u8(' '), tab = vdupq_n_u8('\t');
    uint8x16_t all = vdupq_n_u8(0), odd = all, blank[AT_ONCE / 16];
    for (int part = 0; part < AT_ONCE / 16; part++) {
        uint8x16_t bytes = vld1q_u8((const uint8_t *)at + 16 * part);
        uint8x16_t low = vcleq_u8(bytes, space);
        uint8x16_t like_tab = vcleq_u8(vsubq_u8(bytes, tab), vdupq_n_u8(4));
        uint8x16_t allowed = vorrq_u8(vceqq_u8(bytes, space), like_tab);
        all = vorrq_u8(all, bytes);
        odd = vorrq_u8(odd, vbicq_u8(low, allowed));
        blank[part] = vandq_u8(low, bits);
    }
    /* Add neighbours three times: the bits of eight bytes are then in one byte. */
    uint8x16_t sums = vpaddq_u8(vpaddq_u8(blank[0], blank[1]), vpaddq_u8(blank[2], blank[3]));
    sums = vpaddq_u8(sums, sums);
    *high = vmaxvq_u8(all) >= 0x80;
    *control = vmaxvq_u8(odd) != 0;
    return ~vgetq_lane_u64(vreinterpretq_u64_u8(sums), 0);
}
#endif

/* Like `fields_of`, for a line of fewer than 64 bytes if 64 bytes can be read from its start. */
static int fields_of_short(const char *line, size_t size, Text fields[MOST_FIELDS], bool *high) {
    bool control;
    uint64_t mask = field_mask(line, high, &control) & (((uint64_t)1 << size) - 1);
    if (control) return fields_of(line, line + size, line + AT_ONCE, fields, high);
    int found = 0;
    while (mask) {
        int start = __builtin_ctzll(mask);
        uint64_t after = mask + ((uint64_t)1 << start); /* the carry goes to the end of the field */
        if (found == MOST_FIELDS) return -1;
        uint32_t length = (uint32_t)(__builtin_ctzll(after) - start);
        fields[found++] = (Text){.at = line + start, .size = length};
        mask &= after;
    }
    return found;
}
#endif

/* Split a line, which ends with a line end, into fields; a blank line or a comment has 0 fields.
   Bytes can be read up to the limit, which is not before the end. */
static Status split(const char *line, const char *end, const char *limit,
                    Text fields[MOST_FIELDS], int *count) {
    bool high = false;
    const char *first = line;
    *count = 0;
    while (KIND[(uint8_t)*first] == BLANK) first++;
    if (*first == '#') return check_comment(line, (size_t)(end - line));
    int found;
#ifdef HAS_VECTORS
    if (end - line < AT_ONCE && limit - line >= AT_ONCE)
        found = fields_of_short(line, (size_t)(end - line), fields, &high);
    else
#endif
        found = fields_of(line, end, limit, fields, &high);
    if (found < 0) return NOT_CLEAN;
    *count = found;
    if (!high) return OK;
    if (found && fields[0].size >= 3 && !memcmp(fields[0].at, "\xEF\xBB\xBF", 3))
        return NOT_CLEAN; /* a byte-order mark */
    return is_utf8(line, (size_t)(end - line)) ? OK : NOT_CLEAN;
}

typedef Status (*TakeLine)(void *taker, const char *line, const char *end, const char *limit);

/* Pass each line of a block to `take`. A line without its end is stored until the next block. */
static Status feed(Lines *lines, const char *block, size_t size, TakeLine take, void *taker) {
    const char *at = block, *end = block + size;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop + 1 : end) - at);
        if (!stop || lines->size) {
            if (lines->size + length > LONGEST_LINE) return NOT_CLEAN;
            ENSURE(lines->cut, lines->capacity, lines->size + length);
            memcpy(lines->cut + lines->size, at, length);
            lines->size += length;
        }
        at += length;
        if (!stop) break;
        if (lines->size) {
            length = lines->size;
            lines->size = 0;
            TRY(take(taker, lines->cut, lines->cut + length - 1, lines->cut + length));
        } else if (length > LONGEST_LINE) {
            return NOT_CLEAN;
        } else {
            TRY(take(taker, stop + 1 - length, stop, end));
        }
        lines->position += (int64_t)length;
    }
    return OK;
}

/* ---- numbers ---- */

/* Parse a whole number of at most 18 digits. */
static bool parse_int(Text text, int64_t *value) {
    const char *at = text.at, *end = at + text.size;
    bool negative = at < end && *at == '-';
    at += negative;
    if (at == end || end - at > 18) return false;
    int64_t number = 0;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9') return false;
        number = number * 10 + (*at - '0');
    }
    *value = negative ? -number : number;
    return true;
}

/* Parse a number with strtod. If the locale has another decimal point, strtod stops before the end,
   and the number is left to the Python reader. */
static bool by_library(Text text, double *value) {
    char copy[LONGEST_NUMBER];
    if (text.size >= sizeof copy) return false;
    memcpy(copy, text.at, text.size);
    copy[text.size] = 0;
    char *end;
    *value = strtod(copy, &end);
    return end == copy + text.size && isfinite(*value);
}

/* Parse a decimal number, rounded correctly. */
static bool parse_decimal(Text text, double *value) {
    static const double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *at = text.at, *end = at + text.size;
    bool negative = at < end && *at == '-';
    at += negative;
    uint64_t digits = 0;
    const char *start = at;
    for (; at < end && *at >= '0' && *at <= '9'; at++) digits = digits * 10 + (uint64_t)(*at - '0');
    int64_t count = at - start, fraction = 0;
    if (!count) return false;
    if (at < end && *at == '.') {
        const char *point = at++;
        for (; at < end && *at >= '0' && *at <= '9'; at++)
            digits = digits * 10 + (uint64_t)(*at - '0');
        fraction = at - point - 1;
        if (!fraction) return false;
    }
    /* Clinger's fast path: both numbers are exact, so the division rounds once. */
    if (at == end && count + fraction <= 18 && digits <= (1ull << 53) && FLT_EVAL_METHOD == 0) {
        double number = (double)digits / POWERS[fraction];
        *value = negative ? -number : number;
        return true;
    }
    if (at < end) {
        if (*at != 'e' && *at != 'E') return false;
        at++;
        if (at < end && (*at == '-' || *at == '+')) at++;
        if (at == end) return false;
        for (; at < end; at++)
            if (*at < '0' || *at > '9') return false;
    }
    return by_library(text, value);
}

/* ---- judgments ---- */

void lookup_start(Lookup *lookup) { *lookup = (Lookup){0}; }

static Status topics_grow(Lookup *lookup) {
    uint32_t capacity = lookup->capacity ? lookup->capacity * 2 : FIRST_CAPACITY;
    Names *documents = realloc(lookup->documents, capacity * sizeof *documents);
    if (!documents) return NO_MEMORY;
    lookup->documents = documents;
    Column *rows = realloc(lookup->rows, capacity * sizeof *rows);
    if (!rows) return NO_MEMORY;
    lookup->rows = rows;
    lookup->capacity = capacity;
    return OK;
}

static Status topic_of(Lookup *lookup, Text topic, uint32_t *number) {
    topic = hashed(topic);
    int64_t found;
    TRY(find(&lookup->topics, topic, &found));
    if (found < 0) {
        if (lookup->topics.count == lookup->capacity) TRY(topics_grow(lookup));
        found = lookup->topics.count;
        lookup->documents[found] = (Names){0};
        lookup->rows[found] = (Column){0};
        TRY(names_add(&lookup->topics, &lookup->arena, topic));
    }
    *number = (uint32_t)found;
    return OK;
}

Status lookup_add(Lookup *lookup, Text topic, Text document, int64_t grade) {
    uint32_t number = 0;
    size_t row = lookup->topic.count;
    int64_t last = row ? lookup->topic.values[row - 1] : -1;
    if (row >= MOST) return NOT_CLEAN;
    if (last >= 0 && text_equal(lookup->topics.texts[last], topic))
        number = (uint32_t)last;
    else
        TRY(topic_of(lookup, topic, &number));
    TRY(names_add(&lookup->documents[number], &lookup->arena, hashed(document)));
    TRY(push(&lookup->rows[number], (int64_t)row));
    TRY(push(&lookup->topic, number));
    return push(&lookup->grade, grade);
}

static Status take_judgment(void *taker, const char *line, const char *end, const char *limit) {
    Lookup *lookup = taker;
    Text fields[MOST_FIELDS];
    int count;
    int64_t grade;
    TRY(split(line, end, limit, fields, &count));
    if (!count) return OK;
    if (count != 4 || !parse_int(fields[3], &grade)) return NOT_CLEAN;
    if (fields[1].size > 4 && !memcmp(fields[1].at, "qid:", 4)) return NOT_CLEAN; /* LETOR */
    if (grade < INT32_MIN || grade > INT32_MAX) return NOT_CLEAN;
    if (!lookup->iteration.at) {
        lookup->iteration = fields[1];
        TRY(copy_text(&lookup->arena, &lookup->iteration));
    }
    if (!text_equal(lookup->iteration, fields[1])) return NOT_CLEAN; /* subtopics */
    return lookup_add(lookup, fields[0], fields[2], grade);
}

Status lookup_add_row(Lookup *lookup, Text topic, Text document, int64_t grade) {
    if (grade < INT32_MIN || grade > INT32_MAX || !is_text(topic) || !is_text(document))
        return NOT_CLEAN;
    return lookup_add(lookup, topic, document, grade);
}

Status lookup_feed(Lookup *lookup, const char *block, size_t size) {
    return feed(&lookup->lines, block, size, take_judgment, lookup);
}

Status lookup_finish(Lookup *lookup) {
    if (lookup->lines.size) TRY(lookup_feed(lookup, "\n", 1));
    return lookup->topic.count ? OK : NOT_CLEAN;
}

Status lookup_names(const Lookup *lookup, Text *documents) {
    for (uint32_t topic = 0; topic < lookup->topics.count; topic++) {
        const Names *names = &lookup->documents[topic];
        for (uint32_t number = 0; number < names->count; number++) {
            Text name = names->texts[number];
            if (has_line_end(name)) return NOT_CLEAN;
            documents[lookup->rows[topic].values[number]] = name;
        }
    }
    return OK;
}

void lookup_free(Lookup *lookup) {
    for (uint32_t topic = 0; topic < lookup->topics.count; topic++) {
        names_free(&lookup->documents[topic]);
        free(lookup->rows[topic].values);
    }
    names_free(&lookup->topics);
    arena_free(&lookup->arena);
    free(lookup->documents);
    free(lookup->rows);
    free(lookup->topic.values);
    free(lookup->grade.values);
    free(lookup->lines.cut);
}

/* ---- runs ---- */

Status reader_start(Reader *reader, const Lookup *lookup, Order order, int64_t depth, bool all,
                    int64_t start, int64_t stop) {
    *reader = (Reader){.lookup = lookup, .order = order, .depth = depth, .all = all, .stop = stop};
    reader->lines.position = start;
    /* A piece is read from the byte before it: if this is a line end, the piece begins a line. */
    reader->in_cut_line = reader->skipping = start > 0;
    size_t topics = lookup->topics.count;
    reader->length = calloc(topics ? topics : 1, sizeof *reader->length);
    reader->seen = calloc(lookup->topic.count + 1, sizeof *reader->seen);
    return reader->length && reader->seen ? OK : NO_MEMORY;
}

static int falling(const void *one, const void *other) {
    const Retrieved *a = one, *b = other;
    if (a->value != b->value) return a->value > b->value ? -1 : 1;
    uint32_t shorter = a->name.size < b->name.size ? a->name.size : b->name.size;
    int names = memcmp(b->name.at, a->name.at, shorter);
    if (names) return names;
    return a->name.size > b->name.size ? -1 : a->name.size < b->name.size;
}

/* Store a name, followed by a line end; NOT_CLEAN if the name itself has a line end. */
static Status keep_name(Reader *reader, Text name) {
    if (has_line_end(name)) return NOT_CLEAN;
    ENSURE(reader->unjudged_names, reader->names_capacity, reader->names_size + name.size + 1);
    memcpy(reader->unjudged_names + reader->names_size, name.at, name.size);
    reader->names_size += name.size;
    reader->unjudged_names[reader->names_size++] = '\n';
    return OK;
}

static Status rows_reserve(Rows *rows, size_t more) {
    TRY(reserve(&rows->topic, more));
    TRY(reserve(&rows->rank, more));
    TRY(reserve(&rows->tie_first, more));
    return reserve(&rows->tie_last, more);
}

static Status emit(Reader *reader, size_t place, size_t first, size_t last) {
    const Retrieved *document = &reader->retrieved[place];
    bool judged = document->row >= 0;
    if (!judged && !reader->all) return OK;
    if (reader->depth && (int64_t)place >= reader->depth) return OK;
    Rows *rows = judged ? &reader->judged : &reader->unjudged;
    append(&rows->topic, reader->topic_number);
    append(&rows->rank, (int64_t)place + 1);
    append(&rows->tie_first, (int64_t)first + 1);
    append(&rows->tie_last, (int64_t)last);
    if (!judged) return keep_name(reader, document->name);
    append(&reader->row, document->row);
    return OK;
}

/* Find the judgments of all documents of a topic, in loops that fetch memory ahead. `found` is the
   number of judged documents. */
static Status look_up(Reader *reader, size_t *found) {
    const Names *judged = &reader->lookup->documents[reader->topic_number];
    const int32_t *rows = reader->lookup->rows[reader->topic_number].values;
    Retrieved *documents = reader->retrieved;
    size_t count = reader->count;
    *found = 0;
    /* First compare hashes, then names. */
    for (size_t place = 0; place < count; place++) {
        if (place + AHEAD < count)
            FETCH(&judged->slots[documents[place + AHEAD].name.hash & judged->mask]);
        int32_t number;
        TRY(find_by_hash(judged, documents[place].name.hash, &number));
        documents[place].row = number;
        if (number < 0) continue;
        FETCH(&judged->texts[number]);
        FETCH(&rows[number]);
    }
    for (size_t place = 0; place < count; place++) {
        if (place + AHEAD < count && documents[place + AHEAD].row >= 0)
            FETCH(judged->texts[documents[place + AHEAD].row].at);
        int64_t number = documents[place].row;
        if (number < 0) continue;
        if (!text_equal(judged->texts[number], documents[place].name)) /* two hashes collide */
            TRY(find(judged, documents[place].name, &number));
        documents[place].row = -1;
        if (number < 0) continue;
        int32_t row = documents[place].row = rows[number];
        if (reader->seen[row]) return NOT_CLEAN; /* a duplicate */
        reader->seen[row] = 1;
        ++*found;
    }
    return OK;
}

/* Check that no unjudged document is a duplicate. */
static Status check_repeats(Reader *reader) {
    Retrieved *documents = reader->retrieved;
    size_t count = reader->count, size = FIRST_CAPACITY;
    while (size < 2 * count) size *= 2;
    ENSURE(reader->slots, reader->slots_capacity, size);
    uint64_t *slots = reader->slots;
    memset(slots, 0, size * sizeof *slots);
    for (size_t place = 0; place < count; place++) {
        if (place + AHEAD < count) FETCH(&slots[documents[place + AHEAD].name.hash & (size - 1)]);
        if (documents[place].row >= 0) continue;
        Text name = documents[place].name;
        size_t slot = name.hash & (size - 1);
        for (uint32_t probes = 0; slots[slot]; slot = (slot + 1) & (size - 1)) {
            if (++probes >= MOST_PROBES) return NOT_CLEAN;
            if ((uint32_t)(slots[slot] >> 32) == name.hash &&
                text_equal(documents[(uint32_t)slots[slot] - 1].name, name))
                return NOT_CLEAN;
        }
        slots[slot] = slot_of((uint32_t)place, name);
    }
    return OK;
}

/* Rank the documents of a judged topic, and append the requested ones to the results. */
static Status write_down(Reader *reader, size_t found) {
    Retrieved *documents = reader->retrieved;
    size_t count = reader->count, place = 1;
    reader->length[reader->topic_number] = (int32_t)count;
    TRY(rows_reserve(&reader->judged, found));
    TRY(reserve(&reader->row, found));
    if (reader->all) TRY(rows_reserve(&reader->unjudged, count - found));
    while (place < count && documents[place].value <= documents[place - 1].value) place++;
    bool sorted = place < count; /* values are not in order: sort all documents, also within ties */
    if (sorted) qsort(documents, count, sizeof *documents, falling);
    for (size_t first = 0, last; first < count; first = last) {
        bool wanted = reader->all;
        for (last = first; last < count && documents[last].value == documents[first].value;)
            wanted |= documents[last++].row >= 0;
        if (!wanted) continue;
        if (!sorted && last - first > 1)
            qsort(documents + first, last - first, sizeof *documents, falling);
        for (place = first; place < last; place++) TRY(emit(reader, place, first, last));
    }
    return OK;
}

Status reader_close_topic(Reader *reader) {
    size_t found = 0;
    if (reader->count) {
        bool judged = reader->topic_number >= 0;
        if (judged) TRY(look_up(reader, &found));
        if (!reader->are_keys) TRY(check_repeats(reader));
        if (judged) TRY(write_down(reader, found));
    }
    reader->count = 0;
    arena_clear(&reader->arena);
    return OK;
}

Status reader_open_topic(Reader *reader, Text topic) {
    TRY(reader_close_topic(reader));
    topic = hashed(topic);
    TRY(find(&reader->lookup->topics, topic, &reader->topic_number));
    if (reader->topic_number >= 0) {
        if (reader->length[reader->topic_number]) return NOT_CLEAN; /* in two places */
        reader->topic = reader->lookup->topics.texts[reader->topic_number];
    } else {
        TRY(names_add(&reader->unknown, &reader->names, topic));
        reader->topic = reader->unknown.texts[reader->unknown.count - 1];
    }
    if (reader->topics < 3) reader->first_topics[reader->topics++] = reader->topic;
    return OK;
}

static Status retrieve(Reader *reader, Text document, double value) {
    if (reader->count >= MOST) return NOT_CLEAN;
    ENSURE(reader->retrieved, reader->capacity, reader->count + 1);
    reader->retrieved[reader->count++] = (Retrieved){value, hashed(document), -1};
    return OK;
}

Status reader_add_key(Reader *reader, Text document, double value) {
    reader->are_keys = true;
    return reader->topic_number < 0 ? OK : retrieve(reader, document, value);
}

/* Whether a line belongs to this piece; see `Reader`. */
static Status is_ours(Reader *reader, Text topic, bool *ours) {
    bool first = !reader->topic.at, changes = first || !text_equal(reader->topic, topic);
    *ours = false;
    if (reader->stopping && changes) {
        reader->done = true;
        return OK;
    }
    if (reader->stop >= 0 && reader->lines.position >= reader->stop) reader->stopping = true;
    if (reader->skipping && first) {
        reader->topic = topic;
        return copy_text(&reader->names, &reader->topic);
    }
    if (reader->skipping && !changes) return OK;
    reader->skipping = false;
    *ours = true;
    return changes ? reader_open_topic(reader, topic) : OK;
}

static Status remember_tag(Reader *reader, Text tag) {
    if (reader->last_tag.at && text_equal(reader->last_tag, tag)) return OK;
    TRY(copy_text(&reader->names, &tag));
    reader->last_tag = tag;
    if (!reader->first_tag.at) reader->first_tag = tag;
    return OK;
}

static Status take_retrieved(void *taker, const char *line, const char *end, const char *limit) {
    Reader *reader = taker;
    Text fields[MOST_FIELDS];
    int count;
    bool ours;
    if (reader->done) return OK;
    if (reader->in_cut_line) {
        reader->in_cut_line = false;
        return OK;
    }
    TRY(split(line, end, limit, fields, &count));
    if (!count) return OK;
    TRY(is_ours(reader, fields[0], &ours));
    if (!ours) return OK;
    if (count < 5 || (reader->fields && count != reader->fields)) return NOT_CLEAN;
    if (fields[1].size > 4 && !memcmp(fields[1].at, "qid:", 4)) return NOT_CLEAN; /* LETOR */
    reader->fields = count;
    if (count == 6) TRY(remember_tag(reader, fields[5]));
    double score;
    int64_t rank = 0;
    if (!parse_decimal(fields[4], &score)) return NOT_CLEAN;
    if (reader->order == BY_RANK && !parse_int(fields[3], &rank)) return NOT_CLEAN;
    if (reader->order == BY_RANK) score = -(double)rank;
    if (reader->order == AS_FILED) score = -(double)reader->count;
    TRY(copy_text(&reader->arena, &fields[2]));
    return retrieve(reader, fields[2], score);
}

void reader_by_rows(Reader *reader) { reader->in_cut_line = false; }

Status reader_add_row(Reader *reader, const RunRow *row) {
    bool ours;
    Text document = row->document;
    if (reader->done) return OK;
    if (!is_text(row->topic) || !is_text(document)) return NOT_CLEAN;
    TRY(is_ours(reader, row->topic, &ours));
    reader->lines.position++;
    if (row->tag.at) {
        if (!is_text(row->tag)) return NOT_CLEAN;
        TRY(remember_tag(reader, row->tag));
        if (reader->first_tag.at != reader->last_tag.at) return NOT_CLEAN; /* several runs */
    }
    if (!ours) return OK;
    reader->fields = row->tag.at ? 6 : 5;
    reader->holds_self |= text_equal(row->topic, document);
    double value = row->score;
    if (reader->order == BY_RANK) value = -(double)row->rank;
    if (reader->order == AS_FILED) value = -(double)reader->count;
    TRY(copy_text(&reader->arena, &document));
    return retrieve(reader, document, value);
}

Status reader_feed(Reader *reader, const char *block, size_t size) {
    return feed(&reader->lines, block, size, take_retrieved, reader);
}

Status reader_finish(Reader *reader) {
    if (reader->lines.size) TRY(reader_feed(reader, "\n", 1));
    return reader_close_topic(reader);
}

static void rows_free(Rows *rows) {
    free(rows->topic.values);
    free(rows->rank.values);
    free(rows->tie_first.values);
    free(rows->tie_last.values);
}

void reader_free(Reader *reader) {
    names_free(&reader->unknown);
    arena_free(&reader->names);
    arena_free(&reader->arena);
    free(reader->lines.cut);
    free(reader->retrieved);
    free(reader->seen);
    free(reader->slots);
    free(reader->length);
    free(reader->row.values);
    free(reader->unjudged_names);
    rows_free(&reader->judged);
    rows_free(&reader->unjudged);
}

/* ---- distinct names ---- */

/* Successive names of a list that belong to one topic. */
typedef struct {
    const char *start, *end;
    int32_t *number; /* place for the number of the first name, or NULL */
    size_t rows;
    size_t next; /* next stretch of the topic, counted from 1; 0: none */
} Stretch;

typedef struct {
    Stretch *all;
    size_t count, capacity;
    size_t *first, *last; /* first and last stretch of each topic, counted from 1 */
    size_t rows;
} Stretches;

static Status cut_into_stretches(const NameList *list, uint32_t topics, Stretches *stretches) {
    const char *at = list->names, *end = at + list->size;
    for (size_t row = 0; row < list->rows;) {
        int32_t topic = list->topic[row];
        if (topic < 0 || (uint32_t)topic >= topics) return NO_FIT;
        int32_t *number = list->number ? list->number + row : NULL;
        Stretch stretch = {at, at, number, 0, 0};
        size_t first = row;
        for (; row < list->rows && list->topic[row] == topic; row++) {
            const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
            if (!stop || stop - at > LONGEST_LINE) return NO_FIT;
            at = stop + 1;
        }
        stretch.end = at;
        stretch.rows = row - first;
        ENSURE(stretches->all, stretches->capacity, stretches->count + 1);
        stretches->all[stretches->count++] = stretch;
        size_t before = stretches->last[topic];
        *(before ? &stretches->all[before - 1].next : &stretches->first[topic]) = stretches->count;
        stretches->last[topic] = stretches->count;
    }
    stretches->rows += list->rows;
    return at == end ? OK : NO_FIT;
}

static Status cut_lists(const NameList *lists, size_t count, uint32_t topics, Stretches *found) {
    found->first = calloc((size_t)topics + 1, sizeof *found->first);
    found->last = calloc((size_t)topics + 1, sizeof *found->last);
    if (!found->first || !found->last) return NO_MEMORY;
    for (size_t list = 0; list < count; list++)
        TRY(cut_into_stretches(&lists[list], topics, found));
    return OK;
}

static void stretches_free(Stretches *stretches) {
    free(stretches->first);
    free(stretches->last);
    free(stretches->all);
}

static Status add_stretch(Names *names, const Stretch *stretch) {
    int32_t *number = stretch->number;
    for (const char *at = stretch->start; at < stretch->end;) {
        const char *stop = memchr(at, '\n', (size_t)(stretch->end - at));
        Text text = hashed((Text){at, (uint32_t)(stop - at), 0});
        TRY(names_reserve(names));
        uint64_t *slot = probe(names, text);
        if (!slot) return NOT_CLEAN;
        if (!*slot) names_put(names, slot, text);
        if (number) *number++ = (int32_t)((uint32_t)*slot - 1);
        at = stop + 1;
    }
    return OK;
}

static Status add_topic(Names *names, const Stretches *stretches, uint32_t topic) {
    if (names->count) memset(names->slots, 0, ((size_t)names->mask + 1) * sizeof *names->slots);
    names->count = 0;
    for (size_t next = stretches->first[topic]; next; next = stretches->all[next - 1].next)
        TRY(add_stretch(names, &stretches->all[next - 1]));
    return OK;
}

/* Names are counted topic by topic, so that the names of one topic stay in the cache. */
Status count_distinct(const NameList *lists, size_t count, uint32_t topics, int32_t *found) {
    Stretches stretches = {0};
    Names names = {0};
    Status status = cut_lists(lists, count, topics, &stretches);
    for (uint32_t topic = 0; status == OK && topic < topics; topic++) {
        status = add_topic(&names, &stretches, topic);
        found[topic] = (int32_t)names.count;
    }
    stretches_free(&stretches);
    names_free(&names);
    return status;
}

/* ---- numbers of names ---- */

typedef struct {
    Text name;
    uint32_t number;
} Numbered;

static int rising(const void *first, const void *second) {
    const Text *a = &((const Numbered *)first)->name, *b = &((const Numbered *)second)->name;
    int found = memcmp(a->at, b->at, a->size < b->size ? a->size : b->size);
    return found ? found : (a->size > b->size) - (a->size < b->size);
}

/* Memory that is reused for each topic. */
typedef struct {
    Names names;
    Numbered *sorted;
    size_t sorted_capacity;
    size_t *place; /* for each number, the index of its name in `sorted` */
    size_t place_capacity;
} Sorting;

static Status write_names(const Numbered *names, size_t count, NumberedNames *found) {
    for (size_t place = 0; place < count; place++) {
        Text name = names[place].name;
        ENSURE(found->names, found->capacity, found->size + name.size + 1);
        copy_bytes(found->names + found->size, name.at, name.size);
        found->size += name.size;
        found->names[found->size++] = '\n';
    }
    return OK;
}

/* Number the names in the order of first occurrence; with `sort`, sort and renumber them. */
static Status number_topic(const Stretches *stretches, uint32_t topic, bool sort, Sorting *sorting,
                           NumberedNames *found) {
    Names *names = &sorting->names;
    TRY(add_topic(names, stretches, topic));
    if (!names->count) return OK;
    ENSURE(sorting->sorted, sorting->sorted_capacity, names->count);
    ENSURE(sorting->place, sorting->place_capacity, names->count);
    for (uint32_t number = 0; number < names->count; number++)
        sorting->sorted[number] = (Numbered){names->texts[number], number};
    if (sort) qsort(sorting->sorted, names->count, sizeof *sorting->sorted, rising);
    for (size_t place = 0; place < names->count; place++)
        sorting->place[sorting->sorted[place].number] = place;
    for (size_t next = stretches->first[topic]; next; next = stretches->all[next - 1].next) {
        const Stretch *stretch = &stretches->all[next - 1];
        for (size_t row = 0; row < stretch->rows; row++) {
            size_t place = sorting->place[stretch->number[row]];
            stretch->number[row] = (int32_t)(found->count + place);
        }
    }
    found->count += names->count;
    return write_names(sorting->sorted, names->count, found);
}

Status number_names(const NameList *lists, size_t count, uint32_t topics, bool sort,
                    int32_t *distinct, NumberedNames *found) {
    Stretches stretches = {0};
    Sorting sorting = {0};
    Status status = cut_lists(lists, count, topics, &stretches);
    if (status == OK && stretches.rows > MOST) status = NO_FIT;
    for (uint32_t topic = 0; status == OK && topic < topics; topic++) {
        status = number_topic(&stretches, topic, sort, &sorting, found);
        distinct[topic] = (int32_t)sorting.names.count;
    }
    stretches_free(&stretches);
    names_free(&sorting.names);
    free(sorting.sorted);
    free(sorting.place);
    return status;
}

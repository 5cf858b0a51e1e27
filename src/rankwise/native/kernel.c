#include "kernel.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Tests make all hashes collide with a mask of few bits. */
#ifndef HASH_MASK
#define HASH_MASK 0xffffffffu
#endif

enum { FIRST_CAPACITY = 64, CHUNK = 1 << 16, LONGEST_LINE = 1 << 20, LONGEST_NUMBER = 128 };
static const uint32_t MOST_NAMES = 1u << 30;

#ifdef __GNUC__
#define FETCH(address) __builtin_prefetch(address)
#else
#define FETCH(address) ((void)(address))
#endif
enum { AHEAD = 16 };

#define TRY(call)                      \
    do {                               \
        Status status_ = (call);       \
        if (status_ != OK) return status_; \
    } while (0)

/* ---- memory ---- */

static Status grown(void **place, size_t *capacity, size_t wanted, size_t item) {
    if (wanted <= *capacity) return OK;
    size_t larger = *capacity ? *capacity : FIRST_CAPACITY;
    while (larger < wanted) {
        if (larger > SIZE_MAX / 2 / item) return NO_MEMORY;
        larger *= 2;
    }
    void *moved = realloc(*place, larger * item);
    if (!moved) return NO_MEMORY;
    *place = moved;
    *capacity = larger;
    return OK;
}

static Status push(Column *column, int64_t value) {
    TRY(grown((void **)&column->values, &column->capacity, column->count + 1, sizeof value));
    column->values[column->count++] = value;
    return OK;
}

/* For a few bytes a call of memcpy takes longer. */
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

/* Chunks are kept when an arena is cleared, and used again in the same order. */
static Status copy_text(Arena *arena, Text *text) {
    while (arena->current < arena->count &&
           arena->sizes[arena->current] - arena->used < text->size) {
        arena->current++;
        arena->used = 0;
    }
    if (arena->current == arena->count) {
        size_t size = text->size > CHUNK ? text->size : CHUNK;
        char **chunks = realloc(arena->chunks, (arena->count + 1) * sizeof *chunks);
        if (!chunks) return NO_MEMORY;
        arena->chunks = chunks;
        size_t *sizes = realloc(arena->sizes, (arena->count + 1) * sizeof *sizes);
        if (!sizes) return NO_MEMORY;
        arena->sizes = sizes;
        char *chunk = malloc(size);
        if (!chunk) return NO_MEMORY;
        arena->chunks[arena->count] = chunk;
        arena->sizes[arena->count++] = size;
        arena->used = 0;
    }
    char *copy = arena->chunks[arena->current] + arena->used;
    copy_bytes(copy, text->at, text->size);
    arena->used += text->size;
    text->at = copy;
    return OK;
}

static void arena_clear(Arena *arena) { arena->current = arena->used = 0; }

static void arena_free(Arena *arena) {
    for (size_t chunk = 0; chunk < arena->count; chunk++) free(arena->chunks[chunk]);
    free(arena->chunks);
    free(arena->sizes);
}

/* ---- names ---- */

/* Short texts are compared, hashed and copied in words of eight bytes, the last of which may
   overlap the one before it: a call of memcpy for a few bytes takes longer. */
static uint64_t word_at(const char *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* A text of fewer than eight bytes. */
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

static uint32_t hash_text(Text text) {
    const uint64_t factor = 0x9E3779B97F4A7C15u;
    uint64_t hash = text.size * factor;
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
    return (uint32_t)(hash >> 32) & HASH_MASK;
}

static bool same(Text a, Text b) {
    if (a.size != b.size) return false;
    if (a.size < 8) return short_word(a) == short_word(b);
    if (a.size > 16) return !memcmp(a.at, b.at, a.size);
    return word_at(a.at) == word_at(b.at) &&
           word_at(a.at + a.size - 8) == word_at(b.at + b.size - 8);
}

/* The slot that has a text, or the free one that it would get. */
static uint64_t *probe(const Names *names, Text text, uint32_t hash) {
    for (uint32_t slot = hash & names->mask;; slot = (slot + 1) & names->mask) {
        uint64_t found = names->slots[slot];
        if (!found) return &names->slots[slot];
        if ((uint32_t)(found >> 32) == hash && same(names->texts[(uint32_t)found - 1], text))
            return &names->slots[slot];
    }
}

/* The number of a text, or -1. */
static int64_t find(const Names *names, Text text, uint32_t hash) {
    return names->slots ? (int64_t)(uint32_t)*probe(names, text, hash) - 1 : -1;
}

static uint64_t slot_of(uint32_t number, uint32_t hash) {
    return (uint64_t)hash << 32 | (number + 1);
}

static Status names_grow(Names *names) {
    if (names->count >= MOST_NAMES) return NOT_CLEAN;
    uint32_t capacity = names->capacity ? names->capacity * 2 : 16;
    Text *texts = realloc(names->texts, capacity * sizeof *texts);
    if (!texts) return NO_MEMORY;
    names->texts = texts;
    uint32_t *hashes = realloc(names->hashes, capacity * sizeof *hashes);
    if (!hashes) return NO_MEMORY;
    names->hashes = hashes;
    names->capacity = capacity;
    return OK;
}

/* Twice as many slots as there may be names. */
static Status slots_grow(Names *names) {
    uint32_t size = names->slots ? 2 * (names->mask + 1) : 32;
    uint64_t *slots = calloc(size, sizeof *slots);
    if (!slots) return NO_MEMORY;
    free(names->slots);
    names->slots = slots;
    names->mask = size - 1;
    for (uint32_t number = 0; number < names->count; number++) {
        uint32_t hash = names->hashes[number], slot = hash & names->mask;
        while (slots[slot]) slot = (slot + 1) & names->mask;
        slots[slot] = slot_of(number, hash);
    }
    return OK;
}

/* A text that is not looked for: it has no slot. */
static Status names_append(Names *names, Text text, uint32_t hash) {
    if (names->count == names->capacity) TRY(names_grow(names));
    names->texts[names->count] = text;
    names->hashes[names->count++] = hash;
    return OK;
}

/* A text that must not be there yet; its bytes are copied into the arena. */
static Status names_add(Names *names, Arena *arena, Text text, uint32_t hash) {
    if (!names->slots || 2 * names->count > names->mask) TRY(slots_grow(names));
    uint64_t *slot = probe(names, text, hash);
    if (*slot) return NOT_CLEAN;
    TRY(copy_text(arena, &text));
    TRY(names_append(names, text, hash));
    *slot = slot_of(names->count - 1, hash);
    return OK;
}

/* After a long topic the table becomes small again: clearing it must not cost more than filling. */
static void names_clear(Names *names) {
    uint32_t count = names->count;
    names->count = 0;
    if (!names->slots) return;
    if (names->mask + 1 > 16 * (count + 2)) {
        uint32_t size = 32;
        while (size < 4 * count) size *= 2;
        names->mask = size - 1;
    }
    memset(names->slots, 0, ((size_t)names->mask + 1) * sizeof *names->slots);
}

static void names_free(Names *names) {
    free(names->texts);
    free(names->hashes);
    free(names->slots);
}

/* ---- lines and fields ---- */

enum { ORDINARY = 1, HIGH = 2, BLANK = 4 }; /* line ends and control characters have none */

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
        /* Too long a form, a surrogate, or beyond the last code point. */
        if ((lead == 0xE0 && at[0] < 0xA0) || (lead == 0xED && at[0] > 0x9F) ||
            (lead == 0xF0 && at[0] < 0x90) || (lead == 0xF4 && at[0] > 0x8F))
            return false;
        for (; more; more--)
            if ((*at++ & 0xC0) != 0x80) return false;
    }
    return true;
}

static Status is_comment(const char *line, size_t size) {
    return memchr(line, 0, size) || !is_utf8(line, size) ? NOT_CLEAN : OK;
}

enum { MOST_FIELDS = 6 };

static const uint64_t EACH_BYTE = 0x0101010101010101u;
static const uint64_t HIGH_BITS = 0x8080808080808080u;

/* Where a field ends: at a blank, a line end or a control character. Eight bytes at a time as
   long as there are as many before the limit, so that most fields take one step or two. All
   that is looked at, if more than the field, is gathered in `bits`. */
static const uint8_t *field_end(const uint8_t *at, const uint8_t *limit, uint64_t *bits) {
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; limit - at >= 8; at += 8) {
        uint64_t word = word_at((const char *)at);
        /* The lowest byte that is marked is less than 0x21; those above it may be wrong. */
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

/* The fields of a line that ends with a line end; 0 of them where it is blank or a comment.
   Up to the limit, at or beyond the end, there are bytes to be read. */
static Status split(const char *line, const char *end, const char *limit,
                    Text fields[MOST_FIELDS], int *count) {
    const uint8_t *at = (const uint8_t *)line;
    uint64_t bits = 0;
    int found = 0;
    *count = 0;
    for (;;) {
        while (KIND[*at] == BLANK) at++;
        if (at == (const uint8_t *)end) break;
        if (!found && *at == '#') return is_comment(line, (size_t)(end - line));
        const uint8_t *start = at;
        at = field_end(at, (const uint8_t *)limit, &bits);
        if (at == start || found == MOST_FIELDS) return NOT_CLEAN; /* a control character */
        fields[found++] = (Text){(const char *)start, (uint32_t)(at - start)};
    }
    *count = found;
    if (!(bits & HIGH_BITS)) return OK;
    if (found && fields[0].size >= 3 && !memcmp(fields[0].at, "\xEF\xBB\xBF", 3))
        return NOT_CLEAN; /* a mark that some editors put at the start */
    return is_utf8(line, (size_t)(end - line)) ? OK : NOT_CLEAN;
}

typedef Status (*TakeLine)(void *taker, const char *line, const char *end, const char *limit);

/* Hand over the lines of a block; what follows the last line end waits for the next block. */
static Status feed(Lines *lines, const char *block, size_t size, TakeLine take, void *taker) {
    const char *at = block, *end = block + size;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop + 1 : end) - at);
        if (!stop || lines->size) {
            if (lines->size + length > LONGEST_LINE) return NOT_CLEAN;
            TRY(grown((void **)&lines->cut, &lines->capacity, lines->size + length, 1));
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

/* A whole number of at most 18 digits. */
static bool whole(Text text, int64_t *value) {
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

static bool by_library(Text text, double *value) {
    char copy[LONGEST_NUMBER];
    if (text.size >= sizeof copy || localeconv()->decimal_point[0] != '.') return false;
    memcpy(copy, text.at, text.size);
    copy[text.size] = 0;
    char *end;
    *value = strtod(copy, &end);
    return end == copy + text.size && isfinite(*value);
}

/* A decimal number, rounded correctly. */
static bool decimal(Text text, double *value) {
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
    /* Two exact numbers, and one rounding: Clinger's fast path. */
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
    uint32_t hash = hash_text(topic);
    int64_t found = find(&lookup->topics, topic, hash);
    if (found < 0) {
        if (lookup->topics.count == lookup->capacity) TRY(topics_grow(lookup));
        found = lookup->topics.count;
        lookup->documents[found] = (Names){0};
        lookup->rows[found] = (Column){0};
        TRY(names_add(&lookup->topics, &lookup->arena, topic, hash));
    }
    *number = (uint32_t)found;
    return OK;
}

Status lookup_add(Lookup *lookup, Text topic, Text document, int64_t grade) {
    uint32_t number = 0;
    size_t row = lookup->topic.count;
    int64_t last = row ? lookup->topic.values[row - 1] : -1;
    if (last >= 0 && same(lookup->topics.texts[last], topic))
        number = (uint32_t)last;
    else
        TRY(topic_of(lookup, topic, &number));
    TRY(names_add(&lookup->documents[number], &lookup->arena, document, hash_text(document)));
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
    if (count != 4 || !whole(fields[3], &grade)) return NOT_CLEAN;
    if (fields[1].size > 4 && !memcmp(fields[1].at, "qid:", 4)) return NOT_CLEAN; /* LETOR */
    if (grade < INT32_MIN || grade > INT32_MAX) return NOT_CLEAN;
    return lookup_add(lookup, fields[0], fields[2], grade);
}

Status lookup_feed(Lookup *lookup, const char *block, size_t size) {
    return feed(&lookup->lines, block, size, take_judgment, lookup);
}

Status lookup_finish(Lookup *lookup) {
    if (lookup->lines.size) TRY(lookup_feed(lookup, "\n", 1));
    return lookup->topic.count ? OK : NOT_CLEAN;
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
    /* A piece is given from one byte before it: only a line end there begins a line. */
    reader->in_cut_line = reader->skipping = start > 0;
    size_t topics = lookup->topics.count;
    reader->length = calloc(topics ? topics : 1, sizeof *reader->length);
    return reader->length ? OK : NO_MEMORY;
}

static int falling(const void *one, const void *other) {
    const Retrieved *a = one, *b = other;
    if (a->value != b->value) return a->value > b->value ? -1 : 1;
    uint32_t shorter = a->name.size < b->name.size ? a->name.size : b->name.size;
    int names = memcmp(b->name.at, a->name.at, shorter);
    if (names) return names;
    return a->name.size > b->name.size ? -1 : a->name.size < b->name.size;
}

/* A name and a line end, which no name has. */
static Status keep_name(Reader *reader, Text name) {
    if (memchr(name.at, '\n', name.size) || memchr(name.at, '\r', name.size)) return NOT_CLEAN;
    TRY(grown((void **)&reader->unjudged_names, &reader->names_capacity,
              reader->names_size + name.size + 1, 1));
    memcpy(reader->unjudged_names + reader->names_size, name.at, name.size);
    reader->names_size += name.size;
    reader->unjudged_names[reader->names_size++] = '\n';
    return OK;
}

static Status emit(Reader *reader, size_t place, size_t first, size_t last) {
    const Retrieved *document = &reader->retrieved[place];
    bool judged = document->row >= 0;
    if (!judged && !reader->all) return OK;
    if (reader->depth && (int64_t)place >= reader->depth) return OK;
    Rows *rows = judged ? &reader->judged : &reader->unjudged;
    TRY(push(&rows->topic, reader->topic_number));
    TRY(push(&rows->rank, (int64_t)place + 1));
    TRY(push(&rows->tie_first, (int64_t)first + 1));
    TRY(push(&rows->tie_last, (int64_t)last));
    return judged ? push(&reader->row, document->row) : keep_name(reader, document->name);
}

/* Find the judgments of a topic's documents: all at once, so that memory is fetched ahead. */
static void look_up(Reader *reader) {
    const Names *judged = &reader->lookup->documents[reader->topic_number];
    const int64_t *rows = reader->lookup->rows[reader->topic_number].values;
    const uint32_t *hashes = reader->seen.hashes;
    uint32_t count = reader->seen.count;
    for (uint32_t place = 0; place < count; place++) {
        if (place + AHEAD < count) FETCH(&judged->slots[hashes[place + AHEAD] & judged->mask]);
        Retrieved *document = &reader->retrieved[place];
        int64_t found = find(judged, document->name, hashes[place]);
        if (found >= 0) document->row = rows[found];
    }
}

Status reader_close_topic(Reader *reader) {
    size_t count = reader->seen.count;
    Retrieved *documents = reader->retrieved;
    if (reader->topic_number >= 0 && count) {
        reader->length[reader->topic_number] = (int64_t)count;
        look_up(reader);
        size_t place = 1;
        while (place < count && documents[place].value <= documents[place - 1].value) place++;
        if (place < count) qsort(documents, count, sizeof *documents, falling);
        for (size_t first = 0, last; first < count; first = last) {
            bool wanted = reader->all;
            for (last = first; last < count && documents[last].value == documents[first].value;)
                wanted |= documents[last++].row >= 0;
            if (!wanted) continue;
            if (last - first > 1)
                qsort(documents + first, last - first, sizeof *documents, falling);
            for (place = first; place < last; place++) TRY(emit(reader, place, first, last));
        }
    }
    names_clear(&reader->seen);
    arena_clear(&reader->arena);
    return OK;
}

Status reader_open_topic(Reader *reader, Text topic) {
    TRY(reader_close_topic(reader));
    uint32_t hash = hash_text(topic);
    reader->topic_number = find(&reader->lookup->topics, topic, hash);
    if (reader->topic_number >= 0) {
        if (reader->length[reader->topic_number]) return NOT_CLEAN; /* in two places */
        reader->topic = reader->lookup->topics.texts[reader->topic_number];
    } else {
        TRY(names_add(&reader->unknown, &reader->names, topic, hash));
        reader->topic = reader->unknown.texts[reader->unknown.count - 1];
    }
    if (reader->topics < 3) reader->first_topics[reader->topics++] = reader->topic;
    return OK;
}

static Status retrieve(Reader *reader, double value) {
    size_t place = reader->seen.count - 1;
    TRY(grown((void **)&reader->retrieved, &reader->capacity, place + 1,
              sizeof *reader->retrieved));
    reader->retrieved[place] = (Retrieved){value, reader->seen.texts[place], -1};
    return OK;
}

static Status add_document(Reader *reader, Text document, double value) {
    TRY(names_add(&reader->seen, &reader->arena, document, hash_text(document)));
    return retrieve(reader, value);
}

Status reader_add_key(Reader *reader, Text document, double value) {
    if (reader->topic_number < 0) return OK;
    TRY(names_append(&reader->seen, document, hash_text(document)));
    return retrieve(reader, value);
}

/* Whether a line is of this piece; see `Reader`. */
static Status is_ours(Reader *reader, Text topic, bool *ours) {
    bool first = !reader->topic.at, changes = first || !same(reader->topic, topic);
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
    if (reader->last_tag.at && same(reader->last_tag, tag)) return OK;
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
    if (!decimal(fields[4], &score)) return NOT_CLEAN;
    if (reader->order == BY_RANK && !whole(fields[3], &rank)) return NOT_CLEAN;
    if (reader->order == BY_RANK) score = -(double)rank;
    if (reader->order == AS_FILED) score = -(double)reader->seen.count;
    return add_document(reader, fields[2], score);
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
    names_free(&reader->seen);
    arena_free(&reader->names);
    arena_free(&reader->arena);
    free(reader->lines.cut);
    free(reader->retrieved);
    free(reader->length);
    free(reader->row.values);
    free(reader->unjudged_names);
    rows_free(&reader->judged);
    rows_free(&reader->unjudged);
}

/* Random runs and qrels through the kernel, built with sanitizers: see test_fuzz.py.

   fuzz SECONDS SEED. Texts are clean, then damaged or not. Each is read whole, in blocks of
   random sizes, and in pieces cut at random places: all three must say the same. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel.c"

static uint64_t state;

static uint32_t below(uint32_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % limit);
}

static char text[1 << 16];
static size_t size;

static void put(const char *piece) {
    size_t length = strlen(piece);
    if (size + length < sizeof text) memcpy(text + size, piece, length), size += length;
}

static void put_number(uint32_t number) {
    char digits[16];
    snprintf(digits, sizeof digits, "%u", number);
    put(digits);
}

static const char *one_of(const char *const *words, uint32_t count) { return words[below(count)]; }

static const char *const BLANKS[] = {" ", " ", " ", "\t", "  ", " \t ", "\r", "\v"};
static const char *const SCORES[] = {"1",    "0.5",   "-2.25", "0.1000000000000000055511",
                                     "1e3",  "-0",    "12345678901234567890.5",
                                     "3e-4", "0.300000000000000044"};
static const char *const ODD[] = {"nan", "inf", "1e999", "0x10", "+1", ".5", "1.", "#",
                                  "\xff", "\xc3\xa9", "\xed\xa0\x80", "\xef\xbb\xbf", "\x01", "1_0",
                                  "999999999999999999999", "\n", "\r\n", "\n\n", "# note\n"};

static void make(bool run) {
    size = 0;
    bool rough = !below(2);
    uint32_t topics = 1 + below(6), base = below(4) ? 100 : 7;
    for (uint32_t topic = 0; topic < topics; topic++) {
        uint32_t documents = below(12), first = below(8);
        for (uint32_t document = 0; document < documents; document++) {
            const char *blank = one_of(BLANKS, 8);
            put_number(base + (!rough || below(60) ? topic : below(topics)));
            put(blank), put("Q0"), put(blank), put(below(9) ? "d" : "d\xc3\xa9");
            put_number(!rough || below(50) ? first + document : below(40)), put(blank);
            if (run) put_number(document + 1), put(blank), put(one_of(SCORES, 9));
            else put_number(below(4));
            if (run && (!rough || below(80))) put(blank), put("tag");
            put(below(9) ? "\n" : "\r\n");
        }
    }
    if (size && !below(5)) size--; /* no last line end */
    for (uint32_t times = rough ? below(4) : 0; times && size; times--) {
        const char *odd = one_of(ODD, sizeof ODD / sizeof *ODD);
        uint32_t at = below((uint32_t)size), length = (uint32_t)strlen(odd);
        if (at + length < size) memcpy(text + at, odd, length);
        if (!below(9)) text[at] = 0;
        if (!below(3)) size = at;
    }
}

/* What is read, in one string of bytes; -1 where it is not clean. */
typedef struct {
    int64_t values[1 << 14];
    int count;
    int64_t unjudged; /* a sum over all that is not judged */
} Found;

static void add(Found *found, int64_t value) {
    if (found->count >= 0 && found->count < 1 << 14) found->values[found->count++] = value;
}

static void read_part(Found *found, const Lookup *lookup, Order order, int64_t depth, bool all,
                      size_t start, int64_t stop, bool in_blocks) {
    Reader reader;
    Status status = reader_start(&reader, lookup, order, depth, all, (int64_t)start, stop);
    for (size_t at = start; status == OK && at < size && !reader.done;) {
        size_t block = in_blocks ? 1 + below(40) : size - at;
        if (block > size - at) block = size - at;
        char *copy = malloc(block); /* so that reading past its end is seen */
        memcpy(copy, text + at, block);
        status = reader_feed(&reader, copy, block);
        free(copy);
        at += block;
    }
    if (status == OK) status = reader_finish(&reader);
    if (status != OK) found->count = -1;
    const Rows *judged = &reader.judged, *others = &reader.unjudged;
    for (size_t row = 0; row < reader.row.count; row++) {
        add(found, judged->topic.values[row]), add(found, judged->rank.values[row]);
        add(found, reader.row.values[row]), add(found, judged->tie_first.values[row]);
        add(found, judged->tie_last.values[row]);
    }
    for (size_t row = 0; row < others->topic.count; row++)
        found->unjudged += 1 + 7 * others->topic.values[row] + 77 * others->rank.values[row] +
                           777 * others->tie_first.values[row] + others->tie_last.values[row];
    for (size_t byte = 0; byte < reader.names_size; byte++)
        found->unjudged += 31 * reader.unjudged_names[byte];
    reader_free(&reader);
}

static bool same_rows(const Found *one, const Found *other) {
    if (one->count >= 0 && one->unjudged != other->unjudged) return false;
    return one->count == other->count && (one->count < 0 || !memcmp(one->values, other->values,
        (size_t)one->count * sizeof *one->values));
}

static void fail(const char *what, uint64_t round) {
    fprintf(stderr, "round %llu: %s\n", (unsigned long long)round, what);
    fwrite(text, 1, size, stderr);
    exit(1);
}

enum { LISTS = 3, ROWS = 40, TOPICS = 4 };

/* Names of some topics, counted each once: by the kernel, and by comparing each with all. */
static void check_distinct(uint64_t round) {
    NameList lists[LISTS];
    int32_t topics[LISTS][ROWS], found[TOPICS], expected[TOPICS] = {0};
    uint32_t names[LISTS][ROWS];
    char *texts[LISTS];
    bool fits = true;
    for (int list = 0; list < LISTS; list++) {
        uint32_t rows = below(ROWS), topic = below(TOPICS);
        size = 0;
        for (uint32_t row = 0; row < rows; row++) {
            if (!below(6)) topic = below(TOPICS);
            topics[list][row] = (int32_t)topic;
            names[list][row] = below(30);
            /* Short and long ones: they are compared in different ways. */
            if (names[list][row] % 3) put("a name of more than sixteen bytes ");
            put_number(names[list][row]), put("\n");
        }
        if (rows && !below(30)) size--, fits = false;
        if (rows && !below(30)) topics[list][rows - 1] = below(2) ? -1 : TOPICS, fits = false;
        texts[list] = malloc(size + !size); /* so that reading past its end is seen */
        memcpy(texts[list], text, size);
        lists[list] = (NameList){topics[list], rows, texts[list], size};
        for (uint32_t row = 0; fits && row < rows; row++) {
            bool again = false;
            for (int before = 0; before <= list; before++)
                for (uint32_t other = 0; other < lists[before].rows; other++)
                    again |= (before < list || other < row) &&
                             topics[before][other] == topics[list][row] &&
                             names[before][other] == names[list][row];
            expected[topics[list][row]] += !again;
        }
    }
    Status status = count_distinct(lists, LISTS, TOPICS, found);
    if (fits == (status == NO_FIT)) fail("lists of names fit, or not, and it is not seen", round);
    if (status == NOT_CLEAN && MOST_PROBES > LISTS * ROWS) fail("there are few names", round);
    if (status == OK && memcmp(found, expected, sizeof found)) fail("names are miscounted", round);
    for (int list = 0; list < LISTS; list++) free(texts[list]);
}

/* The name of each judgment is the one by which it is found. */
static void check_names(const Lookup *lookup, uint64_t round) {
    size_t rows = lookup->topic.count;
    Text *names = malloc(rows * sizeof *names); /* so that writing past its end is seen */
    if (lookup_names(lookup, names) != OK) fail("names of clean text have a line end", round);
    for (size_t row = 0; row < rows; row++) {
        int32_t topic = lookup->topic.values[row];
        int64_t number;
        if (find(&lookup->documents[topic], names[row], &number) != OK || number < 0 ||
            lookup->rows[topic].values[number] != (int32_t)row)
            fail("a judgment has the name of another", round);
    }
    free(names);
}

/* A table that is full takes no name more: with twice as many slots their number would be 0. */
static void check_full_table(void) {
    uint64_t slot = 0;
    Names full = {.slots = &slot, .count = MOST, .capacity = MOST, .mask = 2 * MOST - 1};
    if (names_reserve(&full) != NOT_CLEAN || full.slots != &slot) fail("a full table grows", 0);
}

int main(int count, char **arguments) {
    double seconds = count > 1 ? atof(arguments[1]) : 1;
    state = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    time_t end = time(NULL) + (time_t)seconds;
    uint64_t rounds = 0, clean = 0, joined = 0;
    static Found whole, blocks, pieces;
    check_full_table();
    while (time(NULL) < end || !rounds) {
        for (int turn = 0; turn < 200; turn++, rounds++) {
            Lookup lookup;
            lookup_start(&lookup);
            make(false);
            Status status = lookup_feed(&lookup, text, size);
            if (status == OK) status = lookup_finish(&lookup);
            if (status == OK) {
                clean++;
                check_names(&lookup, rounds);
                make(true);
                Order order = (Order)below(4);
                int64_t depth = below(3) ? 0 : 1 + below(6);
                bool all = below(2);
                whole.count = blocks.count = pieces.count = 0;
                whole.unjudged = blocks.unjudged = pieces.unjudged = 0;
                read_part(&whole, &lookup, order, depth, all, 0, -1, false);
                read_part(&blocks, &lookup, order, depth, all, 0, -1, true);
                if (!same_rows(&whole, &blocks)) fail("blocks differ from the whole", rounds);
                size_t cut = size > 4 ? 2 + below((uint32_t)size - 3) : 0;
                if (cut) {
                    read_part(&pieces, &lookup, order, depth, all, 0, (int64_t)cut, true);
                    read_part(&pieces, &lookup, order, depth, all, cut - 1, -1, true);
                }
                /* Only Python sees that a topic stands in two pieces: that is no difference. */
                if (cut && whole.count >= 0 && pieces.count >= 0 && !same_rows(&whole, &pieces))
                    fail("pieces differ from the whole", rounds);
                if (cut && whole.count >= 0 && pieces.count < 0) fail("a piece is not clean", rounds);
                joined += whole.count > 0;
            }
            lookup_free(&lookup);
            check_distinct(rounds);
        }
    }
    printf("%llu rounds, %llu clean qrels, %llu clean runs with judged rows\n",
           (unsigned long long)rounds, (unsigned long long)clean, (unsigned long long)joined);
    return 0;
}

/* Random runs and qrels through the kernel, built with sanitizers: see test_fuzz.py.

   fuzz SECONDS SEED. Texts are clean, then damaged or not. Each is read whole, in blocks of
   random sizes, and in pieces cut at random places: all three must say the same. Tables of Arrow,
   in batches and pieces, must say the same as their text. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel.c"
#include "arrow.c"

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

/* What a reader has found; it is freed. */
static void write_found(Found *found, Reader *reader) {
    const Rows *judged = &reader->judged, *others = &reader->unjudged;
    for (size_t row = 0; row < reader->row.count; row++) {
        add(found, judged->topic.values[row]), add(found, judged->rank.values[row]);
        add(found, reader->row.values[row]), add(found, judged->tie_first.values[row]);
        add(found, judged->tie_last.values[row]);
    }
    for (size_t row = 0; row < others->topic.count; row++)
        found->unjudged += 1 + 7 * others->topic.values[row] + 77 * others->rank.values[row] +
                           777 * others->tie_first.values[row] + others->tie_last.values[row];
    for (size_t byte = 0; byte < reader->names_size; byte++)
        found->unjudged += 31 * reader->unjudged_names[byte];
    reader_free(reader);
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
    write_found(found, &reader);
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

enum { LISTS = 3, ROWS = 40, TOPICS = 4, NAME_SIZE = 64 };

/* By bytes, a name that another begins with first: the line end is no part of it. */
static int compare_names(const char *one, const char *other) {
    size_t a = strlen(one) - 1, b = strlen(other) - 1;
    int found = memcmp(one, other, a < b ? a : b);
    return found ? found : (a > b) - (a < b);
}

/* The name of a number, with its line end, as it is put into lists. */
static void put_name(uint32_t number) {
    if (number % 3) put("a name of more than sixteen bytes ");
    put_number(number), put("\n");
}

static size_t first_row(const int32_t *code, int32_t number) {
    size_t row = 0;
    while (code[row] != number) row++;
    return row;
}

/* Names are numbered by topic and bytes, or by topic as they come, and found in that order: each
   row against all others. */
static void check_numbers(NameList *lists, uint32_t names[LISTS][ROWS], const int32_t *expected,
                         uint64_t round) {
    NumberedNames found = {0};
    int32_t distinct[TOPICS], topic[LISTS * ROWS], code[LISTS * ROWS + 1];
    char name[LISTS * ROWS][NAME_SIZE];
    size_t rows = 0;
    for (int list = 0; list < LISTS; list++) /* so that writing past its end is seen */
        lists[list].number = malloc(lists[list].rows * sizeof(int32_t) + !lists[list].rows);
    bool sort = below(2);
    if (number_names(lists, LISTS, TOPICS, sort, distinct, &found) != OK)
        fail("names are counted, and not numbered", round);
    if (memcmp(distinct, expected, sizeof distinct)) fail("numbered names are miscounted", round);
    for (int list = 0; list < LISTS; list++) {
        for (size_t row = 0; row < lists[list].rows; row++, rows++) {
            topic[rows] = lists[list].topic[row], code[rows] = lists[list].number[row];
            size = 0, put_name(names[list][row]);
            memcpy(name[rows], text, size), name[rows][size] = 0;
        }
        free(lists[list].number);
    }
    size_t seen = 0;
    const char *at = found.names;
    for (int32_t number = 0; (size_t)number < found.count; number++, at += strlen(name[seen])) {
        code[rows] = number; /* so that it is found */
        if ((seen = first_row(code, number)) == rows) fail("a number is of no row", round);
        size_t length = strlen(name[seen]);
        if ((size_t)(found.names + found.size - at) < length || memcmp(at, name[seen], length))
            fail("a name is not the one of its rows", round);
        for (size_t row = 0; row < rows; row++) {
            int order = topic[row] != topic[seen] ? (topic[row] > topic[seen] ? 1 : -1)
                                                  : compare_names(name[row], name[seen]);
            if (!sort && topic[row] == topic[seen] && order) /* the first row of each decides */
                order = first_row(code, code[row]) > seen ? 1 : -1;
            if ((order > 0) != (code[row] > number) || (order < 0) != (code[row] < number))
                fail("names are numbered wrongly", round);
        }
    }
    if (at != found.names + found.size) fail("there are names of no row", round);
    free(found.names);
}

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
            put_name(names[list][row]); /* short or long: they are compared in different ways */
        }
        if (rows && !below(30)) size--, fits = false;
        if (rows && !below(30)) topics[list][rows - 1] = below(2) ? -1 : TOPICS, fits = false;
        texts[list] = malloc(size + !size); /* so that reading past its end is seen */
        memcpy(texts[list], text, size);
        lists[list] = (NameList){topics[list], rows, texts[list], size, NULL};
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
    if (status == OK) check_numbers(lists, names, expected, round);
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

/* ---- tables of Arrow ---- */

enum { MOST_ROWS = 60, COLUMNS = 4, NAME = 40 };

/* The rows of a table as texts: topic, document, tag; and scores. */
static char names[3][MOST_ROWS][NAME];
static double scores[MOST_ROWS];
static uint32_t table_rows;
static bool has_null; /* one of the batches that were made */

static void make_rows(void) {
    table_rows = 0;
    bool rough = !below(3);
    for (uint32_t topic = 0, topics = 1 + below(5); topic < topics; topic++) {
        for (uint32_t place = 0, many = below(11); place < many; place++, table_rows++) {
            uint32_t document = rough && !below(30) ? below(40) : place;
            const char *start = below(2) ? "d" : "a name of more than twelve bytes ";
            snprintf(names[0][table_rows], NAME, "%u", !rough || below(40) ? topic : below(5));
            snprintf(names[1][table_rows], NAME, "%s%u", document % 2 ? "d" : start, document);
            snprintf(names[2][table_rows], NAME, "tag");
            scores[table_rows] = below(7) / 4.0;
        }
    }
}

/* A buffer of exactly these bytes, so that reading past its end is seen. */
static void *exact(const void *bytes, size_t length) {
    void *copy = malloc(length + !length);
    if (length) memcpy(copy, bytes, length);
    return copy;
}

typedef struct {
    struct ArrowSchema schema, value_schema;
    struct ArrowArray array, values;
    const void *buffers[4], *value_buffers[4];
} Made;

/* Texts as offsets of 32 or 64 bits, or as views; rows before the first are never to be read. */
static const char *put_texts(struct ArrowArray *array, const void **buffers,
                             char (*texts)[NAME], uint32_t rows, uint32_t skipped) {
    static const char *const FORMATS[] = {"u", "U", "vu"};
    uint32_t layout = below(3), many = rows + skipped;
    char bytes[2 * MOST_ROWS * NAME], views[2 * MOST_ROWS * 16] = {0};
    int32_t narrow[2 * MOST_ROWS + 1] = {0}, used = 0;
    int64_t wide[2 * MOST_ROWS + 1] = {0}, sizes[1];
    for (uint32_t row = 0; row < many; row++) {
        const char *name = row < skipped ? "" : texts[row - skipped];
        int32_t length = (int32_t)strlen(name), zero = 0;
        memcpy(views + 16 * row, &length, 4);
        memcpy(views + 16 * row + 4, name, (size_t)(length > 12 ? 4 : length));
        if (length > 12) memcpy(views + 16 * row + 8, &zero, 4), memcpy(views + 16 * row + 12, &used, 4);
        memcpy(bytes + used, name, (size_t)length);
        used += length;
        narrow[row + 1] = used, wide[row + 1] = used;
    }
    if (many && !below(20)) { /* views of what is not there: sizes, blocks, places */
        static const int32_t WRONG[] = {-1, INT32_MAX, INT32_MIN, 1 << 20};
        int32_t wrong = WRONG[below(4)], length;
        char *view = views + 16 * below(many);
        memcpy(&length, view, 4);
        memcpy(view + (length > 12 && below(2) ? 8 + 4 * below(2) : 0), &wrong, 4);
    }
    sizes[0] = used;
    buffers[0] = NULL;
    buffers[1] = layout == 0 ? exact(narrow, 4 * (many + 1))
                 : layout == 1 ? exact(wide, 8 * (many + 1)) : exact(views, 16 * many);
    buffers[2] = exact(bytes, (size_t)used);
    buffers[3] = layout == 2 ? exact(sizes, sizeof sizes) : NULL;
    *array = (struct ArrowArray){.length = rows, .offset = skipped, .buffers = buffers,
                                 .n_buffers = layout == 2 ? 4 : 3};
    return FORMATS[layout];
}

/* A column of names, as texts or as a dictionary; its validity may have a bit that is off. */
static void make_names(Made *made, char (*texts)[NAME], uint32_t rows, uint32_t skipped) {
    *made = (Made){0};
    if (below(3)) {
        made->schema.format = put_texts(&made->array, made->buffers, texts, rows, skipped);
    } else {
        int16_t codes[2 * MOST_ROWS] = {0};
        for (uint32_t row = 0; row < rows; row++) codes[row + skipped] = (int16_t)row;
        if (rows && !below(20)) codes[skipped + below(rows)] = (int16_t)(below(2) ? -1 : (int)rows);
        made->value_schema.format =
            put_texts(&made->values, made->value_buffers, texts, rows, below(3));
        made->schema = (struct ArrowSchema){.format = "s", .dictionary = &made->value_schema};
        made->buffers[1] = exact(codes, sizeof *codes * (rows + skipped));
        made->array = (struct ArrowArray){.length = rows, .offset = skipped, .n_buffers = 2,
                                          .buffers = made->buffers, .dictionary = &made->values};
    }
    if (!below(4)) {
        uint8_t valid[2 * MOST_ROWS / 8 + 1];
        memset(valid, 255, sizeof valid);
        if (rows && !below(6)) {
            uint32_t row = skipped + below(rows);
            has_null = true;
            valid[row / 8] = (uint8_t)(valid[row / 8] & ~(1u << (row % 8)));
        }
        made->buffers[0] = exact(valid, (rows + skipped + 7) / 8);
        made->array.null_count = -1;
    }
}

static void free_made(Made *made) {
    for (int buffer = 0; buffer < 4; buffer++)
        free((void *)(uintptr_t)made->buffers[buffer]), free((void *)(uintptr_t)made->value_buffers[buffer]);
}

/* Some rows of the table as one batch, of which the first ones may be left out. */
static Status take_batch(Reader *reader, uint32_t first, uint32_t rows) {
    Made made[COLUMNS];
    struct ArrowSchema *schemas[COLUMNS], schema = {.format = "+s", .n_children = COLUMNS};
    struct ArrowArray *arrays[COLUMNS], batch = {.length = rows, .n_children = COLUMNS};
    uint32_t skipped = below(4);
    for (int column = 0; column < 3; column++)
        make_names(&made[column], names[column] + first, rows, skipped);
    made[3] = (Made){.schema.format = "g"};
    made[3].buffers[1] = exact(scores + first, rows * sizeof *scores);
    made[3].array = (struct ArrowArray){.length = rows, .n_buffers = 2, .buffers = made[3].buffers};
    for (int column = 0; column < COLUMNS; column++)
        schemas[column] = &made[column].schema, arrays[column] = &made[column].array;
    schema.children = schemas, batch.children = arrays;
    RowColumns columns = {.topic = 0, .document = 1, .value = 3, .rank = -1, .tag = 2};
    Status status = reader_feed_rows(reader, &schema, &batch, columns);
    for (int column = 0; column < COLUMNS; column++) free_made(&made[column]);
    return status;
}

static void read_rows(Found *found, const Lookup *lookup, Order order, int64_t depth, bool all,
                      uint32_t start, int64_t stop) {
    Reader reader;
    Status status = reader_start(&reader, lookup, order, depth, all, start, stop);
    reader_by_rows(&reader);
    while (status == OK && start < table_rows && !reader.done) {
        uint32_t rows = 1 + below(table_rows - start);
        status = take_batch(&reader, start, rows);
        start += rows;
    }
    if (status == OK) status = reader_finish(&reader);
    if (status != OK) found->count = -1;
    write_found(found, &reader);
}

/* A table that is clean says the same as its text; damage makes it unclean, and nothing worse. */
static bool check_rows(const Lookup *lookup, uint64_t round) {
    static Found of_text, of_rows, of_pieces;
    Order order = below(2) ? BY_SCORE : AS_FILED;
    int64_t depth = below(3) ? 0 : 1 + below(6);
    bool all = below(2);
    make_rows();
    size = 0;
    for (uint32_t row = 0; row < table_rows; row++) {
        char line[200], name[NAME];
        snprintf(name, NAME, "%s", names[1][row]);
        for (char *at = name; *at; at++)
            if (*at == ' ') *at = '_';
        memcpy(names[1][row], name, NAME);
        snprintf(line, sizeof line, "%s Q0 %s 0 %g tag\n", names[0][row], name, scores[row]);
        put(line);
    }
    of_text.count = of_rows.count = of_pieces.count = 0;
    of_text.unjudged = of_rows.unjudged = of_pieces.unjudged = 0;
    read_part(&of_text, lookup, order, depth, all, 0, -1, false);
    has_null = false;
    read_rows(&of_rows, lookup, order, depth, all, 0, -1);
    if (has_null && of_rows.count >= 0) fail("a null is read", round);
    if (of_rows.count >= 0 && !same_rows(&of_text, &of_rows)) fail("rows differ from text", round);
    if (table_rows > 2) {
        uint32_t cut = 1 + below(table_rows - 2);
        read_rows(&of_pieces, lookup, order, depth, all, 0, cut);
        read_rows(&of_pieces, lookup, order, depth, all, cut, -1);
        if (of_rows.count >= 0 && of_pieces.count >= 0 && !same_rows(&of_rows, &of_pieces))
            fail("pieces of rows differ from all", round);
    }
    return of_rows.count > 0;
}

/* Each byte at each place: what vectors say of it is what the table says. */
static void check_masks(void) {
#ifdef HAS_VECTORS
    for (int byte = 0; byte < 256; byte++) {
        for (int place = 0; place < AT_ONCE; place++) {
            char block[AT_ONCE];
            memset(block, 'a', sizeof block);
            block[place] = (char)byte;
            bool high, control, ends = !(KIND[byte] & (ORDINARY | HIGH));
            uint64_t mask = field_mask(block, &high, &control);
            if (mask != ~((uint64_t)ends << place) || high != (byte >= 0x80) ||
                control != (ends && KIND[byte] != BLANK && byte != '\n'))
                fail("a byte is taken for another", (uint64_t)byte);
        }
    }
#endif
}

int main(int count, char **arguments) {
    double seconds = count > 1 ? atof(arguments[1]) : 1;
    state = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    time_t end = time(NULL) + (time_t)seconds;
    uint64_t rounds = 0, clean = 0, joined = 0, tables = 0;
    static Found whole, blocks, pieces;
    check_full_table();
    check_masks();
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
            lookup_start(&lookup);
            const char *judgments = "1 0 d1 1\n1 0 d2 0\n2 0 a_name_of_more_than_twelve_bytes_2 1\n"
                                    "2 0 d1 0\n3 0 d3 2\n";
            if (lookup_feed(&lookup, judgments, strlen(judgments)) == OK &&
                lookup_finish(&lookup) == OK)
                tables += check_rows(&lookup, rounds);
            lookup_free(&lookup);
            check_distinct(rounds);
        }
    }
    printf("%llu rounds, %llu clean qrels, %llu clean runs with judged rows, %llu tables\n",
           (unsigned long long)rounds, (unsigned long long)clean, (unsigned long long)joined,
           (unsigned long long)tables);
    return 0;
}

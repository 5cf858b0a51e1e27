#include "arrow.h"

#include <math.h>
#include <string.h>

enum { VIEW = 16, INLINE = 12, LONGEST_NAME = 1 << 20, DIGITS = 24 };
static const int64_t EXACT = (int64_t)1 << 53; /* doubles have all whole numbers up to it */

typedef struct {
    const char *at;
    int width; /* bytes of a number */
    bool is_signed, is_float;
} Numbers;

typedef struct {
    const char *at; /* offsets, or views */
    int width;      /* bytes of an offset (4 or 8) or of a view (16) */
    const char *bytes; /* bytes of the texts, for offsets */
    const void *const *blocks; /* blocks with the bytes of the texts, for views */
    const int64_t *block_sizes;
    int64_t block_count;
} Texts;

/* CODES are indices into a dictionary of `count` texts. */
typedef struct {
    enum { NUMBERS, TEXTS, CODES } kind;
    Numbers numbers;
    Texts texts;
    int64_t count;
} Values;

static bool has_nulls(const struct ArrowArray *array, int64_t start, int64_t rows) {
    const uint8_t *bits = array->n_buffers > 0 ? array->buffers[0] : NULL;
    if (!bits || !array->null_count) return false;
    for (int64_t row = start; row < start + rows; row++)
        if (!(bits[row / 8] >> (row % 8) & 1)) return true;
    return false;
}

static Status open_numbers(char format, const struct ArrowArray *array, int64_t start,
                           Numbers *numbers) {
    static const char FORMATS[] = "cCsSiIlLfg";
    static const uint8_t WIDTHS[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    const char *found = format ? strchr(FORMATS, format) : NULL;
    if (!found || array->n_buffers != 2 || !array->buffers[1]) return NOT_CLEAN;
    int width = WIDTHS[found - FORMATS];
    *numbers = (Numbers){
        .at = (const char *)array->buffers[1] + start * width,
        .width = width,
        .is_signed = (found - FORMATS) % 2 == 0,
        .is_float = format == 'f' || format == 'g',
    };
    return OK;
}

static Status open_texts(const char *format, const struct ArrowArray *array, int64_t start,
                         Texts *texts) {
    bool are_views = !strcmp(format, "vu");
    if (!are_views && strcmp(format, "u") && strcmp(format, "U")) return NOT_CLEAN;
    /* The buffers are: validity, offsets or views, then the bytes, or blocks and their sizes. */
    if (array->n_buffers < 3 || !array->buffers[1]) return NOT_CLEAN;
    texts->width = are_views ? VIEW : *format == 'u' ? 4 : 8;
    texts->at = (const char *)array->buffers[1] + start * texts->width;
    texts->bytes = array->buffers[2];
    texts->blocks = array->buffers + 2;
    texts->block_count = array->n_buffers - 3;
    texts->block_sizes = array->buffers[array->n_buffers - 1];
    return OK;
}

/* Whether the position of every row, in bytes, fits into 64 bits. */
static bool is_sound(const struct ArrowArray *array) {
    const int64_t most = INT64_MAX / VIEW - 1;
    return array->offset >= 0 && array->length >= 0 && array->length <= most &&
           array->offset <= most - array->length;
}

/* Open the rows of a column from `start` on, counted from the offset of the array. */
static Status open_column(const struct ArrowSchema *schema, const struct ArrowArray *array,
                          int64_t start, int64_t rows, Values *values) {
    if (!is_sound(array) || start > array->length || rows > array->length - start)
        return NOT_CLEAN;
    const char *format = schema->format;
    start += array->offset;
    *values = (Values){.kind = TEXTS};
    if (has_nulls(array, start, rows)) return NOT_CLEAN;
    if (schema->dictionary) {
        const struct ArrowArray *dictionary = array->dictionary;
        if (!dictionary || !is_sound(dictionary) ||
            has_nulls(dictionary, dictionary->offset, dictionary->length))
            return NOT_CLEAN;
        TRY(open_texts(schema->dictionary->format, dictionary, dictionary->offset,
                       &values->texts));
        values->kind = CODES;
        values->count = dictionary->length;
    } else if (open_texts(format, array, start, &values->texts) == OK) {
        return OK;
    } else {
        values->kind = NUMBERS;
    }
    return format[0] && !format[1] ? open_numbers(format[0], array, start, &values->numbers)
                                   : NOT_CLEAN;
}

static uint64_t bits_at(const Numbers *numbers, int64_t row) {
    const char *at = numbers->at + row * numbers->width;
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (numbers->width) {
    case 1: memcpy(&one, at, sizeof one); return one;
    case 2: memcpy(&two, at, sizeof two); return two;
    case 4: memcpy(&four, at, sizeof four); return four;
    default: memcpy(&eight, at, sizeof eight); return eight;
    }
}

/* Read a whole number; NOT_CLEAN if it is a float, or too large for 64 bits with a sign. */
static Status whole_at(const Numbers *numbers, int64_t row, int64_t *value) {
    uint64_t bits = bits_at(numbers, row);
    if (numbers->is_float) return NOT_CLEAN;
    if (!numbers->is_signed) {
        *value = (int64_t)bits;
        return bits > INT64_MAX ? NOT_CLEAN : OK;
    }
    switch (numbers->width) {
    case 1: *value = (int8_t)bits; break;
    case 2: *value = (int16_t)bits; break;
    case 4: *value = (int32_t)bits; break;
    default: *value = (int64_t)bits;
    }
    return OK;
}

/* Read a finite number. */
static Status number_at(const Values *values, int64_t row, double *value) {
    if (values->kind != NUMBERS) return NOT_CLEAN;
    if (!values->numbers.is_float) {
        int64_t whole;
        TRY(whole_at(&values->numbers, row, &whole));
        *value = (double)whole;
        return OK;
    }
    uint64_t bits = bits_at(&values->numbers, row);
    if (values->numbers.width == sizeof(float)) {
        uint32_t half = (uint32_t)bits;
        float single;
        memcpy(&single, &half, sizeof single);
        *value = (double)single;
    } else {
        memcpy(value, &bits, sizeof bits);
    }
    return isfinite(*value) ? OK : NOT_CLEAN;
}

static Status view_at(const Texts *texts, int64_t row, Text *text) {
    const char *view = texts->at + row * VIEW;
    int32_t size, block, offset;
    memcpy(&size, view, sizeof size);
    if (size < 1 || size > LONGEST_NAME) return NOT_CLEAN;
    *text = (Text){.at = view + 4, .size = (uint32_t)size};
    if (size <= INLINE) return OK;
    memcpy(&block, view + 8, sizeof block);
    memcpy(&offset, view + 12, sizeof offset);
    if (block < 0 || block >= texts->block_count || offset < 0 ||
        offset > texts->block_sizes[block] - size)
        return NOT_CLEAN;
    text->at = (const char *)texts->blocks[block] + offset;
    return OK;
}

static Status text_at(const Texts *texts, int64_t row, Text *text) {
    int64_t start, end;
    if (texts->width == VIEW) return view_at(texts, row, text);
    if (texts->width == 4) {
        int32_t ends[2];
        memcpy(ends, texts->at + row * 4, sizeof ends);
        start = ends[0], end = ends[1];
    } else {
        memcpy(&start, texts->at + row * 8, sizeof start);
        memcpy(&end, texts->at + row * 8 + 8, sizeof end);
    }
    if (start < 0 || end <= start || end - start > LONGEST_NAME || !texts->bytes) return NOT_CLEAN;
    *text = (Text){.at = texts->bytes + start, .size = (uint32_t)(end - start)};
    return OK;
}

/* Write a whole number in decimal, at the end of `digits`. */
static Text written(int64_t number, char digits[DIGITS]) {
    char *at = digits + DIGITS;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do *--at = (char)('0' + rest % 10);
    while (rest /= 10);
    if (number < 0) *--at = '-';
    return (Text){.at = at, .size = (uint32_t)(digits + DIGITS - at)};
}

/* Read a name; a number is written as text into `digits`. */
static Status name_at(const Values *values, int64_t row, char digits[DIGITS], Text *name) {
    if (values->kind == TEXTS) return text_at(&values->texts, row, name);
    int64_t whole;
    TRY(whole_at(&values->numbers, row, &whole));
    if (values->kind == CODES)
        return whole < 0 || whole >= values->count ? NOT_CLEAN
                                                   : text_at(&values->texts, whole, name);
    *name = written(whole, digits);
    return OK;
}

/* Open the column of a batch with this index. */
static Status open_child(const struct ArrowSchema *schema, const struct ArrowArray *batch,
                         int number, Values *values) {
    if (number >= schema->n_children || number >= batch->n_children) return NOT_CLEAN;
    return open_column(schema->children[number], batch->children[number], batch->offset,
                       batch->length, values);
}

static Status open_batch(const struct ArrowSchema *schema, const struct ArrowArray *batch) {
    if (strcmp(schema->format, "+s") || !is_sound(batch)) return NOT_CLEAN;
    return has_nulls(batch, batch->offset, batch->length) ? NOT_CLEAN : OK;
}

Status lookup_feed_rows(Lookup *lookup, const struct ArrowSchema *schema,
                        const struct ArrowArray *batch, RowColumns columns) {
    Values topics, documents, grades;
    char topic_digits[DIGITS], document_digits[DIGITS];
    TRY(open_batch(schema, batch));
    if (!batch->length) return OK;
    if (columns.topic < 0 || columns.document < 0) return NOT_CLEAN;
    TRY(open_child(schema, batch, columns.topic, &topics));
    TRY(open_child(schema, batch, columns.document, &documents));
    if (columns.value >= 0) TRY(open_child(schema, batch, columns.value, &grades));
    for (int64_t row = 0; row < batch->length; row++) {
        Text topic, document;
        int64_t grade = 0;
        TRY(name_at(&topics, row, topic_digits, &topic));
        TRY(name_at(&documents, row, document_digits, &document));
        if (columns.value >= 0) {
            if (grades.kind != NUMBERS) return NOT_CLEAN;
            TRY(whole_at(&grades.numbers, row, &grade));
        }
        TRY(lookup_add_row(lookup, topic, document, grade));
    }
    return OK;
}

Status reader_feed_rows(Reader *reader, const struct ArrowSchema *schema,
                        const struct ArrowArray *batch, RowColumns columns) {
    Values topics, documents, scores, ranks, tags;
    char digits[3][DIGITS];
    TRY(open_batch(schema, batch));
    if (!batch->length) return OK;
    if (columns.topic < 0 || columns.document < 0) return NOT_CLEAN;
    if (columns.value < 0 && columns.rank < 0) return NOT_CLEAN;
    TRY(open_child(schema, batch, columns.topic, &topics));
    TRY(open_child(schema, batch, columns.document, &documents));
    if (columns.value >= 0) TRY(open_child(schema, batch, columns.value, &scores));
    if (columns.rank >= 0) TRY(open_child(schema, batch, columns.rank, &ranks));
    if (columns.rank >= 0 && ranks.kind != NUMBERS) return NOT_CLEAN;
    if (columns.tag >= 0) TRY(open_child(schema, batch, columns.tag, &tags));
    RunRow line = {0};
    for (int64_t row = 0; row < batch->length && !reader->done; row++) {
        int64_t rank = 0;
        TRY(name_at(&topics, row, digits[0], &line.topic));
        TRY(name_at(&documents, row, digits[1], &line.document));
        if (columns.rank >= 0) TRY(whole_at(&ranks.numbers, row, &rank));
        if (rank > EXACT || rank < -EXACT) return NOT_CLEAN;
        line.rank = rank;
        line.score = -(double)rank;
        if (columns.value >= 0) TRY(number_at(&scores, row, &line.score));
        if (columns.tag >= 0) TRY(name_at(&tags, row, digits[2], &line.tag));
        TRY(reader_add_row(reader, &line));
    }
    return OK;
}

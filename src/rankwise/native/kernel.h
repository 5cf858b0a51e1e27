/* The text of a run and its judgments -> its judged rows; plain C11, nothing of Python.

   Only clean input is taken: complete lines of UTF-8, the right number of fields, finite
   numbers, no topic in two places, no document twice in a topic, few names whose hashes collide.
   On anything else a function says NOT_CLEAN and no more; the Python reader then does the work,
   and finds the words. */

#ifndef RANKWISE_KERNEL_H
#define RANKWISE_KERNEL_H

/* One more after every change of what the kernel reads or returns, here and in availability.py:
   a kernel built from other sources is not used. */
#define KERNEL_VERSION 2

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { OK, NOT_CLEAN, NO_MEMORY, NO_FIT } Status;

#define TRY(call)                      \
    do {                               \
        Status status_ = (call);       \
        if (status_ != OK) return status_; \
    } while (0)

typedef struct {
    const char *at;
    uint32_t size;
    uint32_t hash; /* of a name; 0 of what is not looked for */
} Text;

typedef struct {
    char *bytes;
    size_t size;
} Chunk;

/* Bytes that stay where they are until the arena is cleared. */
typedef struct {
    Chunk *chunks;
    size_t count, capacity, current, used;
} Arena;

/* Texts numbered from 0 in the order in which they were added: a hash table. */
typedef struct {
    Text *texts;
    uint64_t *slots; /* hash and number + 1, or 0 where a slot is free */
    uint32_t count, capacity, mask;
} Names;

/* Whole numbers, one for each row: of 32 bits, as what takes long here is to fetch memory. */
typedef struct {
    int32_t *values;
    size_t count, capacity;
} Column;

/* Documents of rankings: the topic of each, its rank, and the first and last rank of its tie. */
typedef struct {
    Column topic, rank, tie_first, tie_last;
} Rows;

/* A line that the end of a block has cut, and how far the input has been read. */
typedef struct {
    char *cut;
    size_t size, capacity;
    int64_t position; /* of the next line in the file */
} Lines;

/* Judgments by topic and document. Their rows are numbered as they came. */
typedef struct {
    Arena arena;
    Names topics;
    Names *documents; /* of each topic */
    Column *rows;     /* of each topic: the row of each document */
    Column topic, grade; /* of each row */
    uint32_t capacity;
    Lines lines;
    Text iteration; /* the second field of the first line */
} Lookup;

/* BY_SINGLE: scores are rounded to single precision, as trec_eval 9 holds them. */
typedef enum { BY_SCORE, BY_RANK, AS_FILED, BY_SINGLE } Order;

typedef struct {
    double value; /* what the ranking falls by */
    Text name;
    int32_t row; /* of the judgment, -1 where there is none */
} Retrieved;

/* One run, or one piece of it, read from blocks of any size. */
typedef struct {
    const Lookup *lookup;
    Order order;
    int64_t depth; /* rows below it are left out; 0: none is */
    bool all; /* unjudged documents of judged topics are wanted too, by name */
    Lines lines;
    /* A piece begins after the topic that its first whole line has, and ends with the topic
       of the line at `stop`: so pieces meet between topics. */
    bool in_cut_line, skipping;
    int64_t stop; /* -1: the end of the input */
    bool stopping, done;
    int fields; /* of each line; 0 before the first */
    Arena names; /* of topics and tags */
    Names unknown; /* topics without judgments */
    Text topic; /* that is being read; or, at the ends of a piece, left out */
    int64_t topic_number; /* -1 where it is unknown */
    Text first_topics[3];
    int topics;
    Text first_tag, last_tag;
    bool holds_self; /* of rows: a document is named like its topic */
    /* The documents of the topic that is being read. Whether one is there twice is looked into
       when the topic is closed: of judged ones by a mark for each judgment, of others in a hash
       table of their places, which is used again. */
    Arena arena;
    Retrieved *retrieved;
    size_t count, capacity;
    bool are_keys; /* of a dictionary: none is there twice */
    uint8_t *seen; /* for each judgment: whether its document was read */
    uint64_t *slots;
    size_t slots_capacity;
    /* What comes out: the judged documents, with the row of each judgment, the unjudged ones
       with their names, each followed by a line end, and the length of each topic. */
    Rows judged, unjudged;
    Column row;
    char *unjudged_names;
    size_t names_size, names_capacity;
    int32_t *length;
} Reader;

/* Call it once, before the first name is hashed, with a random number: whoever knows the seed can
   choose names that collide. Nothing that is read depends on it. */
void kernel_seed(uint64_t seed);

void lookup_start(Lookup *lookup);
Status lookup_add(Lookup *lookup, Text topic, Text document, int64_t grade);
/* The same of names that may not be UTF-8, and of a grade that may not fit. */
Status lookup_add_row(Lookup *lookup, Text topic, Text document, int64_t grade);
Status lookup_feed(Lookup *lookup, const char *block, size_t size);
Status lookup_finish(Lookup *lookup);
/* The document of each row; NOT_CLEAN where a name has a line end, as keys of a dictionary may. */
Status lookup_names(const Lookup *lookup, Text *documents);
void lookup_free(Lookup *lookup);

Status reader_start(Reader *reader, const Lookup *lookup, Order order, int64_t depth, bool all,
                    int64_t start, int64_t stop);
Status reader_open_topic(Reader *reader, Text topic);
/* A key of a dictionary: no other is equal, and its bytes stay until the topic is closed. */
Status reader_add_key(Reader *reader, Text document, double value);
/* A row of a table: its tag is that of all rows, and may be missing. */
typedef struct {
    Text topic, document, tag;
    double score;
    int64_t rank;
} RunRow;

/* Where the reader is of a piece, `start` and `stop` are numbers of rows; see `reader_by_rows`. */
Status reader_add_row(Reader *reader, const RunRow *row);
/* Make ready for rows: the first is one that begins, not one that the start has cut. */
void reader_by_rows(Reader *reader);
/* Put the topic in order, and write down its judged documents. */
Status reader_close_topic(Reader *reader);
Status reader_feed(Reader *reader, const char *block, size_t size);
Status reader_finish(Reader *reader);
void reader_free(Reader *reader);

/* Names, each followed by a line end, and the topic of each. */
typedef struct {
    const int32_t *topic;
    size_t rows;
    const char *names;
    size_t size;
    int32_t *number; /* where to write the number of each name; NULL if they are only counted */
} NameList;

/* How many different names each topic has, over all lists. NO_FIT: a list has not as many names as
   topics, or a topic that is not there. */
Status count_distinct(const NameList *lists, size_t count, uint32_t topics, int32_t *found);

/* Different names, each followed by a line end; free `names` in any case. */
typedef struct {
    char *names;
    size_t size, capacity;
    size_t count;
} NumberedNames;

/* As `count_distinct`; every list has room for its numbers. Names are numbered from 0, topic by
   topic, as they come or sorted by their bytes, and are found in that order. */
Status number_names(const NameList *lists, size_t count, uint32_t topics, bool sort,
                    int32_t *distinct, NumberedNames *found);

#endif

/* Join of the text of a run with judgments. Plain C11, without Python.

   Only clean input is accepted: complete lines of UTF-8, the right number of fields, finite
   numbers, no topic in two places of a run, no duplicate document in a topic, and few names whose
   hashes collide. For other input a function returns NOT_CLEAN without a reason. The Python reader
   then reads the input and reports its faults. */

#ifndef RANKWISE_KERNEL_H
#define RANKWISE_KERNEL_H

/* A kernel with another version is not used. Increase the version, here and in availability.py,
   after each change of the arguments or the results of the kernel. */
#define KERNEL_VERSION 3

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
    uint32_t hash; /* 0 for a text that is never looked up */
} Text;

typedef struct {
    char *bytes;
    size_t size;
} Chunk;

/* Memory for texts, whose addresses stay valid until the arena is cleared. */
typedef struct {
    Chunk *chunks;
    size_t count, capacity, current, used;
} Arena;

/* A hash table of texts, which are numbered from 0 in the order in which they were added. */
typedef struct {
    Text *texts;
    uint64_t *slots; /* hash and number + 1; 0 for a free slot */
    uint32_t count, capacity, mask;
} Names;

/* Whole numbers, one for each row. They have 32 bits, because fetching memory takes most time. */
typedef struct {
    int32_t *values;
    size_t count, capacity;
} Column;

/* Retrieved documents: topic, rank, and first and last rank of the tie of each document. */
typedef struct {
    Column topic, rank, tie_first, tie_last;
} Rows;

/* The start of a line that continues in the next block, and how far the input has been read. */
typedef struct {
    char *cut;
    size_t size, capacity;
    int64_t position; /* position of the next line in the file, in bytes */
} Lines;

/* Judgments by topic and document. Rows are numbered in the order of the input. */
typedef struct {
    Arena arena;
    Names topics;
    Names *documents; /* for each topic, its documents */
    Column *rows;     /* for each topic, the row of each document */
    Column topic, grade; /* for each row */
    uint32_t capacity;
    Lines lines;
    Text iteration; /* the second field of the first line */
} Lookup;

/* BY_SINGLE: scores are rounded to single precision, as in trec_eval 9. */
typedef enum { BY_SCORE, BY_RANK, AS_FILED, BY_SINGLE } Order;

typedef struct {
    double value; /* documents are ranked by decreasing values */
    Text name;
    int32_t row; /* row of the judgment; -1 for an unjudged document */
} Retrieved;

/* One run, or one piece of it, read from blocks of any size. */
typedef struct {
    const Lookup *lookup;
    Order order;
    int64_t depth; /* documents below this rank are excluded; 0: no limit */
    bool all; /* also return the names of the unjudged documents of judged topics */
    Lines lines;
    /* A piece begins after the topic of its first complete line, and ends with the last line of the
       topic of the line at `stop`. Pieces therefore meet between topics. */
    bool in_cut_line, skipping;
    int64_t stop; /* -1: the end of the input */
    bool stopping, done;
    int fields; /* number of fields of each line; 0 before the first line */
    Arena names; /* memory for topics and tags */
    Names unknown; /* topics without judgments */
    Text topic; /* current topic, or the topic that is skipped at the start of a piece */
    int64_t topic_number; /* -1 for a topic without judgments */
    Text first_topics[3];
    int topics;
    Text first_tag, last_tag;
    bool holds_self; /* whether a document is named like its topic; known for tables only */
    /* The documents of the current topic. Duplicates are searched when the topic is closed: `seen`
       marks the judgments of judged documents, and `slots` is a hash table of unjudged documents,
       reused for each topic. */
    Arena arena;
    Retrieved *retrieved;
    size_t count, capacity;
    bool are_keys; /* whether documents are keys of a dictionary, without duplicates */
    uint8_t *seen; /* for each judgment: whether its document was read */
    uint64_t *slots;
    size_t slots_capacity;
    /* The results: the judged documents with the row of each judgment; the unjudged documents with
       their names, each followed by a line end; the number of documents of each topic. */
    Rows judged, unjudged;
    Column row;
    char *unjudged_names;
    size_t names_size, names_capacity;
    int32_t *length;
} Reader;

/* Set the seed of the hashes, once and before the first name is hashed. The seed must be random,
   because names that collide can be chosen for a known seed. Results do not depend on the seed. */
void kernel_seed(uint64_t seed);

void lookup_start(Lookup *lookup);
Status lookup_add(Lookup *lookup, Text topic, Text document, int64_t grade);
/* Like `lookup_add`, but check that the names are UTF-8 and that the grade has 32 bits. */
Status lookup_add_row(Lookup *lookup, Text topic, Text document, int64_t grade);
Status lookup_feed(Lookup *lookup, const char *block, size_t size);
Status lookup_finish(Lookup *lookup);
/* Write the document of each row to an array; NOT_CLEAN if a name has a line end. */
Status lookup_names(const Lookup *lookup, Text *documents);
void lookup_free(Lookup *lookup);

Status reader_start(Reader *reader, const Lookup *lookup, Order order, int64_t depth, bool all,
                    int64_t start, int64_t stop);
Status reader_open_topic(Reader *reader, Text topic);
/* Add a document that is a key of a dictionary. Keys are distinct, and their bytes must stay valid
   until the topic is closed. */
Status reader_add_key(Reader *reader, Text document, double value);
/* A row of a table. All rows must have the same tag, or none. */
typedef struct {
    Text topic, document, tag;
    double score;
    int64_t rank;
} RunRow;

/* Add a row, after a call of `reader_by_rows`. `start` and `stop` of a piece are numbers of rows. */
Status reader_add_row(Reader *reader, const RunRow *row);
/* Prepare for rows. The first row is complete, unlike the first line of a piece of text. */
void reader_by_rows(Reader *reader);
/* Rank the documents of the current topic, and append the judged documents to the results. */
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
    int32_t *number; /* where to write the number of each name; NULL if names are only counted */
} NameList;

/* Count the distinct names of each topic over all lists. NO_FIT: a list has different numbers of
   names and topics, or a topic number is out of range. */
Status count_distinct(const NameList *lists, size_t count, uint32_t topics, int32_t *found);

/* Distinct names, each followed by a line end. The caller frees `names`, also after an error. */
typedef struct {
    char *names;
    size_t size, capacity;
    size_t count;
} NumberedNames;

/* Count the names like `count_distinct`, and write their numbers to the lists. Names are numbered
   from 0, topic by topic, in the order of first occurrence or, with `sort`, sorted by their bytes.
   `found` has the names in this order. */
Status number_names(const NameList *lists, size_t count, uint32_t topics, bool sort,
                    int32_t *distinct, NumberedNames *found);

#endif

/* Rows of Arrow's C data interface for the kernel: topics, documents and scores, without a copy.
   Plain C11.

   Names are texts with offsets of 32 or 64 bits, text views, dictionaries of such texts, or whole
   numbers, which are written in decimal. Scores are numbers. A null, an empty name or any other
   type is NOT_CLEAN: the Python reader then reads the rows. The interface does not give the sizes
   of the buffers of offsets: like every consumer of Arrow, the kernel trusts the producer. */

#ifndef RANKWISE_ARROW_H
#define RANKWISE_ARROW_H

#include "kernel.h"

/* https://arrow.apache.org/docs/format/CDataInterface.html */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

/* The number of each column among the children of a batch; -1 for a missing column. */
typedef struct {
    int topic, document, value; /* the score of a run, the grade of judgments */
    int rank, tag;
} RowColumns;

Status lookup_feed_rows(Lookup *lookup, const struct ArrowSchema *schema,
                        const struct ArrowArray *batch, RowColumns columns);
/* Without a column of scores, the score is the negative rank. */
Status reader_feed_rows(Reader *reader, const struct ArrowSchema *schema,
                        const struct ArrowArray *batch, RowColumns columns);

#endif

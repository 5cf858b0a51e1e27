/* The kernel as a Python module, against the stable ABI: one build for all Pythons from 3.11. */

#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#ifdef _WIN32
#include <io.h>
#define read _read
#else
#include <unistd.h>
#endif

#include "arrow.h"
#include "kernel.h"

enum { BLOCK = 1 << 18 }; /* fits the cache of a core */

typedef struct {
    PyObject_HEAD Lookup lookup;
    bool clean, busy, finished;
} LookupObject;

typedef struct {
    PyObject_HEAD Reader reader;
    PyObject *lookup; /* keeps it alive */
    bool clean, busy;
} ReaderObject;

/* Return whether all input was clean so far. Input is not clean after an error of memory. */
static PyObject *answer(Status status, bool *clean) {
    *clean = *clean && status == OK;
    return status == NO_MEMORY ? PyErr_NoMemory() : PyBool_FromLong(*clean);
}

/* Whether no other thread uses the object, which is possible while the interpreter lock is
   released. If another thread does, set an error. */
static bool is_free(bool busy) {
    if (busy) PyErr_SetString(PyExc_ValueError, "another thread is using this object");
    return !busy;
}

/* Read a block of bytes; the interpreter lock is released meanwhile. */
#define FEED(object, part, function)                                       \
    Py_buffer block;                                                       \
    if (PyObject_GetBuffer(argument, &block, PyBUF_SIMPLE) < 0) return NULL; \
    Status status = NOT_CLEAN;                                             \
    (object)->busy = true;                                                 \
    Py_BEGIN_ALLOW_THREADS                                                 \
    if ((object)->clean)                                                   \
        status = function(&(object)->part, block.buf, (size_t)block.len);  \
    Py_END_ALLOW_THREADS                                                   \
    (object)->busy = false;                                                \
    PyBuffer_Release(&block);                                              \
    return answer(status, &(object)->clean)

/* Read a name, which is nonempty text; its bytes live as long as the object. */
static Status text_of(PyObject *object, Text *text) {
    if (!PyUnicode_CheckExact(object)) return NOT_CLEAN;
    Py_ssize_t size;
    text->at = PyUnicode_AsUTF8AndSize(object, &size);
    if (!text->at) {
        PyErr_Clear(); /* half of a surrogate pair */
        return NOT_CLEAN;
    }
    if (size < 1 || size > 1 << 20) return NOT_CLEAN;
    text->size = (uint32_t)size;
    return OK;
}

static PyObject *string_of(Text text) {
    if (!text.at) Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text.at, (Py_ssize_t)text.size, NULL);
}

static PyObject *strings_of(const Text *texts, size_t count) {
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t place = 0; list && place < count; place++) {
        PyObject *text = string_of(texts[place]);
        if (!text) {
            Py_DECREF(list);
            return NULL;
        }
        PyList_SetItem(list, (Py_ssize_t)place, text);
    }
    return list;
}

static PyObject *bytes_of(const int32_t *values, size_t count) {
    return PyBytes_FromStringAndSize((const char *)values,
                                     (Py_ssize_t)(count * sizeof *values));
}

static PyObject *rows_of(const Rows *rows) {
    size_t count = rows->topic.count;
    return Py_BuildValue("NNNN", bytes_of(rows->topic.values, count),
                         bytes_of(rows->rank.values, count),
                         bytes_of(rows->tie_first.values, count),
                         bytes_of(rows->tie_last.values, count));
}

/* ---- streams of Arrow ---- */

/* Return the stream of a capsule, which stays its owner; NULL with an error without a stream. */
static struct ArrowArrayStream *stream_of(PyObject *capsule) {
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (stream && !stream->release) {
        PyErr_SetString(PyExc_ValueError, "the stream was read before");
        return NULL;
    }
    return stream;
}

/* Feed the batches of a stream to a lookup, or to a reader until its piece is complete. An error of
   the stream is not reported here, because polars reads the rows again and reports it. */
static Status feed_stream(struct ArrowArrayStream *stream, Lookup *lookup, Reader *reader,
                          RowColumns columns) {
    struct ArrowSchema schema = {0};
    if (stream->get_schema(stream, &schema)) return NOT_CLEAN;
    Status status = OK;
    while (status == OK && !(reader && reader->done)) {
        struct ArrowArray batch = {0};
        if (stream->get_next(stream, &batch)) status = NOT_CLEAN;
        if (status != OK || !batch.release) break;
        status = reader ? reader_feed_rows(reader, &schema, &batch, columns)
                        : lookup_feed_rows(lookup, &schema, &batch, columns);
        batch.release(&batch);
    }
    if (schema.release) schema.release(&schema);
    return status;
}

static PyObject *new_object(PyTypeObject *type) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    return allocate(type, 0);
}

static void free_object(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

/* ---- Lookup ---- */

static PyObject *lookup_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    if (!PyArg_ParseTuple(arguments, "") || keywords) return NULL;
    LookupObject *self = (LookupObject *)new_object(type);
    if (!self) return NULL;
    lookup_start(&self->lookup);
    self->clean = true;
    return (PyObject *)self;
}

static void lookup_dealloc(PyObject *self) {
    lookup_free(&((LookupObject *)self)->lookup);
    free_object(self);
}

/* Whether a lookup accepts more judgments. A finished lookup does not, because readers share it. */
static bool is_open(PyObject *self) {
    if (!is_free(((LookupObject *)self)->busy)) return false;
    if (!((LookupObject *)self)->finished) return true;
    PyErr_SetString(PyExc_ValueError, "the lookup is finished");
    return false;
}

static PyObject *lookup_feed_block(PyObject *self, PyObject *argument) {
    if (!is_open(self)) return NULL;
    FEED((LookupObject *)self, lookup, lookup_feed);
}

static Status take_grades(Lookup *lookup, Text topic, PyObject *documents) {
    PyObject *name, *value;
    Py_ssize_t place = 0;
    while (PyDict_Next(documents, &place, &name, &value)) {
        Text document;
        int overflow = 0;
        Status status = text_of(name, &document);
        if (status != OK) return status;
        if (!PyLong_CheckExact(value)) return NOT_CLEAN;
        int64_t grade = PyLong_AsLongLongAndOverflow(value, &overflow);
        if (overflow || grade < INT32_MIN || grade > INT32_MAX) return NOT_CLEAN;
        status = lookup_add(lookup, topic, document, grade);
        if (status != OK) return status;
    }
    return OK;
}

/* Read {topic: {document: grade}}. */
static PyObject *lookup_take_dict(PyObject *self, PyObject *argument) {
    LookupObject *object = (LookupObject *)self;
    PyObject *name, *documents;
    Py_ssize_t place = 0;
    if (!is_open(self)) return NULL;
    Status status = PyDict_CheckExact(argument) ? OK : NOT_CLEAN;
    while (status == OK && PyDict_Next(argument, &place, &name, &documents)) {
        Text topic;
        status = PyDict_CheckExact(documents) ? text_of(name, &topic) : NOT_CLEAN;
        if (status == OK) status = take_grades(&object->lookup, topic, documents);
    }
    return answer(status, &object->clean);
}

/* Read a stream of Arrow in its capsule; the arguments have the number of each column. */
static PyObject *lookup_take_rows(PyObject *self, PyObject *arguments) {
    LookupObject *object = (LookupObject *)self;
    PyObject *capsule;
    RowColumns columns = {.rank = -1, .tag = -1};
    if (!is_open(self)) return NULL;
    if (!PyArg_ParseTuple(arguments, "Oiii", &capsule, &columns.topic, &columns.document,
                          &columns.value))
        return NULL;
    struct ArrowArrayStream *stream = stream_of(capsule);
    if (!stream) return NULL;
    Status status = NOT_CLEAN;
    object->busy = true;
    Py_BEGIN_ALLOW_THREADS
    if (object->clean) status = feed_stream(stream, &object->lookup, NULL, columns);
    Py_END_ALLOW_THREADS
    object->busy = false;
    return answer(status, &object->clean);
}

/* Return None if the judgments were not clean. If they were, return the topics in the order of
   first occurrence, and the topic and grade of each row. */
static PyObject *lookup_finished(PyObject *self, PyObject *unused) {
    (void)unused;
    LookupObject *object = (LookupObject *)self;
    Lookup *lookup = &object->lookup;
    if (!is_free(object->busy)) return NULL;
    Status status = object->finished || !object->clean ? OK : lookup_finish(lookup);
    object->finished = true;
    object->clean = object->clean && status == OK;
    if (status == NO_MEMORY) return PyErr_NoMemory();
    if (!object->clean) Py_RETURN_NONE;
    return Py_BuildValue("NNN", strings_of(lookup->topics.texts, lookup->topics.count),
                         bytes_of(lookup->topic.values, lookup->topic.count),
                         bytes_of(lookup->grade.values, lookup->grade.count));
}

static bool is_ready(PyObject *lookup) {
    const LookupObject *object = (const LookupObject *)lookup;
    if (object->finished && object->clean) return true;
    const char *what = object->finished ? "the lookup is not clean" : "the lookup is not finished";
    PyErr_SetString(PyExc_ValueError, what);
    return false;
}

/* Return the document of each row, each with a line end; None if a name itself has a line end. */
static PyObject *lookup_documents(PyObject *self, PyObject *unused) {
    (void)unused;
    if (!is_ready(self)) return NULL;
    const Lookup *lookup = &((LookupObject *)self)->lookup;
    size_t count = lookup->topic.count, size = count;
    Text *names = calloc(count + 1, sizeof *names);
    if (!names) return PyErr_NoMemory();
    if (lookup_names(lookup, names) != OK) {
        free(names);
        Py_RETURN_NONE;
    }
    for (size_t row = 0; row < count; row++) size += names[row].size;
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    char *at = bytes ? PyBytes_AsString(bytes) : NULL;
    for (size_t row = 0; at && row < count; row++) {
        memcpy(at, names[row].at, names[row].size);
        at += names[row].size;
        *at++ = '\n';
    }
    free(names);
    return bytes;
}

static PyMethodDef LOOKUP_METHODS[] = {
    {"feed", lookup_feed_block, METH_O, "Read a block of qrels; return whether it is clean."},
    {"take_dict", lookup_take_dict, METH_O,
     "Read {topic: {document: grade}}; return whether it is clean."},
    {"take_rows", lookup_take_rows, METH_VARARGS,
     "Read an Arrow stream; return whether it is clean."},
    {"finish", lookup_finished, METH_NOARGS,
     "Return the topics, and the topic and the grade of each row; None if not clean."},
    {"names", lookup_documents, METH_NOARGS,
     "Return the document of each row, each with a line end."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot LOOKUP_SLOTS[] = {
    {Py_tp_doc, "Judgments by topic and document."},
    {Py_tp_new, lookup_new},
    {Py_tp_dealloc, lookup_dealloc},
    {Py_tp_methods, LOOKUP_METHODS},
    {0, NULL},
};

static PyType_Spec LOOKUP_SPEC = {
    "rankwise.native._kernel.Lookup", sizeof(LookupObject), 0, Py_TPFLAGS_DEFAULT, LOOKUP_SLOTS,
};

/* ---- Reader ---- */

static PyTypeObject *lookup_type; /* of the only instance of this module */

static PyObject *reader_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    PyObject *lookup;
    int order, all;
    long long depth, start, stop;
    if (keywords || !PyArg_ParseTuple(arguments, "O!iLpLL", lookup_type, &lookup, &order, &depth,
                                      &all, &start, &stop))
        return NULL;
    if (!is_ready(lookup)) return NULL;
    if (order < BY_SCORE || order > BY_SINGLE)
        return PyErr_Format(PyExc_ValueError, "there is no order %d", order);
    ReaderObject *self = (ReaderObject *)new_object(type);
    if (!self) return NULL;
    Py_INCREF(lookup);
    self->lookup = lookup;
    self->clean = true;
    if (reader_start(&self->reader, &((LookupObject *)lookup)->lookup, (Order)order, depth, all,
                     start, stop) != OK) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void reader_dealloc(PyObject *self) {
    reader_free(&((ReaderObject *)self)->reader);
    Py_XDECREF(((ReaderObject *)self)->lookup);
    free_object(self);
}

static PyObject *reader_feed_block(PyObject *self, PyObject *argument) {
    if (!is_free(((ReaderObject *)self)->busy)) return NULL;
    FEED((ReaderObject *)self, reader, reader_feed);
}

/* Read to the end of the piece; return -1 for a system error, with the cause in `errno`. */
static int read_blocks(Reader *reader, int file, char *block, Status *status) {
    while (*status == OK && !reader->done) {
        long long size = read(file, block, BLOCK);
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return (int)size;
        *status = reader_feed(reader, block, (size_t)size);
    }
    return 0;
}

/* Read a file from its current position; the interpreter lock is released for the whole call. */
static PyObject *reader_read_file(PyObject *self, PyObject *argument) {
    ReaderObject *object = (ReaderObject *)self;
    long file = PyLong_AsLong(argument);
    if ((file == -1 && PyErr_Occurred()) || !is_free(object->busy)) return NULL;
    char *block = malloc(BLOCK);
    if (!block) return PyErr_NoMemory();
    Status status = object->clean ? OK : NOT_CLEAN;
    int failed;
    object->busy = true;
    Py_BEGIN_ALLOW_THREADS
    failed = read_blocks(&object->reader, (int)file, block, &status);
    Py_END_ALLOW_THREADS
    object->busy = false;
    int cause = errno;
    free(block);
    errno = cause;
    if (failed) return PyErr_SetFromErrno(PyExc_OSError);
    return answer(status, &object->clean);
}

static Status take_scores(Reader *reader, PyObject *documents) {
    PyObject *name, *value;
    Py_ssize_t place = 0;
    while (PyDict_Next(documents, &place, &name, &value)) {
        Text document;
        Status status = text_of(name, &document);
        if (status != OK) return status;
        if (!PyFloat_Check(value) && !PyLong_CheckExact(value)) return NOT_CLEAN;
        double score = PyFloat_AsDouble(value);
        if (PyErr_Occurred()) PyErr_Clear(), score = NAN; /* a whole number that is too large */
        if (!isfinite(score)) return NOT_CLEAN;
        if (reader->order == AS_FILED) score = -(double)reader->count;
        if (reader->order == BY_SINGLE) score = (double)(float)score;
        if (!isfinite(score)) return NOT_CLEAN;
        status = reader_add_key(reader, document, score);
        if (status != OK) return status;
    }
    return OK;
}

/* Read {topic: {document: score}}. */
static PyObject *reader_take_dict(PyObject *self, PyObject *argument) {
    ReaderObject *object = (ReaderObject *)self;
    PyObject *name, *documents;
    Py_ssize_t place = 0;
    if (!is_free(object->busy)) return NULL;
    Status status = PyDict_CheckExact(argument) ? OK : NOT_CLEAN;
    while (status == OK && PyDict_Next(argument, &place, &name, &documents)) {
        Text topic;
        status = PyDict_CheckExact(documents) ? text_of(name, &topic) : NOT_CLEAN;
        if (status != OK || !PyDict_Size(documents)) continue;
        status = reader_open_topic(&object->reader, topic);
        if (status == OK) status = take_scores(&object->reader, documents);
    }
    if (status == OK) status = reader_close_topic(&object->reader);
    return answer(status, &object->clean);
}

/* Read a stream of Arrow in its capsule; the arguments have the number of each column, -1 for a
   missing one. The piece of the reader is counted in rows; the stream has the rows that follow. */
static PyObject *reader_take_rows(PyObject *self, PyObject *arguments) {
    ReaderObject *object = (ReaderObject *)self;
    PyObject *capsule;
    RowColumns columns;
    if (!PyArg_ParseTuple(arguments, "Oiiiii", &capsule, &columns.topic, &columns.document,
                          &columns.value, &columns.rank, &columns.tag))
        return NULL;
    struct ArrowArrayStream *stream = stream_of(capsule);
    if (!stream || !is_free(object->busy)) return NULL;
    Status status = NOT_CLEAN;
    reader_by_rows(&object->reader);
    object->busy = true;
    Py_BEGIN_ALLOW_THREADS
    if (object->clean) status = feed_stream(stream, NULL, &object->reader, columns);
    Py_END_ALLOW_THREADS
    object->busy = false;
    return answer(status, &object->clean);
}

/* Return whether the piece of the reader is complete. */
static PyObject *reader_is_done(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyBool_FromLong(((ReaderObject *)self)->reader.done);
}

/* Return None if the run was not clean, otherwise the tuple that `native/_kernel.pyi` declares. */
static PyObject *reader_finished(PyObject *self, PyObject *unused) {
    (void)unused;
    ReaderObject *object = (ReaderObject *)self;
    Reader *reader = &object->reader;
    Status status = NOT_CLEAN;
    if (!is_free(object->busy)) return NULL;
    object->busy = true;
    Py_BEGIN_ALLOW_THREADS
    if (object->clean) status = reader_finish(reader);
    Py_END_ALLOW_THREADS
    object->busy = false;
    object->clean = status == OK;
    if (status == NO_MEMORY) return PyErr_NoMemory();
    if (!object->clean) Py_RETURN_NONE;
    return Py_BuildValue(
        "NNNNNNNiNNN", rows_of(&reader->judged), bytes_of(reader->row.values, reader->row.count),
        rows_of(&reader->unjudged),
        PyBytes_FromStringAndSize(reader->unjudged_names, (Py_ssize_t)reader->names_size),
        bytes_of(reader->length, reader->lookup->topics.count),
        strings_of(reader->unknown.texts, reader->unknown.count),
        strings_of(reader->first_topics, (size_t)reader->topics), reader->fields,
        string_of(reader->first_tag), string_of(reader->last_tag),
        PyBool_FromLong(reader->holds_self));
}

static PyMethodDef READER_METHODS[] = {
    {"feed", reader_feed_block, METH_O, "Read a block of a run; return whether it is clean."},
    {"read_file", reader_read_file, METH_O,
     "Read an open file to the end of the piece; return whether it is clean."},
    {"take_dict", reader_take_dict, METH_O,
     "Read {topic: {document: score}}; return whether it is clean."},
    {"take_rows", reader_take_rows, METH_VARARGS,
     "Read an Arrow stream; return whether it is clean."},
    {"is_done", reader_is_done, METH_NOARGS, "Return whether the piece is complete."},
    {"finish", reader_finished, METH_NOARGS, "Return the columns of the join; None if not clean."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot READER_SLOTS[] = {
    {Py_tp_doc, "Reader(lookup, order, depth, all, start, stop): a run, or a piece of it."},
    {Py_tp_new, reader_new},
    {Py_tp_dealloc, reader_dealloc},
    {Py_tp_methods, READER_METHODS},
    {0, NULL},
};

static PyType_Spec READER_SPEC = {
    "rankwise.native._kernel.Reader", sizeof(ReaderObject), 0, Py_TPFLAGS_DEFAULT, READER_SLOTS,
};

/* ---- the module ---- */

/* Read the bytes of each pair (topics, names) of a tuple, which keeps them; false with an error. */
static bool take_lists_of_names(PyObject *given, NameList *lists) {
    for (Py_ssize_t place = 0; place < PyTuple_Size(given); place++) {
        char *topic, *names;
        Py_ssize_t topic_size, names_size;
        PyObject *pair = PyTuple_GetItem(given, place);
        if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2) {
            PyErr_SetString(PyExc_TypeError, "lists must be pairs (topics, names)");
            return false;
        }
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(pair, 0), &topic, &topic_size) < 0) return false;
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(pair, 1), &names, &names_size) < 0) return false;
        if ((size_t)topic_size % sizeof(int32_t)) { /* the contents of bytes are aligned */
            PyErr_SetString(PyExc_ValueError, "topics must be whole numbers of 32 bits");
            return false;
        }
        lists[place] = (NameList){(const int32_t *)(const void *)topic,
                                  (size_t)topic_size / sizeof(int32_t), names, (size_t)names_size,
                                  NULL};
    }
    return true;
}

/* Return a tuple of bytes objects, into which the numbers of the names of each list are written. */
static PyObject *room_for_numbers(NameList *lists, size_t count) {
    PyObject *numbers = PyTuple_New((Py_ssize_t)count);
    for (size_t place = 0; numbers && place < count; place++) {
        Py_ssize_t size = (Py_ssize_t)(lists[place].rows * sizeof(int32_t));
        PyObject *bytes = PyBytes_FromStringAndSize(NULL, size);
        if (!bytes) {
            Py_CLEAR(numbers);
            break;
        }
        lists[place].number = (int32_t *)(void *)PyBytes_AsString(bytes);
        PyTuple_SetItem(numbers, (Py_ssize_t)place, bytes);
    }
    return numbers;
}

/* Read the arguments of a call: the lists, the number of topics and, in one format, whether to sort
   names. NULL with an error if they are invalid. */
static NameList *lists_of_call(PyObject *arguments, const char *format, PyObject **given,
                               int *topics, int *sort) {
    if (!PyArg_ParseTuple(arguments, format, given, topics, sort)) return NULL;
    if (*topics < 0) return PyErr_SetString(PyExc_ValueError, "topics must be 0 or more"), NULL;
    *given = PySequence_Tuple(*given);
    if (!*given) return NULL;
    NameList *lists = calloc((size_t)PyTuple_Size(*given) + 1, sizeof *lists);
    if (lists && take_lists_of_names(*given, lists)) return lists;
    if (!lists) PyErr_NoMemory();
    free(lists);
    Py_DECREF(*given);
    return NULL;
}

/* Return None if the hashes of too many names collide; raise an error for any other status. */
static PyObject *without_names(Status status) {
    if (status == NOT_CLEAN) return Py_NewRef(Py_None);
    if (status == NO_MEMORY) return PyErr_NoMemory();
    return PyErr_SetString(PyExc_ValueError, "topics and names do not fit"), NULL;
}

/* Return the counts of the topics; None if the hashes of too many names collide. */
static PyObject *distinct_names(PyObject *self, PyObject *arguments) {
    (void)self;
    PyObject *given, *result = NULL;
    int topics;
    NameList *lists = lists_of_call(arguments, "Oi", &given, &topics, NULL);
    if (!lists) return NULL;
    int32_t *distinct = calloc((size_t)topics + 1, sizeof *distinct);
    Status status = NO_MEMORY;
    size_t count = (size_t)PyTuple_Size(given);
    if (distinct) {
        Py_BEGIN_ALLOW_THREADS
        status = count_distinct(lists, count, (uint32_t)topics, distinct);
        Py_END_ALLOW_THREADS
    }
    result = status == OK ? bytes_of(distinct, (size_t)topics) : without_names(status);
    free(lists);
    free(distinct);
    Py_DECREF(given);
    return result;
}

/* Return the counts of the topics, the numbers of the names of each list, and the distinct names,
   sorted or in the order of first occurrence; None if the hashes of too many names collide. */
static PyObject *numbered_names(PyObject *self, PyObject *arguments) {
    (void)self;
    PyObject *given, *result = NULL;
    int topics, sort;
    NameList *lists = lists_of_call(arguments, "Oip", &given, &topics, &sort);
    if (!lists) return NULL;
    NumberedNames found = {0};
    size_t count = (size_t)PyTuple_Size(given);
    int32_t *distinct = calloc((size_t)topics + 1, sizeof *distinct);
    PyObject *numbers = room_for_numbers(lists, count);
    Status status = NO_MEMORY;
    if (distinct && numbers) {
        Py_BEGIN_ALLOW_THREADS
        status = number_names(lists, count, (uint32_t)topics, sort != 0, distinct, &found);
        Py_END_ALLOW_THREADS
    }
    if (status == OK)
        result = Py_BuildValue(
            "NON", bytes_of(distinct, (size_t)topics), numbers,
            PyBytes_FromStringAndSize(found.names ? found.names : "", (Py_ssize_t)found.size));
    else if (!PyErr_Occurred())
        result = without_names(status);
    Py_XDECREF(numbers);
    free(found.names);
    free(lists);
    free(distinct);
    Py_DECREF(given);
    return result;
}

static PyObject *release_memory(PyObject *self, PyObject *none) {
    (void)self;
    (void)none;
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    Py_RETURN_NONE;
}

static PyMethodDef FUNCTIONS[] = {
    {"release_memory", release_memory, METH_NOARGS,
     "Return freed memory to the operating system; no effect without glibc."},
    {"distinct_names", distinct_names, METH_VARARGS,
     "Return the number of distinct names of each topic, over lists of (topics, names)."},
    {"number_names", numbered_names, METH_VARARGS,
     "Return the counts of distinct_names, the number of each name, and the distinct names."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "rankwise.native._kernel", "The C kernel.", -1, FUNCTIONS, NULL, NULL,
    NULL, NULL,
};

/* Tests fix the seed, to choose names that collide. */
#ifdef HASH_SEED
static bool seed_hashes(void) {
    kernel_seed(HASH_SEED);
    return true;
}
#else
static bool seed_hashes(void) {
    PyObject *os = PyImport_ImportModule("os");
    PyObject *bytes = os ? PyObject_CallMethod(os, "urandom", "i", (int)sizeof(uint64_t)) : NULL;
    Py_XDECREF(os);
    const char *at = bytes ? PyBytes_AsString(bytes) : NULL;
    uint64_t seed = 0;
    if (at) memcpy(&seed, at, sizeof seed);
    kernel_seed(seed);
    Py_XDECREF(bytes);
    return at != NULL;
}
#endif

PyMODINIT_FUNC PyInit__kernel(void) {
    if (!seed_hashes()) return NULL;
    PyObject *module = PyModule_Create(&MODULE);
    if (!module) return NULL;
    PyObject *lookup = PyType_FromSpec(&LOOKUP_SPEC), *reader = PyType_FromSpec(&READER_SPEC);
    if (!lookup || !reader || PyModule_AddObjectRef(module, "Lookup", lookup) < 0 ||
        PyModule_AddObjectRef(module, "Reader", reader) < 0 ||
        PyModule_AddIntConstant(module, "VERSION", KERNEL_VERSION) < 0) {
        Py_XDECREF(lookup);
        Py_XDECREF(reader);
        Py_DECREF(module);
        return NULL;
    }
    lookup_type = (PyTypeObject *)lookup;
    Py_DECREF(reader);
    return module;
}

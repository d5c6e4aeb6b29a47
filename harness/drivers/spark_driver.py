"""The Spark side of rowgate: one process, one session, one JSON object a line in and out.

A request is {"command": name, ...}; the answer {"ok": true, ...} or {"ok": false, "error": {...}}.
The commands are the methods of `Driver` whose names begin with `do_`. Values travel as text (or
null): timestamps as microseconds since 1970, dates as days, everything else as SQL's CAST reads it.
Spark's own casts turn them into typed columns and back, so that no value passes through Python's
types, time zones or floats.

The end of standard input ends the process, and with it the JVM, which watches its own.
"""

import importlib.util
import json
import os
import queue
import re
import shutil
import socket
import sys
import threading
import time
import traceback

PROTOCOL = 1
MAX_REQUEST_BYTES = 256 << 20
MAX_ANSWER_BYTES = 60 << 20
MAX_MESSAGE_CHARS = 4000
MAX_CAUSES = 20
MAX_KEYS = 100_000
STACK_LINES = 12


class DriverError(Exception):
    """A request that this driver cannot fulfil, for a reason that is not Spark's."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


# --- types on the wire ---------------------------------------------------------------------------


def quote(name):
    return "`" + name.replace("`", "``") + "`"


def from_wire(column):
    """The SQL expression that makes a typed column of a text column of the same name."""
    name, kind = quote(column["name"]), column["type"]
    if kind == "STRING":
        return f"{name}"
    if kind == "TIMESTAMP":
        return f"timestamp_micros(CAST({name} AS BIGINT)) AS {name}"
    if kind == "DATE":
        return f"date_from_unix_date(CAST({name} AS INT)) AS {name}"
    return f"CAST({name} AS {kind}) AS {name}"


def to_wire(column):
    name, kind = quote(column["name"]), column["type"]
    if kind == "TIMESTAMP":
        return f"CAST(unix_micros(CAST({name} AS TIMESTAMP)) AS STRING) AS {name}"
    if kind == "DATE":
        return f"CAST(unix_date(CAST({name} AS DATE)) AS STRING) AS {name}"
    return f"CAST({name} AS STRING) AS {name}"


def text_schema(columns):
    return ", ".join(quote(column["name"]) + " STRING" for column in columns)


# --- errors --------------------------------------------------------------------------------------

# Conditions that only say that something below them failed.
WRAPPERS = ("STREAM_FAILED", "FOREACH_BATCH_USER_FUNCTION_ERROR", "FAILED_EXECUTE_UDF")
CARDINALITY = (
    "MERGE_CARDINALITY_VIOLATION",
    "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE",
)
CONDITION = re.compile(r"\[([A-Z][A-Z0-9_]{3,}(?:\.[A-Z0-9_]+)*)\]")


def clip(text, limit=MAX_MESSAGE_CHARS):
    text = str(text)
    return text if len(text) <= limit else text[:limit] + "…"


def call(thing, *names):
    """The value of the first of these getters that the thing has, or None."""
    for name in names:
        try:
            value = getattr(thing, name)()
        except Exception:  # not that kind of exception, or the gateway is gone
            continue
        if value is not None:
            return str(value)
    return None


def java_causes(throwable):
    """The chain of causes: class, message, condition, SQLSTATE, first lines of the stack."""
    causes = []
    while throwable is not None and len(causes) < MAX_CAUSES:
        cause = {
            "java_class": throwable.getClass().getName(),
            "message": clip(throwable.getMessage() or ""),
        }
        # Other classes have no such methods; py4j answers that with an exception.
        condition = call(throwable, "getCondition", "getErrorClass")
        if condition:
            cause["condition"] = condition
            state = call(throwable, "getSqlState")
            if state:
                cause["sqlstate"] = state
        stack = throwable.getStackTrace()
        cause["stack"] = [str(stack[i]) for i in range(min(STACK_LINES, len(stack)))]
        causes.append(cause)
        following = throwable.getCause()
        throwable = None if following is None or following.equals(throwable) else following
    return causes


LINKAGE_ERRORS = {
    "java.lang." + name
    for name in (
        "LinkageError NoClassDefFoundError NoSuchMethodError NoSuchFieldError AbstractMethodError "
        "IncompatibleClassChangeError IllegalAccessError InstantiationError VerifyError "
        "ClassFormatError UnsupportedClassVersionError ExceptionInInitializerError "
        "BootstrapMethodError UnsatisfiedLinkError ClassCircularityError"
    ).split()
} | {"java.lang.ClassNotFoundException"}


def telling_cause(causes):
    """Of a chain: a linkage error, else the innermost with a condition of its own, else the last."""
    for cause in causes:
        if cause["java_class"] in LINKAGE_ERRORS:
            return cause
    named = [c for c in causes if c.get("condition") and c["condition"] not in WRAPPERS]
    return named[-1] if named else causes[-1]


# Over Spark Connect the JVM's errors arrive as text alone; these are the JVM's own wordings.
JAVA_TEXTS = (
    ("java.lang.NoSuchMethodError", re.compile(r"'[^']+\([^']*\)'")),
    (
        "java.lang.IncompatibleClassChangeError",
        re.compile(r"class \S+ can not implement \S+, because it is not an interface"),
    ),
)


def rpc_details(message):
    """What the server said, of the text of a broken remote call."""
    details = re.search(r'^\s*details = "(.*)"$', message, re.MULTILINE)
    return details[1] if details and "terminated with" in message else message


def java_class_of_text(message):
    """The Java class that a client's message names, or that words it so; else None."""
    named = re.match(r"\(([\w.$]+)\) ", message)
    if named:
        return named[1]
    return next((name for name, text in JAVA_TEXTS if text.match(message)), None)


def describe_error(error):
    """What the caller needs to judge a failure, from any exception that Spark's Python raises."""
    info = {"python_class": type(error).__name__, "message": clip(error), "causes": []}
    if getattr(error, "rowgate_place", None) is not None:
        info["message"] = f"{type(error).__name__}: {clip(error)}{error.rowgate_place}"
    if getattr(error, "rowgate_keys", None):
        info["keys"] = error.rowgate_keys
    if isinstance(error, DriverError):
        info["kind"] = error.kind
        return info
    origin = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    if origin is not None:
        try:
            info["causes"] = java_causes(origin)
        except Exception as failed:  # the JVM died meanwhile
            info["note"] = clip(failed, 200)
    if info["causes"]:
        cause = telling_cause(info["causes"])
        info.update({k: cause[k] for k in ("java_class", "message", "condition", "sqlstate") if k in cause})
        info["stack"] = cause["stack"]
    else:
        info["condition"] = call(error, "getCondition", "getErrorClass")
        info["sqlstate"] = call(error, "getSqlState")
        info["message"] = rpc_details(info["message"])
        info["java_class"] = java_class_of_text(info["message"])
    if info.get("condition") in (None, *WRAPPERS):
        # Wrapped on the way to a Spark Connect client: only the text still names it.
        found = [name for name in CONDITION.findall(info["message"]) if name not in WRAPPERS]
        if found:
            info["condition"] = found[0]
    return {key: value for key, value in info.items() if value is not None}


# --- the driver ----------------------------------------------------------------------------------


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def load_function(file, name):
    """The function `name` of a Python file, which may import what lies beside it."""
    sys.path.insert(0, os.path.dirname(file))
    spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(file))[0], file)
    if spec is None:
        raise DriverError("usage", f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        place = place_in(error, file)
        raise DriverError("usage", f"{file} cannot be imported: {error!r}{place}") from error
    function = getattr(module, name, None)
    if not callable(function):
        raise DriverError("usage", f"{file} has no function {name}")
    return function


def place_in(error, file):
    """Where in the user's file an exception came from: " (line 7)"."""
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
    return f" (line {lines[-1]})" if lines else ""


class Driver:
    def __init__(self):
        self.spark = None
        self.connect = False
        self.work_dir = None
        self.streams = {}  # target table -> Stream
        self.functions = {}  # a user's file -> the function of it that takes micro-batches
        self.statement = ""  # the SQL that runs now, for error reports

    # Each command takes the request and returns the fields of its answer.

    def do_hello(self, request):
        import pyspark

        return {"protocol": PROTOCOL, "pyspark": pyspark.__version__, "python": sys.version.split()[0]}

    def do_session(self, request):
        """Starts the session: master, conf, work_dir; connect: with a Spark Connect server in it."""
        if self.spark is not None:
            raise DriverError("usage", "the session is already started")
        started = time.monotonic()
        self.work_dir = request["work_dir"]
        self.connect = bool(request.get("connect"))
        conf = {str(key): str(value) for key, value in request.get("conf", {}).items()}
        if self.connect:
            self.spark = self.start_connect(request["master"], conf)
        else:
            from pyspark.sql import SparkSession

            builder = SparkSession.builder.master(request["master"])
            self.spark = builder.config(map=conf).getOrCreate()
            self.spark.sparkContext.setLogLevel(request.get("log_level", "WARN"))
        return {"spark": self.spark.version, "seconds": time.monotonic() - started}

    def start_connect(self, master, conf):
        from pyspark.sql.connect.session import SparkSession

        port = free_port()
        conf["spark.connect.grpc.binding.port"] = str(port)
        conf["spark.connect.grpc.binding.address"] = "127.0.0.1"
        conf["spark.sql.connect.serverStacktrace.enabled"] = "false"
        # What SparkSession.builder.remote("local") does, but for a free port and any master.
        os.environ["SPARK_LOCAL_REMOTE"] = "1"
        SparkSession._start_connect_server(master, conf)
        os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"
        conf["spark.remote"] = f"sc://localhost:{port}"
        return SparkSession.builder.config(map=conf).getOrCreate()

    def do_sql(self, request):
        """Runs statements in order; their results are dropped."""
        for statement in request["statements"]:
            self.run(statement)
        return {}

    def do_query(self, request):
        """Rows of a query, as text values in the order of `columns`. At most `max_rows`."""
        self.statement = request["sql"]
        names = [column["name"] for column in request["columns"]]
        frame = self.spark.sql(request["sql"])
        if len(frame.columns) != len(names):
            raise DriverError(
                "width", f"the query gives {len(frame.columns)} columns, {len(names)} are needed"
            )
        rows = frame.toDF(*names).selectExpr(*[to_wire(column) for column in request["columns"]])
        return {"rows": self.collect(rows, request["max_rows"])}

    def do_show(self, request):
        """Any query's rows, each an object of texts: for metrics and look-ups."""
        self.statement = request["sql"]
        frame = self.spark.sql(request["sql"])
        rows = frame.limit(request["max_rows"]).collect()
        answer = [{k: plain(v) for k, v in row.asDict(recursive=True).items()} for row in rows]
        return {"columns": frame.columns, "rows": answer}

    def do_apply(self, request):
        """Applies a micro-batch: the statements see it as the view `view`.

        `function` ({file, name}): instead, that function of the user's gets the batch, which the
        one statement selects from the view, and its number.
        `drop_duplicates` (a list of columns) goes through DataFrame.dropDuplicates first.
        `stream`: inside foreachBatch of a real stream, one file a micro-batch.
        """
        if request.get("stream"):
            stream = self.streams.get(request["table"])
            if stream is None:
                stream = self.streams[request["table"]] = Stream(self)
            stream.apply(request)
        else:
            self.merge(self.spark, self.frame(request["columns"], request["rows"]), request)
        return {}

    def merge(self, session, frame, request, batch_id=0):
        if request.get("drop_duplicates"):
            frame = frame.dropDuplicates(request["drop_duplicates"])
        frame.createOrReplaceTempView(request["view"])
        try:
            if request.get("function"):
                self.call_function(session.sql(request["statements"][0]), batch_id, request["function"])
                return
            for number, statement in enumerate(request["statements"]):
                self.statement = statement
                try:
                    session.sql(statement).collect()
                except Exception as error:
                    if number == 0:  # later, the table has changed already
                        error.rowgate_keys = self.offending_keys(session, error, request)
                    raise
        finally:
            session.catalog.dropTempView(request["view"])

    def call_function(self, batch, batch_id, function):
        self.statement = f"{function['name']}(batch, {batch_id}) of {function['file']}"
        call_it = self.functions.get(function["file"])
        if call_it is None:
            call_it = self.functions[function["file"]] = load_function(**function)
        try:
            call_it(batch, batch_id)
        except Exception as error:
            error.rowgate_place = place_in(error, function["file"])
            raise

    def offending_keys(self, session, error, request):
        """Of a MERGE that was refused because several source rows match one target row."""
        check = request.get("check")
        if not check or not any(name in str(error) for name in CARDINALITY):
            return []
        try:
            columns = request["key_columns"]
            frame = session.sql(check).toDF(*[column["name"] for column in columns])
            return self.collect(frame.selectExpr(*[to_wire(c) for c in columns]), MAX_KEYS)
        except Exception as failed:  # the refusal is what counts
            print(f"cannot tell the keys: {failed}", file=sys.stderr)
            return []

    def do_auto_cdc(self, request):
        """One update of an Auto CDC pipeline whose source got one more micro-batch."""
        if not self.connect:
            raise DriverError("usage", "Auto CDC needs a session with Spark Connect")
        pipeline = self.streams.get(request["table"])
        if pipeline is None:
            pipeline = self.streams[request["table"]] = Pipeline(self)
        return {"events": pipeline.apply(request)}

    # What a bench times: the micro-batches are tables, or files of a landing zone, beforehand.

    def do_landing(self, request):
        """Makes `tables` the files of the folder `landing`, one a micro-batch, in order."""
        folder = os.path.join(self.work_dir, request["landing"])
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for number, table in enumerate(request["tables"]):
            part = folder + ".partial"
            self.spark.table(table).coalesce(1).write.mode("overwrite").parquet("file://" + part)
            [name] = [name for name in os.listdir(part) if name.endswith(".parquet")]
            file = os.path.join(folder, f"batch-{number:08d}.parquet")
            os.replace(os.path.join(part, name), file)
            os.utime(file, (1_000_000_000 + number,) * 2)  # a stream takes the oldest first
        return {}

    def do_merge_table(self, request):
        """As `apply`, with the table `source` for the rows."""
        self.merge(self.spark, self.spark.table(request["source"]), request, request["batch_id"])
        return {}

    def do_merge_landing(self, request):
        """Applies the micro-batches of a landing folder through one stream: `apply`'s request."""
        Stream.numbers += 1
        frame = Landing(self.work_dir, request["landing"]).read_stream(self.spark, request["columns"])
        run_stream(self, frame, request, f"stream-{Stream.numbers}")
        return {}

    def do_auto_cdc_landing(self, request):
        """The same by one update of an Auto CDC pipeline."""
        if not self.connect:
            raise DriverError("usage", "Auto CDC needs a session with Spark Connect")
        pipeline = Pipeline(self, Landing(self.work_dir, request["landing"]))
        events = []
        pipeline.run(request, events)
        return {"events": events[-40:]}

    def do_collect_garbage(self, request):
        """In the JVM of the session: in local mode that is the one that does all the work."""
        if self.connect:
            self.run("SELECT reflect('java.lang.System', 'gc')")
        else:
            self.spark.sparkContext._jvm.System.gc()
        return {}

    def do_change_feed(self, request):
        """Rows of a Delta table's Change Data Feed. They stay under the view `view`.

        `options` go to the reader; `conf` are settings for this read alone. `stream`: read by a
        stream that ends when it has seen all there is.
        """
        reader = self.spark.readStream if request["stream"] else self.spark.read
        options = {"readChangeFeed": "true", **request["options"]}
        self.statement = "spark.{}{}.table('{}')".format(
            "readStream" if request["stream"] else "read",
            "".join(f".option('{name}', '{value}')" for name, value in options.items()),
            request["table"],
        )
        before = {name: self.spark.conf.get(name, None) for name in request["conf"]}
        try:
            for name, value in request["conf"].items():
                self.spark.conf.set(name, value)
            frame = reader.options(**options).table(request["table"])
            if request["stream"]:
                frame = self.all_of_stream(frame, request["view"] + "_stream")
            frame.createOrReplaceTempView(request["view"])
            columns = request["columns"]
            rows = frame.selectExpr(*[to_wire(column) for column in columns])
            return {"rows": self.collect(rows, request["max_rows"])}
        finally:
            for name, value in before.items():
                if value is None:
                    self.spark.conf.unset(name)
                else:
                    self.spark.conf.set(name, value)

    def all_of_stream(self, frame, name):
        """What a stream gives until it has caught up, as a table in memory."""
        writer = frame.writeStream.format("memory").queryName(name).trigger(availableNow=True)
        query = writer.start()
        query.awaitTermination()
        return self.spark.table(name)

    def do_drift_names(self, request):
        """Names at the top level of a file's JSON records, those with null alone left out."""
        path, _ = self.drift_file(request)
        self.statement = f"names in {request['file']}"
        records = self.spark.read.text(path).selectExpr(
            "explode(map_filter(from_json(value, 'MAP<STRING, VARIANT>'), "
            "(name, value) -> NOT is_variant_null(value))) AS (name, value)"
        )
        rows = records.select("name").distinct().collect()
        return {"names": sorted(row[0] for row in rows)}

    def do_drift_ingest(self, request):
        """Appends a file's records to a Bronze table, read with the schema `columns`.

        Without `rescue` that is all that Spark's JSON reader does with an explicit schema. With it,
        the same parser takes a text apart twice, once by the schema and once as a map, and what the
        map has and the typed row has not is put together again.
        """
        path, marker = self.drift_file(request)
        columns = request["columns"]
        schema = ", ".join(f"{quote(c['name'])} {c['type']}" for c in columns)
        source = f"substring_index(_metadata.file_path, '{marker}', -1)"
        if request["rescue"]:
            self.drift_rescued(path, schema, columns, source).createOrReplaceTempView("rowgate_drift")
        else:
            frame = self.spark.read.schema(schema).json(path)
            names = [quote(c["name"]) for c in columns]
            frame = frame.selectExpr(*names, "CAST(NULL AS STRING) AS _rescued_data", f"{source} AS source_file")
            frame.createOrReplaceTempView("rowgate_drift")
        names = ", ".join([quote(c["name"]) for c in columns] + ["_rescued_data"])
        self.run(
            f"INSERT INTO {request['table']} ({names}, ingest_time, source_file, batch_id) "
            f"SELECT {names}, current_timestamp(), source_file, CAST({request['batch_id']} AS BIGINT) "
            "FROM rowgate_drift"
        )
        return {}

    def drift_rescued(self, path, schema, columns, source):
        from pyspark.sql import functions

        frame = self.spark.read.text(path).select(
            functions.expr(source).alias("source_file"),
            functions.from_json("value", schema).alias("typed"),
            functions.from_json("value", "MAP<STRING, VARIANT>").alias("named"),
        )
        cases = " ".join(f"WHEN '{c['name']}' THEN typed.{quote(c['name'])} IS NULL" for c in columns)
        frame = frame.withColumn(
            "rest",
            functions.expr(
                "map_filter(named, (name, value) -> NOT is_variant_null(value) "
                f"AND CASE name {cases} ELSE TRUE END)"
            ),
        )
        return frame.selectExpr(
            *[f"typed.{quote(c['name'])} AS {quote(c['name'])}" for c in columns],
            "CASE WHEN size(rest) > 0 THEN to_json(map_concat(rest, "
            "map('_file_path', CAST(source_file AS VARIANT)))) END AS _rescued_data",
            "source_file",
        )

    def drift_file(self, request):
        """The file's URL, and what stands in it just before the name that the fixture gives it."""
        marker = f"/{request['folder']}/"
        path = self.work_dir + marker + request["file"]
        if not os.path.exists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in request["lines"])
        return "file://" + path, marker

    def do_forget(self, request):
        """Drops tables and what is kept about them."""
        for table in request["tables"]:
            self.streams.pop(table, None)
            self.run(f"DROP TABLE IF EXISTS {table}" + (" PURGE" if request.get("purge") else ""))
        return {}

    def frame(self, columns, rows):
        # Every value is text or null: looking at each once more would cost a third of the time.
        options = {} if self.connect else {"verifySchema": False}
        data = [tuple(row) for row in rows]
        frame = self.spark.createDataFrame(data, text_schema(columns), **options)
        return frame.selectExpr(*[from_wire(column) for column in columns])

    def run(self, statement):
        self.statement = statement
        self.spark.sql(statement).collect()

    def collect(self, frame, max_rows):
        rows = [list(row) for row in frame.limit(max_rows + 1).collect()]
        if len(rows) > max_rows:
            raise DriverError("limit", f"the result has more than {max_rows} rows")
        return rows


def plain(value):
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return str(value)


class FileSource:
    """A folder into which each micro-batch is moved as one file of JSON lines."""

    def __init__(self, work_dir, name):
        self.folder = os.path.join(work_dir, name)
        self.partial = self.folder + ".partial"
        os.makedirs(self.folder)
        self.count = 0

    def add(self, columns, rows):
        names = [column["name"] for column in columns]
        with open(self.partial, "w", encoding="utf-8") as file:
            for row in rows:
                json.dump({n: v for n, v in zip(names, row) if v is not None}, file, ensure_ascii=False)
                file.write("\n")
        os.replace(self.partial, os.path.join(self.folder, f"batch-{self.count:08d}.json"))
        self.count += 1

    def read_stream(self, spark, columns):
        reader = spark.readStream.schema(text_schema(columns)).option("maxFilesPerTrigger", 1)
        return reader.json("file://" + self.folder).selectExpr(*[from_wire(c) for c in columns])


class Landing:
    """A folder that holds every micro-batch already, each one Parquet file."""

    def __init__(self, work_dir, name):
        self.folder = os.path.join(work_dir, name)

    def read_stream(self, spark, columns):
        schema = ", ".join(quote(column["name"]) + " " + column["type"] for column in columns)
        reader = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
        return reader.parquet("file://" + self.folder)


def run_stream(driver, frame, request, name):
    """Takes in all that a stream has, each micro-batch by the request's statements."""
    raised = []

    def each_batch(batch, batch_id):
        try:
            driver.merge(batch.sparkSession, batch, request, batch_id)
        except Exception as error:  # the JVM would only hand on its text
            raised.append(error)
            raise

    writer = frame.writeStream.foreachBatch(each_batch).trigger(availableNow=True)
    checkpoint = os.path.join(driver.work_dir, name + ".checkpoint")
    query = writer.option("checkpointLocation", "file://" + checkpoint).start()
    try:
        query.awaitTermination()
    except Exception:
        if raised:
            raise raised[0]
        raise


class Stream:
    """A structured stream whose foreachBatch runs the statements of the request."""

    numbers = 0

    def __init__(self, driver):
        self.driver = driver
        self.restart()

    def restart(self):
        Stream.numbers += 1
        self.name = f"stream-{Stream.numbers}"
        self.source = FileSource(self.driver.work_dir, self.name)

    def apply(self, request):
        try:
            self.source.add(request["columns"], request["rows"])
            frame = self.source.read_stream(self.driver.spark, request["columns"])
            run_stream(self.driver, frame, request, self.name)
        except Exception:
            self.restart()  # its checkpoint would replay the failed batch for ever
            raise


class Pipeline:
    """A pipeline of one streaming table that an Auto CDC flow feeds from files."""

    numbers = 0

    def __init__(self, driver, source=None):
        self.driver = driver
        self.restart(source)

    def restart(self, source=None):
        """New source folder and checkpoints: the target table holds all that Auto CDC knows."""
        Pipeline.numbers += 1
        self.name = f"pipeline-{Pipeline.numbers}"
        self.source = source or FileSource(self.driver.work_dir, self.name)
        self.storage = "file://" + os.path.join(self.driver.work_dir, self.name + ".storage")

    def apply(self, request):
        self.source.add(request["columns"], request["rows"])
        events = []
        try:
            self.run(request, events)
        except Exception:
            self.restart()  # its checkpoint would replay the failed batch for ever
            raise
        return events[-40:]

    def run(self, request, events):
        from pyspark import pipelines
        from pyspark.pipelines.graph_element_registry import graph_element_registration_context
        from pyspark.pipelines.spark_connect_graph_element_registry import (
            SparkConnectGraphElementRegistry,
        )
        from pyspark.pipelines.spark_connect_pipeline import create_dataflow_graph, start_run

        spark = self.driver.spark
        conf = {"spark.sql.pipelines.maxFlowRetryAttempts": "0", **request.get("conf", {})}
        graph = create_dataflow_graph(spark, request.get("catalog"), request.get("database"), conf)
        columns = request["columns"]
        view = "source_" + self.name.replace("-", "_")

        with graph_element_registration_context(SparkConnectGraphElementRegistry(spark, graph)):

            @pipelines.temporary_view(name=view)
            def source():
                frame = self.source.read_stream(spark, columns)
                return frame.where(request["where"]) if request.get("where") else frame

            pipelines.create_streaming_table(request["table"], **table_options(request))
            pipelines.create_auto_cdc_flow(
                target=request["table"],
                source=view,
                keys=request["keys"],
                sequence_by=request["sequence_by"],
                apply_as_deletes=request["apply_as_deletes"],
                except_column_list=request["except_columns"],
                stored_as_scd_type=request["scd"],
            )
        self.statement_of(request)
        for result in start_run(spark, graph, [], False, [], False, self.storage):
            if "pipeline_event_result" in result:
                events.append(clip(result["pipeline_event_result"].event.message, 500))

    def statement_of(self, request):
        self.driver.statement = (
            f"create_auto_cdc_flow(target={request['table']}, keys={request['keys']}, "
            f"sequence_by={request['sequence_by']}, apply_as_deletes={request['apply_as_deletes']}, "
            f"stored_as_scd_type={request['scd']})"
        )


def table_options(request):
    return {"format": request["format"]} if request.get("format") else {}


# --- the loop ------------------------------------------------------------------------------------


def read_requests(stream, requests):
    """Runs in a thread, so that the end of the input is seen while a statement runs."""
    while True:
        line = stream.readline(MAX_REQUEST_BYTES)
        if not line or not line.endswith(b"\n"):
            os._exit(0 if not line else 2)
        requests.put(line)


def answer(driver, line):
    driver.statement = ""
    try:
        request = json.loads(line)
        command = getattr(driver, "do_" + request["command"], None)
        if command is None:
            raise DriverError("usage", f"no command {request['command']!r}")
        fields = command(request)
        return {"ok": True, **fields}
    except Exception as error:
        return {"ok": False, "error": {**describe_error(error), "statement": clip(driver.statement)}}


def encode(reply):
    text = json.dumps(reply, ensure_ascii=True)
    if len(text) > MAX_ANSWER_BYTES:
        error = DriverError("limit", f"the answer has more than {MAX_ANSWER_BYTES} bytes")
        text = json.dumps({"ok": False, "error": describe_error(error)})
    return text.encode() + b"\n"


def main():
    # The JVM and its children print to file descriptor 1: give them standard error instead.
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    requests = queue.Queue()
    threading.Thread(target=read_requests, args=(sys.stdin.buffer, requests), daemon=True).start()
    driver = Driver()
    while True:
        line = requests.get()
        output.write(encode(answer(driver, line)))
        output.flush()


if __name__ == "__main__":
    main()

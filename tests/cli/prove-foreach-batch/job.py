"""The job of a user: a foreachBatch function with a guarded MERGE."""


def upsert(batch_df, batch_id):
    batch_df.createOrReplaceTempView("changes")
    batch_df.sparkSession.sql("""
        MERGE INTO silver.orders AS t
        USING (SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY order_id ORDER BY seq DESC) AS rn
                              FROM changes) WHERE rn = 1) AS s
        ON t.order_id = s.order_id
        WHEN MATCHED AND s.op = 'DELETE' AND s.seq > t._seq THEN DELETE
        WHEN MATCHED AND s.op <> 'DELETE' AND s.seq > t._seq
          THEN UPDATE SET t.status = s.status, t._seq = s.seq
        WHEN NOT MATCHED AND s.op <> 'DELETE'
          THEN INSERT (order_id, status, _seq) VALUES (s.order_id, s.status, s.seq)
    """)

def upsert(batch, batch_id):
    spark = batch.sparkSession
    batch.createOrReplaceTempView("updates_of_mine")
    spark.sql("""
        MERGE INTO silver.orders t
        USING (SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY order_id ORDER BY ts DESC) AS rn FROM updates_of_mine) WHERE rn = 1) s
        ON t.order_id = s.order_id
        WHEN MATCHED AND s.ts > t.ts AND s.op = 'D' THEN DELETE
        WHEN MATCHED AND s.ts > t.ts THEN UPDATE SET status = s.status, ts = s.ts
        WHEN NOT MATCHED AND s.op <> 'D' THEN INSERT (order_id, status, ts) VALUES (s.order_id, s.status, s.ts)""")

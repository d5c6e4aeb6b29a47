MERGE INTO silver.orders t
USING (SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY order_id ORDER BY at DESC) AS rn FROM updates) WHERE rn = 1) s
ON t.order_id = s.order_id
WHEN MATCHED AND s.op = 'D' THEN DELETE
WHEN MATCHED THEN UPDATE SET note = s.note, amount = s.amount, _at = s.at
WHEN NOT MATCHED AND s.op <> 'D' THEN INSERT (order_id, note, amount, _at) VALUES (s.order_id, s.note, s.amount, s.at)

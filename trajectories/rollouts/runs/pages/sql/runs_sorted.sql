SELECT r.id FROM {tables} WHERE {conditions} ORDER BY {order} LIMIT %(limit)s

{hits} ORDER BY {order} LIMIT %(limit)s

{hits} ORDER BY e.id DESC LIMIT %(limit)s

(%(may_be_mask)s OR strpos({text}, lower(%(find)s)) > 0) AND strpos(
    CASE WHEN strpos(replace({text}, %(own)s, ''), '/e/') > 0
        THEN regexp_replace({text}, %(token)s, %(masked)s, 'g') ELSE replace({text}, %(own)s, %(masked)s) END,
    lower(%(find)s)) > 0

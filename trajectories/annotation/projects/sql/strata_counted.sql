-- Candidates by stratum.
SELECT stratum, count(*), 0, 0 FROM ({candidates}) AS candidates GROUP BY 1 ORDER BY 1

json_build_object('outcome', v.outcome, 'reward', v.reward, 'reason', v.reason,
    'terminated', v.terminated, 'truncated', v.truncated, 'score', v.score, 'metrics', v.metrics,
    'verifier', nullif(v.verifier, ''), 'official', v.official, 'latency_ms', v.latency_ms)

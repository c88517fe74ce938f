-- The columns of ``PastTurn``, in its order.
s.index, s.raw, s.thought, s.observation_kind, s.observation_text, s.screenshot, s.action_result, s.more->>'result_message', s.actor

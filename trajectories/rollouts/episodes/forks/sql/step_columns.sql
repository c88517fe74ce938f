-- The columns of ``PastStep``, in its order.
s.index, s.action::text, s.action_result, s.more->>'result_message', s.url, s.observation_kind,
CASE WHEN s.observation_text <> '' THEN encode(sha256(convert_to(s.observation_text, 'UTF8')), 'hex')
    ELSE s.observation_sha256 END,
s.screenshot, coalesce(s.more->>'element_ids', '')

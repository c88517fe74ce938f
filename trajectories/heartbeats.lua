-- Keys: the prefixes of heartbeats and of ended episodes. Arguments: how long a heartbeat lasts, then the episodes.
-- One round trip for any number of episodes; an episode that has ended is not revived.
local gone = {}
for place = 2, #ARGV do
    local id = ARGV[place]
    if redis.call('EXISTS', KEYS[2] .. id) == 1 then
        gone[#gone + 1] = id
    else
        redis.call('SET', KEYS[1] .. id, '1', 'EX', ARGV[1])
    end
end
return gone

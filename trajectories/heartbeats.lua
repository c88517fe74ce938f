-- Keys: the prefixes of heartbeats and of ended episodes. Arguments: how long a heartbeat lasts, what is stored
-- for it, then the episodes.
-- One round trip for any number of episodes; an episode that has ended is not revived.
local gone = {}
for place = 3, #ARGV do
    local id = ARGV[place]
    if redis.call('EXISTS', KEYS[2] .. id) == 1 then
        gone[#gone + 1] = id
    else
        redis.call('SET', KEYS[1] .. id, ARGV[2], 'EX', ARGV[1])
    end
end
return gone

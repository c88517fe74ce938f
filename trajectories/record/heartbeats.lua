-- Keys: the prefixes of heartbeats, of ended ones and of a project's known ones. Arguments: how long a heartbeat lasts, what is
-- stored for it, how many splits the caller is limited to (0: to none), these, then the episodes.
-- One round trip for any number of episodes; an episode that has ended is not revived, and nothing is stored for one that
-- is not known to be active and of a split that the caller sees. Returns those that have ended, and those not known.
local limits = tonumber(ARGV[3])
local is_seen = {}
for place = 4, 3 + limits do
    is_seen[ARGV[place]] = true
end
local gone, unknown = {}, {}
for place = 4 + limits, #ARGV do
    local id = ARGV[place]
    if redis.call('EXISTS', KEYS[2] .. id) == 1 then
        gone[#gone + 1] = id
    else
        local split = redis.call('GET', KEYS[3] .. id)
        if not split then
            unknown[#unknown + 1] = id
        elseif limits > 0 and not is_seen[split] then
            gone[#gone + 1] = id
        else
            redis.call('SET', KEYS[1] .. id, ARGV[2], 'EX', ARGV[1])
        end
    end
end
return {gone, unknown}

# Texts of `crates/cluster/`. Keys begin with `cluster_`.

cluster_address = '{ $address }' is no store; write nats://HOST:PORT, several of them with commas between them, or folder:PATH
cluster_damaged = the store has something that can't be read: { $reason }
cluster_exists = the store has a world '{ $world }' already
cluster_full = the store is full: { $reason }
cluster_missing = the store has no world '{ $world }'
cluster_minute = a call of { $model } may take { $tokens } tokens, more than all workers may send in a minute ({ $limit })
cluster_not_packed = this file is no packed story: { $reason }
cluster_other_build = build { $own } can't go on with this world, which { $build } played: { $reason }
cluster_spent = what all workers may spend together is spent, or granted to other worlds
cluster_stale = another worker has this world now
cluster_unavailable = the store does not answer: { $reason }
cluster_queued = queued
cluster_playing = playing
cluster_ended = ended
cluster_waiting = waiting
cluster_awaits = waits for { $names }
cluster_paused = paused
cluster_failed = failed
cluster_cancelled = cancelled

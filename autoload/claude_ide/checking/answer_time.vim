vim9script
# Learns how long each source takes to publish after a write, and derives how long to wait for it.

# Milliseconds, except for ENOUGH and FORGETTING.
const LIMIT = 1500.0
const SHORTEST = 400.0
# Used for the first answers, while their variation is unknown.
const SHORTEST_AT_FIRST = 1000.0
const ENOUGH = 3
# For sources that have published nothing: each timeout halves the limit down to this.
const SHORTEST_SILENT = 500.0
const FORGETTING = 0.7
# Share of the usual time.
const EARLY = 0.4
# Limits the effect of one cold start.
const LONGEST = 3000.0

# By source: `latency` in milliseconds, an estimate that is too long rather than too short (negative if
# it is unknown), the number of `answers`, and of `timeouts` since it last published.
var known: dict<dict<any>> = {}

def TimeOf(source: string): dict<any>
  if !has_key(known, source)
    known[source] = {latency: -1.0, answers: 0, timeouts: 0}
  endif
  return known[source]
enddef

# Record an answer to a write, so many milliseconds after it.
export def Answered(source: string, ms: float)
  final one = TimeOf(source)
  const faded: float = FORGETTING * one.latency
  const latest = ms < LONGEST ? ms : LONGEST
  one.latency = faded > latest ? faded : latest
  one.answers += 1
  one.timeouts = 0
enddef

# Record that a source has not answered in time.
export def TimedOut(source: string)
  final one = TimeOf(source)
  one.timeouts += 1
enddef

# How long a source takes at least to answer a write, in milliseconds; `otherwise` if it has not
# answered any.
export def Earliest(source: string, otherwise: float): float
  const latency: float = TimeOf(source).latency
  return latency < 0.0 ? otherwise : EARLY * latency
enddef

# How long to wait for a source after a write, in milliseconds. A source may publish only changes, so
# the wait for one that answers is about twice its usual time.
export def Of(source: string): float
  final one = TimeOf(source)
  const latency: float = one.latency
  if latency >= 0.0 && latency < LIMIT
    const shortest = one.answers < ENOUGH ? SHORTEST_AT_FIRST : SHORTEST
    return 2 * latency > shortest ? 2 * latency : shortest
  elseif one.timeouts == 0
    return LIMIT
  endif
  const halved: float = LIMIT / pow(2, one.timeouts)
  return halved > SHORTEST_SILENT ? halved : SHORTEST_SILENT
enddef

defcompile

vim9script
# Compares versions of a text, and merges two sets of changes.
#
# This is the comparison of Eugene W. Myers: `diff()` came with Vim 9.1.0071.

# The most lines that are removed and added. With more, everything from the first to the last
# difference is one area.
const MOST = 600

# By the number of changes, the old row that is reached with them on each diagonal (old row - new
# row); that of diagonal 0 has the index `MOST` + 1. Empty if there are too many changes.
def Reached(old: list<string>, new: list<string>): list<list<number>>
  var rows = repeat([0], 2 * MOST + 3)
  var rounds: list<list<number>> = []
  for changes in range(MOST + 1)
    for diagonal in range(-changes, changes, 2)
      const at = MOST + 1 + diagonal
      const is_added = diagonal == -changes || (diagonal < changes && rows[at - 1] < rows[at + 1])
      var row = changes == 0 ? 0 : is_added ? rows[at + 1] : rows[at - 1] + 1
      while row < len(old) && row - diagonal < len(new) && old[row] ==# new[row - diagonal]
        row += 1
      endwhile
      rows[at] = row
      if row >= len(old) && row - diagonal >= len(new)
        return rounds
      endif
    endfor
    rounds->add(copy(rows))
  endfor
  return []
enddef

# The areas in which two texts differ that have no common ends.
def Compare(old: list<string>, new: list<string>): list<list<number>>
  var [row, other] = [len(old), len(new)]
  final rounds = row == 0 || other == 0 ? [] : Reached(old, new)
  if empty(rounds)
    return row + other == 0 ? [] : [[0, row, 0, other]]
  endif
  var found: list<list<number>> = []
  for [index, rows] in rounds->reverse()->items()
    const changes = len(rounds) - index
    const diagonal = row - other
    const at = MOST + 1 + diagonal
    const is_added = diagonal == -changes || (diagonal < changes && rows[at - 1] < rows[at + 1])
    [row, other] = is_added ? [rows[at + 1], rows[at + 1] - diagonal - 1]
      : [rows[at - 1], rows[at - 1] - diagonal + 1]
    const [last, end] = is_added ? [row, other + 1] : [row + 1, other]
    if !empty(found) && found[0][0] == last && found[0][2] == end
      [found[0][0], found[0][2]] = [row, other]
    else
      found->insert([row, last, other, end])
    endif
  endfor
  return found
enddef

# The areas in which two texts differ, as rows of both, [old first, old last, new first, new last],
# 0-based, the last ones exclusive.
export def Areas(old: list<string>, new: list<string>): list<list<number>>
  const shorter = min([len(old), len(new)])
  var [head, tail] = [0, 0]
  while head < shorter && old[head] ==# new[head]
    head += 1
  endwhile
  while tail < shorter - head && old[-1 - tail] ==# new[-1 - tail]
    tail += 1
  endwhile
  return Compare(slice(old, head, len(old) - tail), slice(new, head, len(new) - tail))
    ->map((_, area) => area->mapnew((_, row) => row + head))
enddef

# How many lines differ: [removed, added].
export def Count(old: list<string>, new: list<string>): list<number>
  var [removed, added] = [0, 0]
  for [first, last, start, end] in Areas(old, new)
    removed += last - first
    added += end - start
  endfor
  return [removed, added]
enddef

def Changes(base: list<string>, current: list<string>): list<dict<any>>
  return Areas(base, current)->mapnew((_, area) =>
    ({first: area[0], last: area[1], lines: slice(current, area[2], area[3])}))
enddef

# Merge two later versions of a text. Where both have changed the same lines, theirs win. Changes that
# are only adjacent are both made; of two insertions at the same row, theirs comes first. Returns the
# `lines`, and whether there is a `conflict`: both have changed the same lines differently.
export def Merge(base: list<string>, ours: list<string>, theirs: list<string>): dict<any>
  final merged = {lines: [], row: 0, conflict: false}
  const Put = (change: dict<any>) => {
    merged.lines += slice(base, merged.row, change.first) + change.lines
    merged.row = change.last
  }
  final own = Changes(base, ours)
  for other in Changes(base, theirs)
    while !empty(own) && own[0].last <= other.first && own[0].first < other.last
      Put(own->remove(0))
    endwhile
    while !empty(own) && (own[0].first < other.last || own[0] ==# other)
      merged.conflict = merged.conflict || own[0] !=# other
      own->remove(0)
    endwhile
    Put(other)
  endfor
  for change in own
    Put(change)
  endfor
  return {lines: merged.lines + base[merged.row :], conflict: merged.conflict}
enddef

defcompile

vim9script
# Compares versions of a text, and merges two sets of changes.
#
# `diff()` came with Vim 9.1.0071. This comparison takes the lines that occur once in both texts as
# fixed points ("patience"), so that separate changes stay separate in every Vim.

# The most lines of both texts together. With more, everything from the first to the last difference
# is one hunk.
const MOST_COMPARED = 100000
# The largest product of the numbers of lines between two fixed points.
const MOST_ALIGNED = 40000

# The longest part of `pairs` [old row, new row], sorted by new row, whose old rows also increase.
#
# Vim's lists are linked lists: an item far from the last one used is slow to reach. Dictionaries
# hold what is searched.
def InOrder(pairs: list<list<number>>): list<list<number>>
  # For each length of a sequence, the end with the smallest old row.
  var ends: dict<number> = {}
  var rows: dict<number> = {}
  var length = 0
  var previous: list<number> = []
  for [index, pair] in items(pairs)
    const row = pair[0]
    var low = length > 0 && rows[length - 1] < row ? length : 0
    var high = length
    while low < high
      const middle = (low + high) / 2
      if rows[middle] < row
        low = middle + 1
      else
        high = middle
      endif
    endwhile
    previous->add(low > 0 ? ends[low - 1] : -1)
    ends[low] = index
    rows[low] = row
    length = max([length, low + 1])
  endfor
  var sequence: list<list<number>> = []
  var last = length > 0 ? ends[length - 1] : -1
  while last >= 0
    sequence->add(pairs[last])
    last = previous[last]
  endwhile
  return sequence->reverse()
enddef

# By line, its row if the line occurs once, otherwise -1.
def UniqueRows(lines: list<string>, first: number, last: number): dict<number>
  var rows: dict<number> = {}
  for row in range(first, last - 1)
    rows[lines[row]] = has_key(rows, lines[row]) ? -1 : row
  endfor
  return rows
enddef

def FixedPoints(old: list<string>, new: list<string>, area: list<number>): list<list<number>>
  const in_old = UniqueRows(old, area[0], area[1])
  const in_new = UniqueRows(new, area[2], area[3])
  var pairs: list<list<number>> = []
  for row in range(area[2], area[3] - 1)
    if in_new[new[row]] == row && get(in_old, new[row], -1) >= 0
      pairs->add([in_old[new[row]], row])
    endif
  endfor
  return InOrder(pairs)
enddef

# The longest common subsequence of an area without fixed points, as pairs of rows.
def Aligned(old: list<string>, new: list<string>, area: list<number>): list<list<number>>
  const [from, to, start, end] = area
  var lengths = [repeat([0], end - start + 1)]
  for row in range(to - 1, from, -1)
    const below = lengths[-1]
    var these = repeat([0], end - start + 1)
    for column in range(end - start - 1, 0, -1)
      these[column] = old[row] ==# new[start + column] ? below[column + 1] + 1
        : max([below[column], these[column + 1]])
    endfor
    lengths->add(these)
  endfor
  lengths->reverse()
  var pairs: list<list<number>> = []
  var row = from
  var column = 0
  while row < to && column < end - start
    if old[row] ==# new[start + column]
      pairs->add([row, start + column])
      row += 1
      column += 1
    elseif lengths[row - from + 1][column] >= lengths[row - from][column + 1]
      row += 1
    else
      column += 1
    endif
  endwhile
  return pairs
enddef

# An area without the lines that are equal at its beginning and at its end.
def Trimmed(old: list<string>, new: list<string>, area: list<number>): list<number>
  var [from, to, start, end] = area
  while from < to && start < end && old[from] ==# new[start]
    from += 1
    start += 1
  endwhile
  while from < to && start < end && old[to - 1] ==# new[end - 1]
    to -= 1
    end -= 1
  endwhile
  return [from, to, start, end]
enddef

# Add the areas of an area in which the texts differ: [first old row, last, first new row, last],
# rows 0-based, last ones exclusive.
def Compare(old: list<string>, new: list<string>, area: list<number>, found: list<list<number>>)
  const [from, to, start, end] = Trimmed(old, new, area)
  if from == to && start == end
    return
  endif
  var pairs: list<list<number>> = []
  const is_small = (to - from) * (end - start) <= MOST_ALIGNED
  if from < to && start < end && to - from + end - start <= MOST_COMPARED
    pairs = FixedPoints(old, new, [from, to, start, end])
    if empty(pairs) && is_small
      pairs = Aligned(old, new, [from, to, start, end])
    endif
  endif
  if empty(pairs)
    found->add([from, to, start, end])
    return
  endif
  var last = [from, start]
  for pair in pairs
    if pair[0] > last[0] || pair[1] > last[1]
      Compare(old, new, [last[0], pair[0], last[1], pair[1]], found)
    endif
    last = [pair[0] + 1, pair[1] + 1]
  endfor
  Compare(old, new, [last[0], to, last[1], end], found)
enddef

# The areas in which two texts differ, as rows of both, [old first, old last, new first, new last],
# 0-based, the last ones exclusive.
export def Areas(old: list<string>, new: list<string>): list<list<number>>
  var found: list<list<number>> = []
  Compare(old, new, [0, len(old), 0, len(new)], found)
  return found
enddef

# The hunks in which two texts differ, as [first old line, count, first new line, count], 1-based;
# for no lines, the first is the line before them.
export def Hunks(old: list<string>, new: list<string>): list<list<number>>
  return Areas(old, new)->mapnew((_, area) => {
    const [from, to, start, end] = area
    return [to > from ? from + 1 : from, to - from, end > start ? start + 1 : start, end - start]
  })
enddef

# How many lines differ: [removed, added].
export def Count(old: list<string>, new: list<string>): list<number>
  var removed = 0
  var added = 0
  for hunk in Hunks(old, new)
    removed += hunk[1]
    added += hunk[3]
  endfor
  return [removed, added]
enddef

# A number of items of a list.
export def Part(lines: list<string>, from: number, count: number): list<string>
  return count > 0 ? lines[from : from + count - 1] : []
enddef

def Changes(base: list<string>, current: list<string>, is_ours: bool): list<dict<any>>
  return Areas(base, current)->mapnew((_, area) => ({
    first: area[0],
    last: area[1],
    lines: Part(current, area[2], area[3] - area[2]),
    is_ours: is_ours,
  }))
enddef

# Insertions come before changes of the line that follows them, and theirs before ours.
def Order(one: dict<any>, other: dict<any>): number
  const by_row: number = one.first - other.first
  const by_end: number = one.last - other.last
  const by_side = (one.is_ours ? 1 : 0) - (other.is_ours ? 1 : 0)
  return by_row != 0 ? by_row : by_end != 0 ? by_end : by_side
enddef

def IsSameInsertion(group: dict<any>, change: dict<any>): bool
  const last: dict<any> = group.changes[-1]
  const lines: list<string> = change.lines
  const last_lines: list<string> = last.lines
  const [first: number, end: number] = [group.first, group.last]
  const [other: number, other_end: number] = [change.first, change.last]
  const is_other_side: bool = change.is_ours != last.is_ours
  return first == end && other == other_end && other == first && is_other_side
    && lines ==# last_lines
enddef

# Overlapping changes form a group; changes that are only adjacent do not.
def Grouped(all: list<dict<any>>): list<dict<any>>
  var groups: list<dict<any>> = []
  for change in all->sort(Order)
    const first: number = change.first
    const last: number = change.last
    if !empty(groups) && (first < groups[-1].last || IsSameInsertion(groups[-1], change))
      groups[-1].changes->add(change)
      groups[-1].last = max([groups[-1].last, last])
    else
      groups->add({first: first, last: last, changes: [change]})
    endif
  endfor
  return groups
enddef

# One side's version of the rows of a group, as a list with it; empty if that side does not change
# them.
def Region(group: dict<any>, base: list<string>, is_ours: bool): list<list<string>>
  var lines: list<string> = []
  var row: number = group.first
  var is_changed = false
  for change in group.changes
    const is_own: bool = change.is_ours
    if is_own == is_ours
      lines += Part(base, row, change.first - row) + change.lines
      row = change.last
      is_changed = true
    endif
  endfor
  return is_changed ? [lines + Part(base, row, group.last - row)] : []
enddef

# Merge two later versions of a text. Where both have changed the same lines, theirs win. Returns
# the `lines`, and the number of `conflicts`: of groups of lines that both have changed differently.
export def Merge(base: list<string>, ours: list<string>, theirs: list<string>): dict<any>
  var merged: list<string> = []
  var row = 0
  var conflicts = 0
  for group in Grouped(Changes(base, ours, true) + Changes(base, theirs, false))
    const mine = Region(group, base, true)
    const other = Region(group, base, false)
    conflicts += !empty(mine) && !empty(other) && mine[0] !=# other[0] ? 1 : 0
    merged += Part(base, row, group.first - row) + (empty(other) ? mine[0] : other[0])
    row = group.last
  endfor
  return {lines: merged + Part(base, row, len(base) - row), conflicts: conflicts}
enddef

defcompile

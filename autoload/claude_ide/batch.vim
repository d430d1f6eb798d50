vim9script
# Runs several calls of the host in one instant: as soon as a gate of `timing/moment` is open, and only if
# all facts hold on which the host has based them (`editor/port/batch.py`).

import autoload './channel.vim'
import autoload './file/path.vim' as file
import autoload './file/disk.vim'
import autoload './messages/reason.vim'
import autoload './timing/moment.vim'

final waiting: dict<func> = {} # by token: what withdraws a batch

# The present value of a fact; null if there is no such buffer. The last kind is "target".
def Value(kind: string, subject: any): any
  if kind ==# 'changedtick'
    return bufloaded(subject) ? getbufvar(subject, 'changedtick') : v:null
  elseif kind ==# 'modified'
    return bufexists(subject) ? !!getbufvar(subject, '&modified') : v:null
  elseif kind ==# 'name'
    return bufexists(subject) ? file.Name(subject) : v:null
  elseif kind ==# 'stamp'
    return disk.Stamp(subject)
  endif
  return file.Resolved(subject)
enddef

# The facts that do not hold: each index, from 0, with the present value. Each fact is its kind, a buffer
# or a path, and the expected value.
def Failed(facts: list<list<any>>): list<list<any>>
  final failed: list<list<any>> = []
  for [index, fact] in facts->mapnew((index, fact) => [index, fact])
    const value = Value(fact[0], fact[1])
    if type(value) != type(fact[2]) || value != fact[2]
      failed->add([index, value])
    endif
  endfor
  return failed
enddef

# Run the steps: each is the name of a function, and its arguments. Throws if Vim refuses to change anything
# now, before anything has happened.
def RunSteps(steps: list<list<any>>): dict<any>
  final results: list<any> = []
  for [name, arguments] in steps
    const [is_done, result] = reason.AttemptByName(name, arguments, empty(results) ? moment.REFUSAL : '')
    const failure = !is_done ? result : type(result) == v:t_dict ? get(result, 'error') : v:null
    if type(failure) == v:t_string
      return {results: results, failure: failure}
    endif
    results->add(result)
  endfor
  return {results: results}
enddef

def Try(token: number, facts: list<list<any>>, steps: list<list<any>>)
  const failed = Failed(facts)
  const outcome = empty(failed) ? RunSteps(steps) : {failed: failed}
  Forget(token)
  channel.Emit('answered', extendnew(outcome, {token: token}))
enddef

def Forget(token: number)
  if has_key(waiting, token)
    remove(waiting, string(token))
  endif
enddef

# Wait until a gate of `timing/moment` is open, check the facts, and run the steps. Emits `answered` {token};
# with `failed` facts, in which case nothing was done; `results` of the steps; `failure` if the step after
# those has failed.
export def Run(token: number, gate: string, facts: list<list<any>>, steps: list<list<any>>)
  const Open = () => Try(token, facts, steps)
  const OnError = (failure) => channel.Emit('answered', {token: token, results: [], failure: failure})
  if gate ==# 'changeable'
    const changed = facts->mapnew((_, fact) => fact[1])->filter((_, subject) => type(subject) == v:t_number)
    waiting[token] = moment.WhenChangeable(Open, OnError, changed)
  else
    waiting[token] = call('claude_ide#timing#moment#When' .. toupper(gate[0]) .. gate[1 :], [Open, OnError])
  endif
enddef

# Give up a batch that still waits.
export def Withdraw(token: number): bool
  if has_key(waiting, token)
    call(remove(waiting, string(token)), [])
  endif
  return true
enddef

# Give up all batches: the host has ended.
export def WithdrawAll()
  for token in keys(waiting)
    Withdraw(str2nr(token))
  endfor
enddef

defcompile

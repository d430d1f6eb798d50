" Which agents have announced that they will write files without a diff, in both editors: the next write to such a
" file, if it follows soon, is attributed to the agent. And which writes the host still has to judge.

let s:lasts = 10.0 " seconds until the write: an agent does not ask the user in between
let s:writes = {} " by real path: the agent's name, and the time
let s:unjudged = {} " by path: writes that may be merged with unsaved changes

" The name of the agent that has announced the next write to a file; empty for another program.
function claude_ide#agent_writes#Announced(path) abort
  let l:note = get(s:writes, claude_ide#places#Resolved(a:path), [])
  return !empty(l:note) && reltimefloat(reltime(l:note[1])) < s:lasts ? l:note[0] : ''
endfunction

" Record that an agent is about to write a file.
function claude_ide#agent_writes#Announce(path, agent = 'Claude') abort
  let s:writes[claude_ide#places#Resolved(a:path)] = [a:agent, reltime()]
endfunction

" The write to a file has just happened. Return what `Announced` does.
function claude_ide#agent_writes#Take(path) abort
  let l:agent = claude_ide#agent_writes#Announced(a:path)
  call filter(s:writes, {real, _ -> real !=# claude_ide#places#Resolved(a:path)})
  return l:agent
endfunction

" Report that a buffer keeps its unsaved changes and is not updated. These are based on the text with the `stamp`,
" empty if it is not known, which `is_earlier` than the one before the change.
function claude_ide#agent_writes#Kept(path, stamp, is_earlier) abort
  let s:unjudged[a:path] = v:true
  call claude_ide#editor#Emit('file_kept', {'path': a:path, 'agent': claude_ide#agent_writes#Take(a:path),
        \ 'stamp': a:stamp, 'is_earlier': a:is_earlier})
endfunction

" Know that such a write is no agent's, and is not merged. The host calls this.
function claude_ide#agent_writes#Judged(path) abort
  call filter(s:unjudged, {path, _ -> path !=# a:path})
endfunction

" Whether the host does not know yet whether it is.
function claude_ide#agent_writes#IsUnjudged(path) abort
  return has_key(s:unjudged, a:path)
endfunction

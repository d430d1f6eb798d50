" The prompts of the option `prompts`, which the user chooses by their names, in both editors: `/explain`.

let s:names = [] " those that are offered
let s:Use = v:null

" The name in `/name`, empty if it is left out; v:null if the words are not the name of a prompt.
function claude_ide#prompts#NameIn(words) abort
  let l:name = trim(a:words)
  return l:name ==# '/' || (l:name[0] ==# '/' && has_key(claude_ide#arguments#Prompts(), l:name[1 :])) ? l:name[1 :] : v:null
endfunction

" Call `Use` with the text of a prompt, with its placeholders. If the name is empty, the user chooses, or chooses none.
function claude_ide#prompts#Choose(name, Use) abort
  let l:texts = claude_ide#arguments#Prompts()
  if a:name !=# ''
    call a:Use(l:texts[a:name])
  elseif empty(l:texts)
    call claude_ide#editor#Show('there are no prompts (:help claude-ide-prompts)', 'warn')
  else
    let [s:names, s:Use] = [sort(keys(l:texts)), a:Use]
    call claude_ide#editor#Select('Prompt', s:names, 'claude_ide#prompts#Chosen')
  endif
endfunction

" Only for this script: `index` is that of the name, from 1; 0 if the user has chosen none.
function claude_ide#prompts#Chosen(index) abort
  if a:index > 0
    call call(s:Use, [claude_ide#arguments#Prompts()[s:names[a:index - 1]]])
  endif
endfunction

" What the host needs to mention lines of a file (`editor/mentions.py`), and how the user types a mention, in both
" editors.

" Called by the host: the lines of a file in its buffer; 0 if it is not loaded.
function claude_ide#mentions#LineCount(path) abort
  let l:bufnr = claude_ide#editor#Loaded(a:path)
  return l:bufnr > 0 ? getbufinfo(l:bufnr)[0].linecount : 0
endfunction

" Send the lines that an operator covers; for 'operatorfunc'.
function claude_ide#mentions#Send(type) abort
  '[,']ClaudeSend
endfunction

" Start the operator that mentions lines; for an `<expr>` map. Return keys.
function claude_ide#mentions#Operator() abort
  let &operatorfunc = 'claude_ide#mentions#Send'
  return 'g@'
endfunction

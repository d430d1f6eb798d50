vim9script
# Completes the arguments of `:ClaudeWire`.

export def Complete(lead: string, line: string, pos: number): list<string>
  const before = strpart(line, 0, pos - len(lead))
  if before =~# '\<save\s\+$'
    return getcompletion(lead, 'file')->map((_, path) => fnameescape(path))
  endif
  return before =~# '\<ClaudeWire\s\+$' && stridx('save', lead) == 0 ? ['save'] : []
enddef

defcompile

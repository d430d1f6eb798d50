" The test's door to the Vim under test: a channel over which it calls functions, also at a prompt.
" The channel is in JSON mode, whose calls redraw nothing; its messages to Vim must be short.

func! TestDoor(address) abort
  let g:test_door = ch_open(a:address, {'mode': 'json', 'waittime': 5000, 'drop': 'never'})
endfunc

" Do `TestEval`, `TestCommand` or `TestCall` with what the JSON in the file `path` says. A longer
" message would come in several reads, and Vim drops one whose rest is late.
func! TestFromFile(path) abort
  let [name, arguments] = json_decode(join(readfile(a:path), "\n"))
  return call('g:' .. name, arguments)
endfunc

" Encode the result here, because the channel answers without a reason if it cannot.
func! TestEval(expression) abort
  try
    return {'ok': json_encode(eval(a:expression))}
  catch
    return {'error': v:exception}
  endtry
endfunc

func! TestCommand(text) abort
  try
    execute a:text
    return {'ok': 'null'}
  catch
    return {'error': v:exception}
  endtry
endfunc

" What a function that returns nothing returns cannot be encoded.
func! TestCall(name, arguments) abort
  try
    return {'ok': json_encode(call(a:name, a:arguments))}
  catch /^Vim(return):\%(E685\|E340\):/
    return {'ok': 'null'}
  catch
    return {'error': v:exception}
  endtry
endfunc

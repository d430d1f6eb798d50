vim9script
# Vim's working folders.

# The global working folder, then those of tabpages and windows, without duplicates.
export def All(): list<string>
  var folders = [getcwd(-1)]
  for tab in range(1, tabpagenr('$'))
    folders->add(getcwd(-1, tab))
    for win in range(1, tabpagewinnr(tab, '$'))
      folders->add(getcwd(win, tab))
    endfor
  endfor
  var known: dict<bool> = {}
  return folders->filter((_, folder) => {
    const is_new = !has_key(known, folder)
    known[folder] = true
    return is_new
  })
enddef

defcompile

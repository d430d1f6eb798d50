vim9script
# The user's options as they stand, wrong ones, too (the host reports those).

# An option, or without a name a group of options; null if it is missing.
export def Get(group: string, name = ''): any
  var value: any = get(g:, 'claude_ide', v:null)
  for key in name ==# '' ? [group] : [group, name]
    if type(value) != v:t_dict
      return v:null
    endif
    value = get(value, key, v:null)
  endfor
  return value
enddef

defcompile

vim9script
# The options as the host gets them: functions stay in Vim, which alone can call them.

# The options that may be functions.
const FUNCTIONS = ['diff.layout', 'terminal.side']

def WithoutFunctions(value: any, name: string, complaints: list<string>): any
  if type(value) == v:t_list
    return value->deepcopy()->filter((_, inner) => type(inner) != v:t_func)
  elseif type(value) != v:t_dict
    return value
  endif
  var copy: dict<any> = {}
  for key in keys(value)
    const inner_name = (name ==# '' ? '' : name .. '.') .. key
    if type(value[key]) != v:t_func
      copy[key] = WithoutFunctions(value[key], inner_name, complaints)
    elseif FUNCTIONS->index(inner_name) < 0
      complaints->add($'g:claude_ide.{inner_name} must not be a function')
    endif
  endfor
  return copy
enddef

# Copy the options for the host, without functions. Returns the copy, and one line for each function
# that is not the value of an option.
export def Sendable(options: any): list<any>
  var complaints: list<string> = []
  const copy = WithoutFunctions(options, '', complaints)
  return [copy, sort(complaints)]
enddef

defcompile

vim9script
# Chooses the Python that runs the host.

import autoload '../messages/log.vim'
import autoload '../system/program.vim'

# The folder of the plugin's checkout.
export const ROOT = expand('<script>:p:h:h:h:h')

# Why nothing can be installed.
export const NONE = 'No Python 3.11 or newer found'

var checked = '' # a Python that can run the host

# The Python of a virtual environment.
export def Of(environment: string): string
  return environment .. '/bin/python'
enddef

# The folder of the plugin's own virtual environment, which `:ClaudeInstall` creates.
export def Own(): string
  return claude_ide#editor#Folder('data') .. '/venv'
enddef

# The option `python`; empty if it is not set.
export def Configured(): string
  const path = claude_ide#editor#Option('python')
  return type(path) == v:t_string ? path : ''
enddef

# Find the Python that runs the host. Returns `path`, empty if there is none, `problem`, and
# whether the packages of the host are probably there (`is_prepared`).
export def Find(): dict<any>
  const path = Configured()
  if path !=# ''
    const found = program.Find(expand(path, true))
    const problem = $'g:claude_ide.python is not executable: {path}'
    return {path: found, problem: found ==# '' ? problem : '', is_prepared: true}
  endif
  for candidate in [Of(Own()), Of(ROOT .. '/.venv')]
    if executable(candidate)
      return {path: candidate, problem: '', is_prepared: true}
    endif
  endfor
  const system = program.Find('python3')
  return {path: system, problem: system ==# '' ? NONE : '', is_prepared: false}
enddef

# Have a Python check whether it can run the host. Returns its `version`, or a `problem`.
export def Check(path: string): dict<string>
  const outcome = program.Run([path, '-I', ROOT .. '/python/claude_ide/host.py', '--vim', '--check'])
  if outcome.code == 0
    return {version: trim(outcome.output)}
  endif
  const said = split(outcome.output, "\n")
  log.Append(said)
  return {problem: get(said, -1, $'{path} does not run')}
enddef

# Why no host can be started; empty if one probably can. Only a Python that was not installed for
# the host is run to find out.
export def Problem(): string
  const found = Find()
  if found.path ==# '' || found.is_prepared || found.path ==# checked
    return found.problem
  endif
  const problem = Check(found.path)->get('problem', '')
  if problem ==# ''
    checked = found.path
  endif
  return problem
enddef

# The path of a Python from which an environment can be created; empty if there is none. The user's
# default comes before a newer one.
export def Recent(): string
  const check = ['-I', '-c', 'import sys; sys.exit(sys.version_info < (3, 11))']
  for name in ['python3'] + range(14, 11, -1)->map((_, minor) => $'python3.{minor}')
    const path = program.Find(name)
    # Only running it tells: a version manager's shim may start an old Python, or none.
    if path !=# '' && program.Run([path] + check).code == 0
      return path
    endif
  endfor
  return ''
enddef

# What the user can do about a problem: `text`, and whether `:ClaudeInstall` solves it
# (`is_installable`).
export def Remedy(problem: string): dict<any>
  if Configured() !=# ''
    return {text: 'Correct or remove g:claude_ide.python', is_installable: false}
  elseif problem =~# 'is too old' && Recent() ==# ''
    return {text: 'Install 3.11 or newer, then run :ClaudeInstall', is_installable: false}
  elseif problem ==# NONE && Recent() ==# ''
    return {text: 'Install one, then run :ClaudeInstall', is_installable: false}
  endif
  return {text: 'Run :ClaudeInstall', is_installable: true}
enddef

# A problem in one line, with what the user can do about it.
export def Refusal(problem: string): string
  return problem =~# '^g:claude_ide\.python' ? problem : $'{problem}. {Remedy(problem).text}'
enddef

defcompile

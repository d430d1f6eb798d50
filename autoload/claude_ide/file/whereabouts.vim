vim9script
# Shortens paths for the user, and warns if a change of the file can run code or is outside the
# project.

import autoload './path.vim' as file

const OUTSIDE = 'outside the project'
const AT_LOGIN = 'runs at login'
const IN_SHELLS = 'runs in every shell'
const GIT = 'git runs it'
const SSH = 'ssh trusts it'
const CRON = 'cron runs it'
const CLAUDE = 'Claude runs it'
const NEOVIM = 'Neovim runs it'
const VIM = 'Vim runs it'
const AGENT = 'an agent runs it'

# Patterns are matched against the path in lower case, because some file systems ignore case.
const ANYWHERE = [
  ['/\.git/', GIT],
  ['/\.git$', GIT],
  ['/\.husky/', GIT],
  ['/\.claude/settings[^/]*\.json$', CLAUDE],
  ['/\.claude/hooks/', CLAUDE],
  ['/\.mcp\.json$', CLAUDE],
  ['/\.\%(codex\|copilot\|gemini\|kimi\|kimi-code\|opencode\|qwen\|vibe\)/', AGENT],
  ['/opencode\.jsonc\?$', AGENT],
  ['/\.envrc$', 'direnv runs it'],
  ['/\.vscode/', 'VS Code runs it'],
  ['/\.nvim\.lua$', NEOVIM],
  ['/\.nvimrc$', NEOVIM],
  ['/[._]g\?vimrc$', VIM],
  ['/\.exrc$', VIM],
  ['^/etc/cron', CRON],
  ['^/etc/anacrontab$', CRON],
  ['^/var/spool/cron/', CRON],
  ['^/etc/profile', AT_LOGIN],
  ['^/etc/systemd/', AT_LOGIN],
  ['^/library/launch', AT_LOGIN],
]

const AT_HOME = [
  ['^\.bash_profile$', AT_LOGIN],
  ['^\.bash_login$', AT_LOGIN],
  ['^\.profile$', AT_LOGIN],
  ['^\.z\?login$', AT_LOGIN],
  ['^\.zprofile$', AT_LOGIN],
  ['^\.x[a-z]\+$', AT_LOGIN],
  ['^\.pam_environment$', AT_LOGIN],
  ['^\.config/autostart/', AT_LOGIN],
  ['^\.config/autostart-scripts/', AT_LOGIN],
  ['^\.config/environment\.d/', AT_LOGIN],
  ['^\.config/systemd/user/', AT_LOGIN],
  ['^\.local/share/systemd/user/', AT_LOGIN],
  ['^library/launch', AT_LOGIN],
  ['^\.bashrc$', IN_SHELLS],
  ['^\.bash_aliases$', IN_SHELLS],
  ['^\.bash_logout$', IN_SHELLS],
  ['^\.z[a-z]\+$', IN_SHELLS],
  ['^\.[a-z]*shrc$', IN_SHELLS],
  ['^\.config/fish/', IN_SHELLS],
  ['^\.ssh/', SSH],
  ['^\.gitconfig$', GIT],
  ['^\.config/git/', GIT],
  ['^\.vim/', VIM],
  ['^\.config/vim/', VIM],
  ['^\.config/nvim/', NEOVIM],
  ['^\.local/share/nvim/site/', NEOVIM],
  ['^\.claude\.json$', CLAUDE],
  ['^\.config/opencode/', AGENT],
]

# A path relative to a folder; empty if it is not inside.
def Below(path: string, folder: string): string
  const start = folder[-1] ==# '/' ? folder : folder .. '/'
  return stridx(path, start) == 0 ? strpart(path, len(start)) : ''
enddef

def Find(rules: list<list<string>>, path: string): string
  const index = rules->indexof((_, rule) => tolower(path) =~# rule[0])
  return index < 0 ? '' : rules[index][1]
enddef

def WarningOf(path: string, home: string): string
  const at_home = Find(AT_HOME, Below(path, home))
  return at_home ==# '' ? Find(ANYWHERE, path) : at_home
enddef

def IsInOne(path: string, roots: list<string>): bool
  const real = file.Resolved(path)
  return roots->indexof((_, root) => real ==# file.Resolved(root) || Below(real, file.Resolved(root)) !=# '') >= 0
enddef

def Spell(path: string, roots: list<string>, home: string): string
  for root in roots
    for folder in [root, file.Resolved(root)]
      if Below(path, folder) !=# ''
        return Below(path, folder)
      endif
    endfor
  endfor
  const at_home = Below(path, home)
  return at_home ==# '' ? path : '~/' .. at_home
enddef

# Shorten a path for display, and find a warning about its file. `roots` are the project's folders.
# Returns {path, warning, target}; `warning` is a few words, or empty; `target` is the path without links,
# for which it is.
export def Of(path: string, roots: list<string>): dict<string>
  if path !~# '^[~/]'
    return {path: path, warning: '', target: path}
  endif
  const normal = simplify(fnamemodify(path, ':p'))
  const home = expand('~', true)
  const target = file.Resolved(normal)
  const in_real = WarningOf(target, file.Resolved(home))
  const warning = in_real ==# '' ? WarningOf(normal, home) : in_real
  return {
    path: Spell(normal, roots, home),
    warning: warning ==# '' && !IsInOne(normal, roots) ? OUTSIDE : warning,
    target: target,
  }
enddef

defcompile

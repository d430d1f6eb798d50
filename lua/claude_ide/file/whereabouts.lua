--- How to show a path to the user, with a warning if a change of the file can run code or leaves the
--- project.
local file = require('claude_ide.file.path')

local M = {}

local real = file.real

local OUTSIDE = 'outside the project'
local AT_LOGIN, IN_SHELLS = 'runs at login', 'runs in every shell'
local GIT, SSH, CRON = 'git runs it', 'ssh trusts it', 'cron runs it'
local CLAUDE, NEOVIM = 'Claude runs it', 'Neovim runs it'
local AGENT = 'an agent runs it'
local DIRENV, VS_CODE = 'direnv runs it', 'VS Code runs it'

-- Patterns are matched against the path in lower case, because some file systems ignore case.
local ANYWHERE = {
  { '/%.git/', GIT },
  { '/%.git$', GIT },
  { '/%.husky/', GIT },
  { '/%.claude/settings[^/]*%.json$', CLAUDE },
  { '/%.claude/hooks/', CLAUDE },
  { '/%.mcp%.json$', CLAUDE },
  { '/%.codex/', AGENT },
  { '/%.copilot/', AGENT },
  { '/%.gemini/', AGENT },
  { '/%.kimi/', AGENT },
  { '/%.kimi%-code/', AGENT },
  { '/%.opencode/', AGENT },
  { '/opencode%.jsonc?$', AGENT },
  { '/%.qwen/', AGENT },
  { '/%.vibe/', AGENT },
  { '/%.envrc$', DIRENV },
  { '/%.vscode/', VS_CODE },
  { '/%.nvim%.lua$', NEOVIM },
  { '/%.n?vimrc$', NEOVIM },
  { '/%.exrc$', NEOVIM },
  { '^/etc/cron', CRON },
  { '^/etc/anacrontab$', CRON },
  { '^/var/spool/cron/', CRON },
  { '^/etc/profile', AT_LOGIN },
  { '^/etc/systemd/', AT_LOGIN },
  { '^/library/launch', AT_LOGIN },
}

local AT_HOME = {
  { '^%.bash_profile$', AT_LOGIN },
  { '^%.bash_login$', AT_LOGIN },
  { '^%.profile$', AT_LOGIN },
  { '^%.z?login$', AT_LOGIN },
  { '^%.zprofile$', AT_LOGIN },
  { '^%.x[a-z]+$', AT_LOGIN },
  { '^%.pam_environment$', AT_LOGIN },
  { '^%.config/autostart/', AT_LOGIN },
  { '^%.config/autostart%-scripts/', AT_LOGIN },
  { '^%.config/environment%.d/', AT_LOGIN },
  { '^%.config/systemd/user/', AT_LOGIN },
  { '^%.local/share/systemd/user/', AT_LOGIN },
  { '^library/launch', AT_LOGIN },
  { '^%.bashrc$', IN_SHELLS },
  { '^%.bash_aliases$', IN_SHELLS },
  { '^%.bash_logout$', IN_SHELLS },
  { '^%.z[a-z]+$', IN_SHELLS },
  { '^%.[a-z]*shrc$', IN_SHELLS },
  { '^%.config/fish/', IN_SHELLS },
  { '^%.ssh/', SSH },
  { '^%.gitconfig$', GIT },
  { '^%.config/git/', GIT },
  { '^%.vim/', NEOVIM },
  { '^%.config/n?vim/', NEOVIM },
  { '^%.local/share/nvim/site/', NEOVIM },
  { '^%.claude%.json$', CLAUDE },
  { '^%.config/opencode/', AGENT },
}

-- `vim.fs.relpath` would expand environment variables in a name with a dollar sign.
local function below(path, folder)
  local start = vim.endswith(folder, '/') and folder or folder .. '/'
  return vim.startswith(path, start) and path:sub(#start + 1) or nil
end

local function normalize(path)
  return vim.fs.normalize(path, { expand_env = false })
end

local function find(rules, path)
  path = path:lower()
  for _, rule in ipairs(rules) do
    if path:find(rule[1]) then
      return rule[2]
    end
  end
end

local function warning_of(path, home)
  local at_home = below(path, home)
  return at_home and find(AT_HOME, at_home) or find(ANYWHERE, path)
end

local function is_in_one(path, roots)
  return vim.iter(roots):any(function(root)
    root = real(root)
    return path == root or below(path, root) ~= nil
  end)
end

local function spell(path, roots, home)
  for _, root in ipairs(roots) do
    local inside = below(path, root) or below(path, real(root))
    if inside then
      return inside
    end
  end
  local at_home = below(path, home)
  return at_home and '~/' .. at_home or path
end

---@class claude_ide.Whereabouts
---@field path string for display
---@field warning string a few words, or empty
---@field target string the path without links, for which the warning is

--- Shorten a path for display, and find a warning about its file.
---@param path string
---@param roots string[] the project's folders
---@return claude_ide.Whereabouts
function M.of(path, roots)
  if not path:find('^[~/]') and not path:find('^%a:[/\\]') then
    return { path = path, warning = '', target = path }
  end
  local normal, home = normalize(path), normalize(assert(vim.uv.os_homedir()))
  roots = vim.tbl_map(normalize, roots)
  local target = real(normal)
  local warning = warning_of(target, real(home))
    or warning_of(normal, home)
    or not is_in_one(target, roots) and OUTSIDE
    or ''
  return { path = spell(normal, roots, home), warning = warning, target = target }
end

return M

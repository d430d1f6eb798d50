--- Completes the arguments of commands (`:help :command-completion-customlist`), by the tables that both
--- editors share (`editor/tables.json`): of `:Claude` the most common options of the CLI, and their values.
local python = require('claude_ide.host.python')

local M = {}

local fn = vim.fn
local LONGEST_NAME = 200
local MOST_SESSIONS = 50

---@param lead string
---@param kind string of `getcompletion()`
local function paths(lead, kind)
  return vim.tbl_map(fn.fnameescape, fn.getcompletion(lead, kind))
end

--- The candidates that begin with what is typed; with a mark before each, if one is given.
---@param candidates string[]
---@param lead string
---@param mark? string
---@return string[]
function M.beginning(candidates, lead, mark)
  candidates = vim.tbl_map(function(candidate)
    return (mark or '') .. candidate
  end, candidates)
  return vim.tbl_filter(function(candidate)
    return vim.startswith(candidate, lead)
  end, candidates)
end

-- The folder in which the CLI keeps the user's settings and sessions (`paths.py`).
local function config_folder()
  local given = vim.env.CLAUDE_CONFIG_DIR
  return vim.fs.abspath(given and given ~= '' and given or '~/.claude')
end

--- The ids of the CLI's stored sessions in the working folder, the latest first. Only Python reads the
--- sessions (`agents/stream_json/history.py`), but completion must not wait for it.
---@return string[]
function M.session_ids()
  local projects = vim.fs.joinpath(config_folder(), 'projects')
  local here = vim.uv.fs_realpath(vim.uv.cwd() or '.') or ''
  local name = fn.substitute(here, '[^a-zA-Z0-9]', '-', 'g')
  -- The CLI cuts the name of a long path, and adds something of its own to it.
  local folder = #name > LONGEST_NAME and name:sub(1, LONGEST_NAME) .. '-*' or name
  local found = vim.tbl_filter(function(path)
    return fn.getfsize(path) > 0 and path:find('/[%x-]+%.jsonl$') ~= nil
  end, fn.globpath(projects, folder .. '/*.jsonl', true, true))
  table.sort(found, function(one, other)
    return fn.getftime(one) > fn.getftime(other)
  end)
  return vim.tbl_map(function(path)
    return fn.fnamemodify(path, ':t:r')
  end, vim.list_slice(found, 1, MOST_SESSIONS))
end

--- The names of the sessions in the background; of one with blanks in its name, the id.
---@return string[]
function M.background_names()
  local jobs = vim.fs.joinpath(config_folder(), 'jobs')
  return vim.tbl_map(function(path)
    local ok, state = pcall(function()
      return vim.json.decode(table.concat(fn.readfile(path), '\n'))
    end)
    local name = ok and type(state) == 'table' and state.name
    local is_word = type(name) == 'string' and name:find('^[^%s|]+$')
    return is_word and name or fn.fnamemodify(path, ':h:t')
  end, fn.globpath(jobs, '*/state.json', true, true))
end

---@return { options: table<string, any>, words: table<string, string[]>, after: table<string, string> }
local function tables()
  return python.json('editor/tables.json').completion
end

local STORED = { sessions = M.session_ids, background = M.background_names }

--- Complete an option of the CLI, or the value of the option before the cursor.
---@param lead string
---@param line string
---@param pos integer bytes before the cursor
---@return string[]
function M.of_cli(lead, line, pos)
  local words = vim.split(line:sub(1, pos), '%s+')
  local options = tables().options
  local values = options[words[#words - 1]]
  local candidates = values or {}
  if type(values) == 'string' then
    candidates = STORED[values] and STORED[values]()
      or values ~= 'text' and paths(lead, values)
      or {}
  end
  if #candidates == 0 and values ~= 'text' then
    candidates = vim.tbl_keys(options)
    table.sort(candidates)
  end
  return M.beginning(candidates, lead)
end

--- Complete the name of a worktree of the working folder's project.
---@param lead string
---@return string[]
function M.of_worktrees(lead)
  local git = vim.fs.root(0, '.git') or vim.uv.cwd() or '.'
  local common = fn.systemlist({ 'git', '-C', git, 'worktree', 'list', '--porcelain' })
  local names = {}
  for _, line in ipairs(vim.v.shell_error == 0 and common or {}) do
    local path = line:match('^worktree (.*)$')
    names[#names + 1] = path and vim.fs.basename(path) or nil
  end
  return M.beginning(vim.list_slice(names, 2), lead)
end

--- Complete the word that a command takes, and the path after it.
---@param lead string
---@param line string
---@param pos integer bytes before the cursor
---@return string[]
function M.of_words(lead, line, pos)
  local words = vim.split(line:sub(1, pos), '%s+')
  local before, known = words[#words - 1] or '', tables()
  return known.after[before] and paths(lead, known.after[before])
    or M.beginning(known.words[before:match('Claude%a+')] or {}, lead)
end

--- Complete the path of `:ClaudeAdd`, but no later argument (`:help :command-completion-customlist`).
---@param lead string
---@param line string
---@param pos integer bytes before the cursor
---@return string[]
function M.of_add(lead, line, pos)
  local ok, command = pcall(vim.api.nvim_parse_cmd, line:sub(1, pos - #lead), {})
  if ok and #command.args > 0 then
    return {}
  end
  local typed = lead:gsub('\\(.)', '%1')
  local found = M.beginning(fn.getcompletion((typed:gsub('[[*?$]', '?')), 'file'), typed)
  return vim.tbl_map(fn.fnameescape, found)
end

return M

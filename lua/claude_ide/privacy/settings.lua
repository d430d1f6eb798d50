--- The `Read(…)` rules under `permissions.deny` in the settings of the Claude CLI: the administrator's, the
--- user's, and those of the projects that the working folders are in.
---
--- Whoever wrote a project can only deny more by them, so it does not matter whether it is trusted.
local folders = require('claude_ide.file.folders')
local glob = require('claude_ide.privacy.glob')

local M = {}

local uv = vim.uv

local LARGEST = 1000000 -- bytes
-- Of all rules in the settings of projects, whose authors may not be trusted: each path is compared with all
-- rules. One rule has a few dozen bytes.
local MOST_RULE_BYTES = 20000
local MOST_WILDCARD_BYTES = 4000
local TOO_MANY = 'has more Read rules than can be checked'
local IN_PROJECT = { '.claude/settings.json', '.claude/settings.local.json' }
local IS_MISSING = { ENOENT = true, ENOTDIR = true }

--- The folder of the administrator's settings.
M.managed = vim.fn.has('mac') == 1 and '/Library/Application Support/ClaudeCode'
  or '/etc/claude-code'

---@class claude_ide.SettingsFile
---@field path string
---@field folder string to which a rule that begins with `/` is relative
---@field project? string the folder in which the other relative rules hold; nil for all

---@class claude_ide.SettingsRules
---@field path string of the file
---@field rules { text: string, regexes: string[] }[]
---@field problem? string why the file cannot be used; then nothing in its reach may leave the editor
---@field project? string

local function own_folder()
  local configured = vim.env.CLAUDE_CONFIG_DIR
  return configured and configured ~= '' and configured or vim.fs.normalize('~/.claude')
end

local function managed_files()
  local found = { { path = vim.fs.joinpath(M.managed, 'managed-settings.json'), folder = '/' } }
  local inner = vim.fs.joinpath(M.managed, 'managed-settings.d')
  for name in vim.fs.dir(inner) do
    if name:find('%.json$') then
      found[#found + 1] = { path = vim.fs.joinpath(inner, name), folder = '/' }
    end
  end
  return found
end

-- A working folder, and those above it up to the root of its repository.
local function projects_of(folder)
  local above, found = { folder }, nil
  for each in vim.fs.parents(folder) do
    above[#above + 1] = each
  end
  for index, each in ipairs(above) do
    if uv.fs_stat(vim.fs.joinpath(each, '.git')) then
      found = index
      break
    end
  end
  return vim.list_slice(above, 1, found or 1)
end

---@param working string[]
---@return claude_ide.SettingsFile[]
local function files(working)
  local own = own_folder()
  local found = managed_files()
  found[#found + 1] = { path = vim.fs.joinpath(own, 'settings.json'), folder = own }
  local known = {}
  for _, folder in ipairs(working) do
    for _, project in ipairs(projects_of(folder)) do
      for _, name in ipairs(known[project] and {} or IN_PROJECT) do
        local path = vim.fs.joinpath(project, name)
        found[#found + 1] = { path = path, folder = project, project = project }
      end
      known[project] = true
    end
  end
  return found
end

-- Where the patterns of a file hold. Those of a project hold only in it.
---@return claude_ide.PatternPlaces
local function places(file, working)
  if not file.project then
    local rooted = vim.list_extend({ file.folder }, working)
    return { rooted = rooted, relative = working, is_everywhere = true }
  end
  local inner = vim.tbl_filter(function(folder)
    return vim.startswith(folder, file.project .. '/')
  end, working)
  table.insert(inner, file.project)
  return { rooted = inner, relative = inner, is_everywhere = false }
end

---@return string? pattern of a rule; nil if the rule is about another tool
local function pattern_of(rule)
  rule = vim.trim(rule)
  local pattern = rule == 'Read' and '**' or rule:match('^Read%((.*)%)$')
  -- These are the CLI's words for every file, wherever it is.
  return (pattern == '*' or pattern == '**') and '//**' or pattern
end

---@class claude_ide.RuleCost
---@field bytes integer of rules in the settings of projects
---@field wildcard_bytes integer of those that are globs

-- Whether these patterns cost little enough, together with those before; they then count.
---@param cost claude_ide.RuleCost
local function is_affordable(patterns, cost)
  for _, each in ipairs(patterns) do
    cost.bytes = cost.bytes + #each.pattern
    if each.pattern:find('[*?%[{\\]') then
      cost.wildcard_bytes = cost.wildcard_bytes + #each.pattern
    end
  end
  return cost.bytes <= MOST_RULE_BYTES and cost.wildcard_bytes <= MOST_WILDCARD_BYTES
end

---@param cost claude_ide.RuleCost
local function parse(text, file, working, cost)
  local ok, given = pcall(vim.json.decode, (text:gsub('^\239\187\191', '')))
  if not ok or type(given) ~= 'table' or (vim.islist(given) and next(given) ~= nil) then
    return nil, 'is not a JSON object'
  end
  local permissions = given.permissions
  local denied = type(permissions) == 'table' and permissions.deny or nil
  local is_absent = permissions == nil or (type(permissions) == 'table' and denied == nil)
  if not is_absent and (type(denied) ~= 'table' or not vim.islist(denied)) then
    return nil, 'permissions.deny is not a list'
  end
  local patterns = {}
  for _, rule in ipairs(denied or {}) do
    if type(rule) ~= 'string' then
      return nil, 'permissions.deny: a rule is not a string'
    end
    local pattern = pattern_of(rule)
    -- An exception to another rule cannot be told from one that the CLI would not make.
    if pattern and pattern ~= '' and not vim.startswith(pattern, '!') then
      patterns[#patterns + 1] = { text = rule, pattern = pattern }
    end
  end
  if file.project and not is_affordable(patterns, cost) then
    return nil, TOO_MANY
  end
  local where = places(file, working)
  return vim.tbl_map(function(each)
    return { text = each.text, regexes = glob.regexes(each.pattern, where) }
  end, patterns)
end

-- The text of a file; nil, and perhaps why, if there is none.
local function read(path)
  local stat, message, code = uv.fs_stat(path)
  if not stat then
    return nil, not IS_MISSING[code] and (message:match('^%u+: ([^:]*)') or message) or nil
  elseif stat.type ~= 'file' or stat.size > LARGEST then
    return nil, stat.type ~= 'file' and 'is not a file' or 'is too large'
  end
  local handle = io.open(path, 'rb')
  if not handle then
    return nil, 'permission denied'
  end
  local text = handle:read('*a')
  handle:close()
  return text
end

---@type table<string, string> by path: what identified the content of each file at the last stamp
local known = {}

-- Identifies a file's content by its status; nil if there is no file.
local function stamp(path, stat)
  if not stat then
    return path
  end
  local time, change = stat.mtime, stat.ctime
  local facts = { path, stat.size, stat.ino, time.sec, time.nsec, change.sec, change.nsec }
  return table.concat(facts, ' ')
end

--- Identifies everything that the rules depend on.
---@return string
function M.stamp()
  local working = folders.all()
  known = {}
  local stamps = vim.tbl_map(function(file)
    known[file.path] = stamp(file.path, uv.fs_stat(file.path))
    return known[file.path]
  end, files(working))
  -- The files in it are found only if it exists.
  local inner = vim.fs.joinpath(M.managed, 'managed-settings.d')
  known[inner] = stamp(inner, uv.fs_stat(inner))
  return table.concat(vim.list_extend(stamps, working), '\n')
end

--- Call a function if a file has changed since the last stamp. Nothing waits for a slow disk.
---@param fn fun()
function M.look(fn)
  local is_called = false
  for path, before in pairs(known) do
    uv.fs_stat(path, function(_, stat)
      if not is_called and stamp(path, stat) ~= before then
        is_called = true
        vim.schedule(fn)
      end
    end)
  end
end

--- The rules of every settings file that has some, or that cannot be used.
---@return claude_ide.SettingsRules[]
function M.read()
  local working, found = folders.all(), {}
  local cost = { bytes = 0, wildcard_bytes = 0 }
  for _, file in ipairs(files(working)) do
    local text, problem = read(file.path)
    local rules
    if text and vim.trim(text) ~= '' then
      rules, problem = parse(text, file, working, cost)
    end
    if problem or rules and #rules > 0 then
      local facts = { path = file.path, project = file.project, rules = rules or {} }
      facts.problem = problem
      found[#found + 1] = facts
    end
  end
  return found
end

return M

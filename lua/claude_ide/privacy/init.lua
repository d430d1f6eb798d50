--- Decides which files stay in the editor: no client, agent or model gets their names or their texts.
---
--- What the option `privacy.deny` or a rule of the CLI's settings names is private. A file that holds secrets
--- by its name is private unless `privacy.allow` names it. A path is judged as it is written, and with every
--- link on its way followed. If settings cannot be read, everything that they could deny is private.
local glob = require('claude_ide.privacy.glob')
local file = require('claude_ide.file.path')
local message = require('claude_ide.say.message')
local folders = require('claude_ide.file.folders')
local own_options = require('claude_ide.own_options')
local secrets = require('claude_ide.privacy.secrets')
local settings = require('claude_ide.privacy.settings')

local M = {}

local api, uv = vim.api, vim.uv

local PERIOD = 2000 -- milliseconds
local MOST_LINKS = 40
-- After these, a buffer may have another name, or its name may lead to another file.
local RENAMED = { 'BufEnter', 'BufFilePost', 'BufReadPost', 'BufWritePost', 'FileChangedShellPost' }
-- After these, settings may have changed. The timer sees all other changes.
local CHANGED = { 'BufWritePost', 'DirChanged', 'FocusGained' }
local BY_NAME = 'it holds secrets by its name (privacy.allow)'

---@class claude_ide.PrivacyRule
---@field matches fun(path: string): boolean
---@field reason string

local rules = {} ---@type claude_ide.PrivacyRule[]
local is_allowed ---@type fun(path: string): boolean
local problems = {} ---@type string[]
local stamp ---@type string? of what the rules were made from
local options_stamp ---@type string? of the options among that
local verdicts = {} ---@type table<string, string|false> by the name of a buffer
local yanked = {} ---@type table<string, true> SHA-256 of texts that were yanked in private buffers
local filled = {} ---@type table<string, true> the registers a to z with a text of private buffers in them
local named = {} ---@type table<string, true> the names of private buffers so far
local renamed = {} ---@type table<integer, string> why the text of a renamed buffer is denied
local subscribers = {} ---@type fun()[]
local timer ---@type uv.uv_timer_t?
local group = api.nvim_create_augroup('claude_ide_privacy', {})

local function shown(path)
  return vim.fn.fnamemodify(path, ':~')
end

local function is_list_of_strings(value)
  return type(value) == 'table'
    and vim.islist(value)
    and vim.iter(value):all(function(item)
      return type(item) == 'string' and item ~= ''
    end)
end

-- The globs of an option; nil if it is no list of globs.
local function option(name)
  local privacy = own_options.get('privacy')
  if not privacy then
    return {}
  end
  local globs = type(privacy) ~= 'table' and privacy or privacy[name] or {}
  return is_list_of_strings(globs) and globs or nil
end

local function matcher_of(globs, where)
  local regexes = {}
  for _, each in ipairs(globs) do
    vim.list_extend(regexes, glob.regexes(each, where))
  end
  return glob.matcher(regexes)
end

local function everything()
  return true
end

local function add(regexes, reason)
  local ok, matches = pcall(glob.matcher, regexes)
  if not ok then
    problems[#problems + 1] = reason .. ': not a glob'
  end
  rules[#rules + 1] = { matches = ok and matches or everything, reason = reason }
end

-- Rules that deny what is in the reach of something that cannot be used.
local function add_problem(problem, regexes)
  problems[#problems + 1] = problem
  local reason = problem .. ', so nothing leaves Neovim (:checkhealth claude_ide)'
  rules[#rules + 1] = { matches = regexes and glob.matcher(regexes) or everything, reason = reason }
end

local function add_options(where)
  for _, name in ipairs({ 'deny', 'allow' }) do
    if not option(name) then
      add_problem(('g:claude_ide.privacy.%s is not a list of globs'):format(name))
    end
  end
  for _, each in ipairs(option('deny') or {}) do
    add(glob.regexes(each, where), ('privacy.deny has "%s"'):format(each))
  end
end

local function add_settings(read)
  if read.problem then
    local within = read.project and glob.regexes('//' .. read.project .. '/**', {}) or nil
    add_problem(('%s %s'):format(shown(read.path), read.problem), within)
  end
  for _, rule in ipairs(read.rules) do
    add(rule.regexes, ('%s denies %s'):format(shown(read.path), rule.text))
  end
end

local function build()
  rules, problems = {}, {}
  -- In the options, `/` begins an absolute path.
  local where = { rooted = { '/' }, relative = folders.all(), is_everywhere = true }
  add_options(where)
  vim.iter(settings.read()):each(add_settings)
  local allowed = vim.list_extend(vim.deepcopy(secrets.EXAMPLES), option('allow') or {})
  local ok, matches = pcall(matcher_of, allowed, where)
  is_allowed = ok and matches or matcher_of(secrets.EXAMPLES, where)
  if not ok then
    problems[#problems + 1] = 'g:claude_ide.privacy.allow has an item that is not a glob'
  end
end

local function stamp_of_options()
  return vim.inspect(own_options.get('privacy'))
end

--- Read the options and the settings again if they have changed.
function M.refresh()
  options_stamp = stamp_of_options()
  local now = options_stamp .. '\n' .. settings.stamp()
  if now == stamp then
    return
  end
  local is_first = stamp == nil
  stamp, verdicts = now, {}
  build()
  for _, subscriber in ipairs(is_first and {} or subscribers) do
    subscriber()
  end
end

-- A path without the links in its folders; the file itself may be missing, or a link.
---@param known table<string, string> the real folders that have been looked up
local function with_real_folder(path, known)
  local folder = vim.fs.dirname(path)
  known[folder] = known[folder] or file.real(folder)
  return known[folder] == folder and path or vim.fs.joinpath(known[folder], vim.fs.basename(path))
end

-- A path, and every other that its links make of it.
local function spellings(path, known)
  local found, link = { path }, path
  for _ = 1, MOST_LINKS do
    local real = with_real_folder(link, known)
    if real ~= link then
      found[#found + 1] = real
    end
    local target = uv.fs_readlink(real)
    if not target then
      -- A `..` after a link in a target leads elsewhere than it reads.
      found[#found + 1] = link ~= path and file.real(path) or nil
      return found
    end
    link = vim.fs.normalize(
      vim.startswith(target, '/') and target or vim.fs.joinpath(vim.fs.dirname(real), target),
      { expand_env = false }
    )
    found[#found + 1] = link
  end
  return found
end

local function reason_of_spelling(path)
  for _, rule in ipairs(rules) do
    if rule.matches(path) then
      return rule.reason
    end
  end
  return secrets.is_one(path) and not is_allowed(path) and BY_NAME or nil
end

-- The reason of a buffer that was renamed to a path.
local function reason_of_renamed(path)
  for bufnr, reason in pairs(renamed) do
    if api.nvim_buf_is_valid(bufnr) and api.nvim_buf_get_name(bufnr) == path then
      return reason
    end
  end
end

---@param known? table<string, string> see `with_real_folder`
local function judge(path, known)
  for _, spelling in ipairs(spellings(path, known or {})) do
    local reason = reason_of_spelling(spelling)
    if reason then
      return reason
    end
  end
  return reason_of_renamed(path)
end

--- Why a file, or a folder, stays in the editor; nil if it need not. It is read from the disk each time.
---@param path string absolute
---@return string?
function M.reason(path)
  return M.checker()(path)
end

--- A function like `reason`, for many questions in one moment.
---@return fun(path: string): string?
function M.checker()
  M.refresh()
  local known, real_folders = {}, {}
  return function(path)
    if known[path] == nil then
      local plain = vim.fs.normalize(path, { expand_env = false })
      known[path] = judge(plain, real_folders) or false
    end
    return known[path] or nil
  end
end

--- Those of many files that stay in the editor, with the reasons.
---@param paths string[]
---@return { path: string, reason: string }[]
function M.among(paths)
  local check, found = M.checker(), {}
  for _, path in ipairs(paths) do
    local reason = check(path)
    if reason then
      found[#found + 1] = { path = path, reason = reason }
    end
  end
  return found
end

--- Why the file of a buffer with this name stays in the editor. The answer is remembered until something
--- happens to a buffer or to the rules, so that it costs nothing after each key.
---@param name string
---@return string?
function M.of_name(name)
  if not stamp then
    M.refresh()
  end
  local verdict = verdicts[name]
  if verdict == nil then
    verdict = name ~= '' and judge(name) or false
    verdicts[name] = verdict
    named[name] = verdict and true or named[name]
  end
  return verdict or nil
end

--- Why the text and the name of a buffer stay in the editor. A buffer that was renamed still has the text of
--- the file that it was read from, until it is written to another file or read from one.
---@param bufnr integer 0 for the current one
---@return string?
function M.of_buffer(bufnr)
  bufnr = bufnr == 0 and api.nvim_get_current_buf() or bufnr
  return renamed[bufnr] or M.of_name(api.nvim_buf_get_name(bufnr))
end

--- Whether a line names a private file that is or was open.
---@param line string
---@return boolean
function M.is_named(line)
  for name in pairs(named) do
    if line:find(vim.fs.basename(name), 1, true) then
      return true
    end
  end
  return false
end

--- Whether a register has a text that was yanked, deleted or recorded in a private buffer, or the name of
--- one.
---@param name string
---@return boolean
function M.is_in_register(name)
  local text = vim.fn.getreg(name)
  return filled[name:lower()] ~= nil
    or next(yanked) ~= nil and yanked[vim.fn.sha256(text)] ~= nil
    or name:find('^[%%#]$') ~= nil
      and text ~= ''
      and M.of_name(vim.fn.fnamemodify(text, ':p')) ~= nil
end

--- Say in one line why a file stays in the editor.
---@param path string
---@param reason string
---@return string
function M.sentence(path, reason)
  return ('%s stays in Neovim: %s'):format(vim.fn.fnamemodify(path, ':~:.'), reason)
end

--- Why a buffer stays in the editor, in one line; nil if it need not. Nothing is remembered for this.
---@param bufnr integer 0 for the current one
---@return string?
function M.why(bufnr)
  local name = api.nvim_buf_get_name(bufnr)
  M.refresh()
  verdicts[name] = nil
  local reason = M.of_buffer(bufnr)
  return reason and M.sentence(name, reason)
end

--- What is wrong with options or settings, one line for each.
---@return string[]
function M.problems()
  M.refresh()
  return problems
end

--- The number of rules in options and settings.
---@return integer
function M.count()
  M.refresh()
  return #rules - #problems
end

--- Call `fn` after each change of the rules.
---@param fn fun()
function M.subscribe(fn)
  table.insert(subscribers, fn)
end

local function before_renaming(event)
  renamed[event.buf] = M.of_buffer(event.buf)
end

local function forget_renaming(event)
  renamed[event.buf] = nil
end

-- With an uppercase letter a text is appended to what the register had.
local function remember_yank(event)
  local name = vim.v.event.regname
  local register = name == '' and '"' or name:lower()
  local is_private = M.of_buffer(event.buf) ~= nil
  if name:find('^%l$') then
    filled[name] = nil
  end
  if is_private and register:find('^%l$') then
    filled[register] = true
  end
  if is_private or filled[register] then
    yanked[vim.fn.sha256(vim.fn.getreg(register))] = true
  end
end

-- What is typed while a macro is recorded is in its register.
local function remember_recording(event)
  local name = vim.fn.reg_recording():lower()
  if name ~= '' and M.of_buffer(event.buf) then
    filled[name] = true
  end
end

local function forget_verdict(event)
  verdicts[api.nvim_buf_get_name(event.buf)] = nil
end

local function refresh_safely()
  local ok, failure = pcall(M.refresh)
  if not ok then
    message.show(('the privacy settings cannot be read: %s'):format(failure), 'error')
    M.watch(false)
  end
end

-- Each of these looks costs a few microseconds here; the disk is read elsewhere.
local function look()
  if stamp_of_options() ~= options_stamp then
    refresh_safely()
  else
    settings.look(refresh_safely)
  end
end

--- Follow changes of the options, of settings and of the names of buffers, while a server runs.
---@param on boolean
function M.watch(on)
  api.nvim_clear_autocmds({ group = group })
  if timer then
    timer:close()
    timer = nil
  end
  if not on then
    return
  end
  M.refresh()
  timer = assert(uv.new_timer())
  timer:start(PERIOD, PERIOD, vim.schedule_wrap(look))
  local function on_event(events, callback)
    api.nvim_create_autocmd(events, { group = group, callback = callback })
  end
  on_event('BufFilePre', before_renaming)
  on_event({ 'BufReadPost', 'BufWritePost', 'BufWipeout' }, forget_renaming)
  on_event('TextYankPost', remember_yank)
  on_event({ 'BufEnter', 'InsertEnter', 'TextChanged', 'RecordingEnter' }, remember_recording)
  on_event(RENAMED, forget_verdict)
  on_event(CHANGED, refresh_safely)
end

return M

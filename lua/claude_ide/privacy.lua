--- Judges which files stay in the editor: no client, agent or model gets their names or their texts.
---
--- The host makes the rules, from the options and the settings of the CLI, and judges again what leaves the
--- editor. Here they decide what is reported unasked, or must be refused at once. Until they have arrived,
--- and after the end of the host, nothing leaves.
local autocommands = require('claude_ide.messages.autocommands')
local channel = require('claude_ide.channel')
local file = require('claude_ide.file.path')
local own_options = require('claude_ide.own_options')

local M = {}

local api = vim.api

-- After these, a buffer may have another name, or its name may lead to another file.
local RENAMED = { 'BufEnter', 'BufFilePost', 'BufReadPost', 'BufWritePost', 'FileChangedShellPost' }
-- After these, settings may have changed. The host sees most changes itself.
local CHANGED = { 'BufWritePost', 'DirChanged', 'FocusGained' }
local UNKNOWN = 'it is not known yet which files are private'

---@class claude_ide.PrivacyRules from the host (`privacy/rules.py`)
---@field rules { [1]: string, [2]: string }[] a regular expression and the reason; the first match counts
---@field allowed string what is none of the secrets that the last rule names

---@class claude_ide.PrivacyRule
---@field regex vim.regex
---@field reason string

local rules ---@type claude_ide.PrivacyRule[]? nil while nothing may leave
local allowed ---@type vim.regex
local reported ---@type string? the options that the host knows
local verdicts = {} ---@type table<string, string|false> by the name of a buffer
local yanked = {} ---@type table<string, true> SHA-256 of texts that were yanked in private buffers
local filled = {} ---@type table<string, true> the registers a to z with a text of private buffers in them
local named = {} ---@type table<string, true> the names of private buffers so far
local renamed = {} ---@type table<integer, string> why the text of a renamed buffer is denied
local subscribers = {} ---@type fun()[]
local on_event, group = autocommands.group('claude_ide_privacy')

-- The option as JSON; functions and other values that have none are no globs.
local function options()
  local ok, json = pcall(vim.json.encode, own_options.get('privacy') or vim.NIL)
  return ok and json or '"?"'
end

-- Why the texts of renamed buffers are private, by their names now.
local function reasons_of_renamed()
  local reasons = {}
  for bufnr, reason in pairs(renamed) do
    if api.nvim_buf_is_valid(bufnr) then
      reasons[api.nvim_buf_get_name(bufnr)] = reason
    end
  end
  return reasons
end

--- `PrivacyFacts` of the port: what the host makes the rules from, beside settings.
---@return table
function M.facts()
  reported = options()
  return {
    privacy = vim.json.decode(reported),
    folders = vim.fn['claude_ide#places#Folders'](),
    cwd = vim.fn.getcwd(),
    named = vim.tbl_keys(named),
    renamed = reasons_of_renamed(),
  }
end

local function report()
  channel.emit('privacy_facts', M.facts())
end

-- Have the host judge by new options. They hold at once: nothing leaves until the host has answered.
local function look()
  if options() ~= reported then
    rules, verdicts = nil, {}
    report()
  end
end

--- Judge with these rules from now on; called by the host.
---@param new claude_ide.PrivacyRules
function M.apply(new)
  rules, verdicts = {}, {}
  reported = reported or options()
  allowed = vim.regex(new.allowed)
  for index, rule in ipairs(new.rules) do
    rules[index] = { regex = vim.regex(rule[1]), reason = rule[2] }
  end
  for _, subscriber in ipairs(subscribers) do
    subscriber()
  end
end

-- A path with the links in its folders followed, and with all links followed; the host judges those between.
local function spellings(path)
  local folder = file.real(vim.fs.dirname(path))
  return { path, vim.fs.joinpath(folder, vim.fs.basename(path)), file.real(path) }
end

local function reason_of_spelling(path)
  for index, rule in ipairs(rules) do
    if rule.regex:match_str(path) then
      return not (index == #rules and allowed:match_str(path)) and rule.reason or nil
    end
  end
end

--- Why a file, or a folder, stays in the editor; nil if it need not. It is read from the disk each time.
---@param path string absolute
---@return string?
function M.reason(path)
  if not rules then
    return UNKNOWN
  end
  for _, spelling in ipairs(spellings(vim.fs.normalize(path, { expand_env = false }))) do
    local reason = reason_of_spelling(spelling)
    if reason then
      return reason
    end
  end
  return reasons_of_renamed()[path]
end

--- Whether there are rules.
---@return boolean
function M.is_known()
  return rules ~= nil
end

--- Why the file of a buffer with this name stays in the editor. The answer is remembered until something
--- happens to a buffer or to the rules, so that it costs nothing after each key.
---@type fun(name: string): string?
function M.of_name(name)
  if verdicts[name] == nil and rules and name ~= '' then
    -- An option that was set a moment ago holds for it, too.
    look()
  end
  local verdict = verdicts[name]
  if verdict == nil then
    verdict = name ~= '' and M.reason(name) or false
    if rules then
      verdicts[name] = verdict
      named[name] = verdict and true or named[name]
    end
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

--- Deny the file of a buffer that the host has found to be private by a link on its way.
---@type fun(name: string, reason: string)
function M.deny(name, reason)
  verdicts[name], named[name] = reason, true
  for _, subscriber in ipairs(subscribers) do
    subscriber()
  end
end

--- Whether a register has a text that was yanked, deleted or recorded in a private buffer, or the name of
--- one.
---@type fun(name: string): boolean
function M.is_in_register(name)
  local text = vim.fn.getreg(name)
  return filled[name:lower()] ~= nil
    or next(yanked) ~= nil and yanked[vim.fn.sha256(text)] ~= nil
    or name:find('^[%%#]$') ~= nil
      and text ~= ''
      and M.of_name(vim.fn.fnamemodify(text, ':p')) ~= nil
end

--- Say in one line why a file stays in the editor.
---@type fun(path: string, reason: string): string
function M.sentence(path, reason)
  return ('%s stays in Neovim: %s'):format(vim.fn.fnamemodify(path, ':~:.'), reason)
end

--- Why a buffer stays in the editor, in one line; nil if it need not, or if only the host can tell. Nothing
--- is remembered for this.
---@param bufnr integer 0 for the current one
---@return string?
function M.why(bufnr)
  local name = api.nvim_buf_get_name(bufnr)
  look()
  verdicts[name] = nil
  local reason = rules and M.of_buffer(bufnr)
  return reason and M.sentence(name, reason) or nil
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

--- Follow the names and yanks of buffers, and changes that concern the rules, while a server runs.
---@param on boolean
function M.watch(on)
  api.nvim_clear_autocmds({ group = group })
  if not on then
    return
  end
  on_event('BufFilePre', nil, before_renaming)
  on_event({ 'BufReadPost', 'BufWritePost', 'BufWipeout' }, nil, forget_renaming)
  on_event('TextYankPost', nil, remember_yank)
  on_event({ 'BufEnter', 'InsertEnter', 'TextChanged', 'RecordingEnter' }, nil, remember_recording)
  on_event(RENAMED, nil, forget_verdict)
  on_event(CHANGED, nil, report)
  on_event('SafeState', nil, look) -- no event tells of an option
end

--- The host has ended: nothing leaves without its rules.
function M.host_ended()
  rules, verdicts, reported = nil, {}, nil
end

return M

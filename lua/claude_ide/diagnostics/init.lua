--- Reads the diagnostics of one file or of all in slices, and reports changes of them.
local buffers = require('claude_ide.file.buffers')
local channel = require('claude_ide.channel')
local events = require('claude_ide.checking.events')
local file = require('claude_ide.file.path')
local privacy = require('claude_ide.privacy')
local reading = require('claude_ide.diagnostics.reading')
local reload = require('claude_ide.disk_changes.reload')
local sets = require('claude_ide.diagnostics.sets')
local texts = require('claude_ide.checking.texts')
local throttle = require('claude_ide.timing.throttle')

local M = {}

local LIMIT = 5000
-- Of one notification, which is a single message.
local LIMIT_REPORTED = 1000
-- From this number on, they are not read while the user types.
local MANY = 500
-- Milliseconds.
local INTERVAL = 100
local PAUSE = 1

---@class claude_ide.FileDiagnostics
---@field uri string
---@field items claude_ide.DiagnosticItem[]
---@field omitted integer number of this file's items beyond the limit; set only in the last slice

-- By buffer: a function that reports its diagnostics. Only buffers whose diagnostics have changed have one.
---@type table<integer, fun()>
local reporters = {}

-- Buffers to report once the user leaves Insert mode.
---@type table<integer, true>
local postponed = {}

---@type table<integer, { reading: claude_ide.DiagnosticReading, uris: table<integer, string> }>
local readings = {}
local last_token = 0

-- Whether a buffer holds a file that need not stay in the editor.
local function is_reported(bufnr)
  return file.path(bufnr) ~= nil and privacy.of_buffer(bufnr) == nil
end

---@param path? string
---@return integer[] bufnrs
local function buffers_of(path)
  if not path or path == vim.NIL then
    return vim.tbl_filter(function(bufnr)
      return is_reported(bufnr)
    end, sets.bufnrs())
  end
  local buffer = buffers.find(path)
  if not buffer or not is_reported(buffer.bufnr) then
    return {}
  end
  sets.prioritize(buffer.bufnr)
  return { buffer.bufnr }
end

---@param bufnr integer of a file
local function uri_of(bufnr)
  return vim.uri_from_fname(assert(file.path(bufnr)))
end

--- Begin to read the diagnostics of one file or of all. `next` continues, `finish` cancels.
---@param path? string
---@return { token: integer, files: string[] } `files`: URIs of files with diagnostics
function M.begin(path)
  sets.start()
  local new = reading.new(buffers_of(path), LIMIT)
  local uris = {}
  for _, bufnr in ipairs(new.bufnrs) do
    uris[bufnr] = uri_of(bufnr)
  end
  last_token = last_token + 1
  readings[last_token] = { reading = new, uris = uris }
  return {
    token = last_token,
    files = vim.tbl_map(function(bufnr)
      return uris[bufnr]
    end, new.bufnrs),
  }
end

--- The next slice of a reading, errors first. A file may occur in several slices.
---@param token integer
---@return { files: claude_ide.FileDiagnostics[], done: boolean }
function M.next(token)
  local one = readings[token]
  if not one then
    return { files = {}, done = true }
  end
  local parts, done = reading.step(one.reading)
  if done then
    M.finish(token)
  end
  return {
    files = vim.tbl_map(function(part)
      return { uri = one.uris[part.bufnr], items = part.items, omitted = part.omitted }
    end, parts),
    done = done,
  }
end

---@class claude_ide.FirstDiagnostics
---@field token integer
---@field files claude_ide.FileDiagnostics[]
---@field done boolean

--- Begin to read, and return the first slice: most readings need no other.
---@param path? string
---@return claude_ide.FirstDiagnostics
function M.read(path)
  local token = M.begin(path).token
  local slice = M.next(token)
  return { token = token, files = slice.files, done = slice.done }
end

--- Begin to read the diagnostics of all files. If some of them have recently got a new text, return only the
--- checks of these: language servers and linters may not have answered yet.
---@return { checks?: claude_ide.Checks, first?: claude_ide.FirstDiagnostics }
function M.read_all()
  reload.sync()
  local checks = texts.recent()
  return checks.buffers and { checks = checks } or { first = M.read() }
end

--- End or cancel a reading.
---@param token integer
function M.finish(token)
  readings[token] = nil
end

-- Read all diagnostics of a buffer, with pauses between the steps, and report them.
local function report(bufnr, is_current)
  local all = reading.new({ bufnr }, LIMIT_REPORTED)
  local changed = { uri = uri_of(bufnr), items = {}, omitted = 0 }
  local function step()
    if not is_current() then
      return
    end
    local parts, done = reading.step(all)
    for _, part in ipairs(parts) do
      vim.list_extend(changed.items, part.items)
      changed.omitted = changed.omitted + part.omitted
    end
    if done then
      channel.emit('diagnostics_changed', changed)
    else
      vim.defer_fn(step, PAUSE)
    end
  end
  step()
end

-- In Insert mode, Neovim provides only copies of all diagnostics together, and a language server may
-- publish after each key: reading many of them would slow down typing.
local function is_too_much(bufnr)
  local is_typing = vim.api.nvim_get_mode().mode:sub(1, 1) == 'i'
  return is_typing
    and vim.iter(pairs(sets.count(bufnr))):any(function(_, count)
      return count >= MANY
    end)
end

-- A throttled function that reports the diagnostics of a buffer. A newer report replaces one that is
-- still being read.
local function reporter(bufnr)
  local state = 0
  return throttle.new(INTERVAL, function()
    state = state + 1
    local reported = state
    if is_too_much(bufnr) then
      postponed[bufnr] = true
    elseif is_reported(bufnr) then
      report(bufnr, function()
        return reported == state and reporters[bufnr] ~= nil
      end)
    else
      reporters[bufnr] = nil
    end
  end)
end

local function on_changed(bufnr)
  reporters[bufnr] = reporters[bufnr] or reporter(bufnr)
  reporters[bufnr]()
end

local function report_postponed()
  local bufnrs = vim.tbl_keys(postponed)
  postponed = {}
  vim.iter(bufnrs):each(on_changed)
end

--- Emit `diagnostics_changed` for each file whose diagnostics change, with its `uri`, at most 1,000
--- `items`, and the number of `omitted` ones.
---@param on boolean
function M.watch(on)
  local group = vim.api.nvim_create_augroup('claude_ide_diagnostics_watch', { clear = true })
  reporters, postponed = {}, {}
  if on then
    sets.start()
    events.subscribe(on_changed)
    vim.api.nvim_create_autocmd('InsertLeave', { group = group, callback = report_postponed })
  else
    events.unsubscribe(on_changed)
    sets.stop()
  end
end

return M

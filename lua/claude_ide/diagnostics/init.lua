--- What `vim.diagnostic` holds, for one file or for all, in slices, or as it changes.
local buffers = require('claude_ide.file.buffers')
local channel = require('claude_ide.channel')
local events = require('claude_ide.checking.events')
local file = require('claude_ide.file.path')
local publishing = require('claude_ide.checking.publishing')
local reading = require('claude_ide.diagnostics.reading')
local reload = require('claude_ide.disk.reload')
local sets = require('claude_ide.diagnostics.sets')
local throttle = require('claude_ide.when.throttle')

local M = {}

local LIMIT = 5000
-- Of one notification, which is sent in one go.
local LIMIT_REPORTED = 1000
-- From so many on they are not read while the user types.
local MANY = 500
-- Milliseconds.
local INTERVAL = 100
local BREATH = 1

---@class claude_ide.FileDiagnostics
---@field uri string
---@field items claude_ide.DiagnosticItem[]
---@field omitted integer how many of this file are over the limit; known in the last slice

M.await_publish = publishing.await

-- For each buffer whose diagnostics have changed since `watch(true)`, a function that reports them.
---@type table<integer, fun()>
local reporters = {}

-- Buffers that are reported when the user has left Insert mode.
---@type table<integer, true>
local postponed = {}

---@type table<integer, { reading: claude_ide.DiagnosticReading, uris: table<integer, string> }>
local begun = {}
local last_token = 0

---@param path? string
---@return integer[] bufnrs
local function buffers_of(path)
  if not path or path == vim.NIL then
    return vim.tbl_filter(function(bufnr)
      return file.path(bufnr) ~= nil
    end, sets.bufnrs())
  end
  local buffer = buffers.find(path)
  if buffer then
    sets.favour(buffer.bufnr)
  end
  return buffer and { buffer.bufnr } or {}
end

local function uri_of(bufnr)
  return vim.uri_from_fname(file.path(bufnr))
end

--- Begin to read the diagnostics of one file or of all; `next` goes on, `finish` gives up.
---@param path? string
---@return { token: integer, files: string[] } files URIs of those that have any
function M.begin(path)
  sets.start()
  local new = reading.new(buffers_of(path), LIMIT)
  local uris = {}
  for _, bufnr in ipairs(new.bufnrs) do
    uris[bufnr] = uri_of(bufnr)
  end
  last_token = last_token + 1
  begun[last_token] = { reading = new, uris = uris }
  return {
    token = last_token,
    files = vim.tbl_map(function(bufnr)
      return uris[bufnr]
    end, new.bufnrs),
  }
end

--- The next few hundred, errors first; a file may come again with more of them.
---@param token integer
---@return { files: claude_ide.FileDiagnostics[], done: boolean }
function M.next(token)
  local one = begun[token]
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

--- `begin`, and the first of `next` along with it: most readings are over at once.
---@param path? string
---@return claude_ide.FirstDiagnostics
function M.read(path)
  local token = M.begin(path).token
  return vim.tbl_extend('error', M.next(token), { token = token })
end

--- The same of all files, unless some were written lately: then it is their buffers that are
--- returned, about which language servers and linters have yet to say something.
---@return { reloaded: integer[], token?: integer, files?: claude_ide.FileDiagnostics[], done?: boolean }
function M.read_all()
  reload.sync()
  local reloaded = publishing.unsettled()
  local first = #reloaded == 0 and M.read() or {}
  return vim.tbl_extend('error', first, { reloaded = reloaded })
end

---@param token integer
function M.finish(token)
  begun[token] = nil
end

-- Read all that a buffer has, with a breath between the steps, and report it.
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
      vim.defer_fn(step, BREATH)
    end
  end
  step()
end

-- In Insert mode they can be had only as copies, made in one go; a language server may publish with
-- each key.
local function is_too_much(bufnr)
  local is_typing = vim.api.nvim_get_mode().mode:sub(1, 1) == 'i'
  return is_typing
    and vim.iter(pairs(sets.count(bufnr))):any(function(_, count)
      return count >= MANY
    end)
end

-- A function that reports what a buffer has, seldom enough; a newer state takes an older one's place.
local function reporter(bufnr)
  local state = 0
  return throttle.new(INTERVAL, function()
    state = state + 1
    local reported = state
    if is_too_much(bufnr) then
      postponed[bufnr] = true
    elseif file.path(bufnr) then
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

--- Emit `diagnostics_changed` with `uri`, `items` and how many were `omitted`, for each file whose
--- diagnostics change; 1,000 at most.
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

--- The diagnostics of buffers, for the host: which there are, and slices of them in the form of LSP. The host
--- decides which it reads, and when (`editor/diagnostics.py`).
local buffer_text = require('claude_ide.file.text')
local buffers = require('claude_ide.file.buffers')
local channel = require('claude_ide.channel')
local debounce = require('claude_ide.timing.debounce')
local file = require('claude_ide.file.path')
local privacy = require('claude_ide.privacy')
local published = require('claude_ide.diagnostics.published')

local M = {}

local api = vim.api

local NOTICE_MS = 100
-- Limits of a slice, so that Neovim never blocks for long; sending takes time, too.
local MOST_MS = 5
local MOST_ITEMS = 500
local MOST_BYTES = 256 * 1024

local SEVERITIES = { 'Error', 'Warning', 'Info', 'Hint' }

---@class claude_ide.DiagnosticItem
---@field message string
---@field severity 'Error'|'Warning'|'Info'|'Hint'
---@field range { start: claude_ide.Position, end: claude_ide.Position }
---@field source? string
---@field code? string|number

-- Whether a buffer holds a file that need not stay in the editor.
local function is_reported(bufnr)
  return api.nvim_buf_is_valid(bufnr)
    and file.path(bufnr) ~= nil
    and privacy.of_buffer(bufnr) == nil
end

local function described(bufnr)
  local found = {}
  for namespace, set in vim.spairs(published.sets(bufnr)) do
    found[#found + 1] = { id = namespace, version = set.version, counts = set.counts }
  end
  local uri = vim.uri_from_fname(assert(file.path(bufnr)))
  return { key = bufnr, uri = uri, sets = found, is_checked = #found > 0 }
end

--- The sets of a file, of some buffers, or of all for which anything has published (`port/diagnostics.py`).
---@param which string|integer[]|false
function M.look(which)
  local bufnrs = which or published.bufnrs()
  if type(which) == 'string' then
    local found = buffers.find(which)
    bufnrs = found and { found.bufnr } or {}
  end
  return {
    files = vim.tbl_map(described, vim.tbl_filter(is_reported, bufnrs)),
    is_typing = api.nvim_get_mode().mode:sub(1, 1) == 'i',
  }
end

-- A function from a row to its text, or to nil if the buffer is not loaded. It caches one line, because most
-- diagnostics of a line are adjacent.
local function reader(bufnr)
  local last_row, last_text
  return function(row)
    if row ~= last_row and api.nvim_buf_is_loaded(bufnr) then
      last_row, last_text = row, api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ''
    end
    return last_text
  end
end

-- Without the text of the line, bytes count as characters.
local function position(text_of, row, col)
  row, col = math.max(row, 0), math.max(col, 0)
  local text = text_of(row)
  return { line = row, character = text and buffer_text.character(text, col) or col }
end

-- Nil for other values: a null of a language server is `vim.NIL`.
local function scalar(value)
  return (type(value) == 'string' or type(value) == 'number') and value or nil
end

---@return claude_ide.DiagnosticItem
local function item(diagnostic, text_of)
  local lnum, col = diagnostic.lnum, diagnostic.col
  return {
    message = tostring(scalar(diagnostic.message) or ''),
    severity = SEVERITIES[diagnostic.severity],
    range = {
      start = position(text_of, lnum, col),
      ['end'] = position(text_of, diagnostic.end_lnum or lnum, diagnostic.end_col or col),
    },
    source = scalar(diagnostic.source),
    code = scalar(diagnostic.code),
  }
end

--- Some diagnostics of one severity in a set, from an index on (0-based); none if the set has another version
--- by now.
---@param bufnr integer
---@param namespace integer
---@param version integer
---@param severity integer
---@param first integer
---@return claude_ide.DiagnosticItem[]
function M.slice(bufnr, namespace, version, severity, first)
  local list, text_of = published.list(bufnr, namespace, version, severity), reader(bufnr)
  local items, bytes, ends_at = {}, 0, vim.uv.hrtime() + MOST_MS * 1e6
  for index = first + 1, math.min(#list, first + MOST_ITEMS) do
    items[#items + 1] = item(list[index], text_of)
    bytes = bytes + #items[#items].message
    if bytes >= MOST_BYTES or vim.uv.hrtime() > ends_at then
      break
    end
  end
  return items
end

local changed = {} ---@type table<integer, true> buffers since the last event

local notice = debounce.new(NOTICE_MS, function()
  channel.emit('diagnostics_changed', { keys = vim.tbl_keys(changed) })
  changed = {}
end).soon

local function on_published(bufnr)
  changed[bufnr] = true
  notice()
end

--- Emit `diagnostics_changed` at first, soon after a publish, and when the user has typed: the host may have
--- waited.
---@param on boolean
function M.watch(on)
  local group = api.nvim_create_augroup('claude_ide_diagnostics_watch', { clear = true })
  published[on and 'subscribe' or 'unsubscribe'](on_published)
  if on then
    api.nvim_create_autocmd('InsertLeave', { group = group, callback = notice })
    channel.emit('diagnostics_changed', {})
  end
end

return M

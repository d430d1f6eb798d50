--- The texts that files would have after the edit of a language server. Nothing is changed: edits are applied
--- to copies, and the user reviews the result.
local buffer_text = require('claude_ide.file.text')
local folders = require('claude_ide.file.folders')
local format_server = require('claude_ide.format.server')
local path_gate = require('claude_ide.file.gate')
local place = require('claude_ide.tools.place')
local reason = require('claude_ide.say.reason')
local rebase = require('claude_ide.file.rebase')
local slices = require('claude_ide.when.slices')
local whereabouts = require('claude_ide.file.whereabouts')

local M = {}

local api = vim.api

local STALE =
  '%s was changed while the language server was asked; nothing was changed, call the tool again'
local OPERATIONS = { rename = 'rename', delete = 'delete' }

---@class claude_ide.EditedFile
---@field path string
---@field text string the proposed text
---@field digest string of the present text, with which the edit can be applied
---@field lines integer how many lines change
---@field unsaved? integer the buffer, if it has unsaved changes
---@field is_new? boolean the file does not exist
---@field is_made? boolean the language server has just created it, empty
---@field warning string as in `whereabouts`, also the next
---@field target string

---@class claude_ide.FileEdits
---@field path string
---@field groups lsp.TextEdit[][] each applies to the result of the previous one
---@field version? integer of the document, if the server has named one
---@field is_new? boolean

--- The state of all buffers when a server is asked: its edits apply to these.
---@return table<integer, integer> changedticks by buffer
function M.snapshot()
  local ticks = {}
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(bufnr) then
      ticks[bufnr] = api.nvim_buf_get_changedtick(bufnr)
    end
  end
  return ticks
end

--- A digest of the text of a buffer.
---@param bufnr integer
---@return string
function M.digest(bufnr)
  return vim.fn.sha256(buffer_text.get(bufnr))
end

local function path_of(uri)
  if not vim.startswith(uri, 'file:') then
    error(('the edit changes %s, which is no file; nothing was changed'):format(uri), 0)
  end
  return path_gate.absolute(vim.uri_to_fname(uri))
end

local function shown(uri)
  return vim.startswith(uri or '', 'file:') and vim.uri_to_fname(uri) or tostring(uri)
end

-- Whether a file operation is a new file. Others cannot be reviewed as a text.
local function is_creation(operation)
  local name = OPERATIONS[operation.kind]
  if name then
    local what = ('%s %s'):format(name, shown(operation.uri or operation.oldUri))
    error(('the edit would %s, which is not supported; nothing was changed'):format(what), 0)
  elseif operation.kind ~= 'create' then
    error(('the edit has an unknown operation, "%s"'):format(tostring(operation.kind)), 0)
  end
  local options = operation.options or {}
  local exists = vim.uv.fs_stat(path_of(operation.uri)) ~= nil
  if exists and not options.ignoreIfExists then
    error(
      ('the edit would create %s, which exists; nothing was changed'):format(shown(operation.uri)),
      0
    )
  end
  return not exists
end

-- The edits of each file, in the order in which the server names the files.
---@param edit lsp.WorkspaceEdit
---@return claude_ide.FileEdits[]
local function by_file(edit)
  local files, known = {}, {}
  local function file_of(uri)
    local path = path_of(uri)
    if not known[path] then
      known[path] = { path = path, groups = {} }
      files[#files + 1] = known[path]
    end
    return known[path]
  end
  local changes = edit.documentChanges
  if type(changes) == 'table' then
    for _, change in ipairs(changes) do
      if change.kind then
        local file = is_creation(change) and file_of(change.uri)
        if file then
          file.is_new = true
        end
      else
        local file, version = file_of(change.textDocument.uri), change.textDocument.version
        file.version = type(version) == 'number' and version or nil
        table.insert(file.groups, change.edits)
      end
    end
    return files
  end
  for uri, edits in vim.spairs(type(edit.changes) == 'table' and edit.changes or {}) do
    table.insert(file_of(uri).groups, edits)
  end
  return files
end

-- Many servers always name version 0.
local function is_outdated(file, bufnr, client, ticks)
  local version = file.version or 0
  return (ticks[bufnr] and ticks[bufnr] ~= api.nvim_buf_get_changedtick(bufnr))
    or (
      version > 0
      and client.attached_buffers[bufnr]
      and version < ((vim.lsp.util.buf_versions or {})[bufnr] or 0)
    )
end

-- An empty file has one line in its buffer, which is no part of the text after an edit that ends with a line
-- feed.
local function edited(lines, groups, encoding)
  local was_empty = #lines == 1 and lines[1] == ''
  for _, edits in ipairs(groups) do
    lines = format_server.edited(lines, edits, encoding)
  end
  if was_empty and #lines > 1 and lines[#lines] == '' then
    lines[#lines] = nil
  end
  return lines
end

-- The text crosses the channel, on which other bytes would be replaced.
local function check_text(path, text)
  if not text:find('[\128-\255]') then
    return
  end
  local encoded = vim.iconv(text, 'utf-8', 'utf-16le')
  if not encoded or vim.iconv(encoded, 'utf-16le', 'utf-8') ~= text then
    error(('%s: not valid UTF-8'):format(path), 0)
  end
end

---@return claude_ide.EditedFile
local function new_file(file, encoding)
  local lines = edited({ '' }, file.groups, encoding)
  local is_empty = #lines == 1 and lines[1] == ''
  local text = is_empty and '' or table.concat(lines, '\n') .. '\n'
  check_text(file.path, text)
  local where = whereabouts.of(file.path, folders.all())
  return {
    path = file.path,
    text = text,
    digest = '',
    lines = is_empty and 0 or #lines,
    is_new = true,
    warning = where.warning,
    target = where.target,
  }
end

--- What a buffer's text would become.
---@param bufnr integer
---@param path string
---@param lines string[]
---@return claude_ide.EditedFile? file nil if nothing changes
function M.changed(bufnr, path, lines)
  local before = api.nvim_buf_get_lines(bufnr, 0, -1, true)
  if vim.deep_equal(before, lines) then
    return nil
  elseif vim.bo[bufnr].readonly or not vim.bo[bufnr].modifiable then
    error(('%s is read-only in Neovim; nothing was changed'):format(path), 0)
  end
  local text = buffer_text.with_lines(bufnr, lines)
  check_text(path, text)
  local is_modified = vim.bo[bufnr].modified
  local where = whereabouts.of(path, folders.all())
  return {
    path = path,
    text = text,
    digest = M.digest(bufnr),
    lines = math.max(rebase.count(before, lines)),
    unsaved = is_modified and bufnr or nil,
    warning = is_modified and '' or where.warning,
    target = where.target,
  }
end

---@param file claude_ide.FileEdits
---@param client vim.lsp.Client
---@param ticks table<integer, integer>
---@return claude_ide.EditedFile?
local function changed_file(file, client, ticks)
  if file.is_new then
    return new_file(file, client.offset_encoding)
  end
  local bufnr = place.buffer(file.path)
  if is_outdated(file, bufnr, client, ticks) then
    error(STALE:format(file.path), 0)
  end
  local before = api.nvim_buf_get_lines(bufnr, 0, -1, true)
  return M.changed(bufnr, file.path, edited(before, file.groups, client.offset_encoding))
end

--- Describe the files that an edit changes.
---@param edit lsp.WorkspaceEdit
---@param client vim.lsp.Client the server that has sent it
---@param ticks table<integer, integer> `snapshot` from before the request
---@param done fun(files: claude_ide.EditedFile[]|{ error: string })
function M.describe(edit, client, ticks, done)
  local files, failure = {}, nil
  local ok, groups = pcall(by_file, edit)
  if not ok then
    return done({ error = reason.of(groups) })
  end
  slices.each(groups, function(group)
    if failure then
      return
    end
    local is_described, file = pcall(changed_file, group, client, ticks)
    if not is_described then
      failure = reason.of(file)
    elseif file then
      files[#files + 1] = file
    end
  end, function()
    done(failure and { error = failure } or files)
  end)
end

return M

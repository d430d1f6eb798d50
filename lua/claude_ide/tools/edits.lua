--- The texts to which the host applies edits of language servers and formatters: it composes the new ones,
--- which the user reviews before any is applied.
local buffer_text = require('claude_ide.file.text')
local place = require('claude_ide.tools.place')
local private_api = require('claude_ide.private_api')

local M = {}

local api = vim.api

-- Nanoseconds. Longer, loading many files would be felt.
local SLICE = 10e6

local function digest(bufnr)
  return vim.fn.sha256(buffer_text.get(bufnr))
end

--- The text of a loaded buffer, and what a write would add to its lines (`BufferText` in `mcp/lsp/edits.py`).
---@param bufnr integer
---@param path string
---@return table
function M.text(bufnr, path)
  local options = vim.bo[bufnr]
  return {
    path = path,
    bufnr = bufnr,
    tick = api.nvim_buf_get_changedtick(bufnr),
    lines = api.nvim_buf_get_lines(bufnr, 0, -1, true),
    fileformat = options.fileformat,
    has_bom = options.bomb,
    is_ended = options.endofline or (options.fixendofline and not options.binary),
    is_modified = options.modified,
    is_writable = options.modifiable and not options.readonly,
    digest = digest(bufnr),
  }
end

-- The version of a buffer's text that a client has got last; nil if it is not attached to it.
local function version_for(id, bufnr)
  local client = vim.lsp.get_client_by_id(id)
  return client and client.attached_buffers[bufnr] and private_api.version(bufnr) or nil
end

local function described(file, client)
  if file.is_new then
    return { path = file.path }
  end
  local bufnr = place.buffer(file.path)
  local text = M.text(bufnr, file.path)
  text.version = version_for(client, bufnr)
  return text
end

--- Answers the `texts` of the first of the files, as many as can be loaded in a short time; without lines for
--- those that do not exist yet.
---@param arguments { files: { path: string, is_new: boolean }[], client: integer }
---@param answer claude_ide.ToolAnswer
function M.texts(arguments, answer)
  local texts, began = {}, vim.uv.hrtime()
  for _, file in ipairs(arguments.files) do
    texts[#texts + 1] = described(file, arguments.client)
    if vim.uv.hrtime() - began > SLICE then
      break
    end
  end
  answer({ texts = texts })
end

return M

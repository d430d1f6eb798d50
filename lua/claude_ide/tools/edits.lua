--- Renames symbols for the model. The new texts are only computed: the user reviews them before any is
--- applied.
local moment = require('claude_ide.when.moment')
local place = require('claude_ide.tools.place')
local reload = require('claude_ide.disk.reload')
local servers = require('claude_ide.tools.servers')
local workspace_edit = require('claude_ide.tools.workspace_edit')

local M = {}

-- The edit of one server only: two would rename twice. Servers that check names first know more than others.
---@param answers claude_ide.ServerAnswer[]
---@param bufnr integer
---@return claude_ide.ServerAnswer?
local function best(answers, bufnr)
  local function rank(one)
    return one.client:supports_method('textDocument/prepareRename', bufnr) and 0 or 1
  end
  local found
  for _, one in ipairs(answers) do
    if not found or rank(one) < rank(found) then
      found = one
    end
  end
  return found
end

-- The word at a place, as the user knows the symbol.
local function word_at(bufnr, row, col)
  local line = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
  return vim.api.nvim_buf_call(bufnr, function()
    return vim.fn.matchstr(line, ([[\k*\%%%dc\k*]]):format(col + 1))
  end)
end

--- Answers the `files` that a new name changes, the old `name`, and the `server` that has renamed.
---@type claude_ide.Tool
function M.rename(arguments, answer)
  local bufnr = place.buffer(arguments.file)
  local name = word_at(bufnr, place.position(bufnr, arguments))
  local ticks
  return servers.ask(bufnr, 'textDocument/rename', function(client)
    ticks = ticks or workspace_edit.snapshot()
    local parameters = servers.at(client, bufnr, place.position(bufnr, arguments))
    return vim.tbl_extend('error', parameters, { newName = arguments.new_name })
  end, function(answers)
    local found = not answers.error and best(answers, bufnr)
    if not found then
      return answer(answers.error and answers or { error = 'nothing can be renamed at this place' })
    end
    workspace_edit.describe(found.result, found.client, ticks, function(files)
      answer(files.error and files or { files = files, name = name, server = found.client.name })
    end)
  end)
end

-- Whether a file has another text than the one with which an edit was computed.
local function is_changed(file)
  local ok, bufnr = pcall(place.buffer, file.path)
  if not ok then
    return true
  elseif not vim.bo[bufnr].modified then
    reload.sync_one(bufnr)
  end
  return workspace_edit.digest(bufnr) ~= file.digest
end

--- Answers the `paths` of those files whose texts are no longer those of the digests.
---@param arguments { files: { path: string, digest: string }[] }
---@param answer claude_ide.ToolAnswer
function M.stale(arguments, answer)
  -- A file that was unloaded during a long review has to be loaded again.
  return moment.when_possible(function()
    local paths = {}
    for _, file in ipairs(arguments.files) do
      if is_changed(file) then
        paths[#paths + 1] = file.path
      end
    end
    answer({ paths = paths })
  end, function(reason)
    answer({ error = reason })
  end)
end

return M

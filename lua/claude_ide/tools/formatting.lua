--- Files that the model has formatted: the user reviews the new text before it is applied. The host chooses
--- the formatters (`editor/formatting.py`).
local edits = require('claude_ide.tools.edits')
local format = require('claude_ide.format')
local place = require('claude_ide.tools.place')

local M = {}

--- Answers { bufnr, is_new }; `is_new`: it was loaded just now.
---@param arguments { file: string }
---@param answer claude_ide.ToolAnswer
function M.open(arguments, answer)
  local bufnr, is_new = place.buffer(arguments.file)
  answer({ bufnr = bufnr, is_new = is_new })
end

--- Answers the present `text` (as in `edits`), and the `lines` that the last formatter of a run has made.
---@param arguments { file: string, run: integer }
---@param answer claude_ide.ToolAnswer
function M.result(arguments, answer)
  local bufnr, lines = format.result(arguments.run)
  answer({ text = edits.text(bufnr, arguments.file), lines = lines })
end

return M

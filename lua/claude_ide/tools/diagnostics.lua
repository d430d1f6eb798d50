--- The file whose diagnostics a model asks for.
local place = require('claude_ide.tools.place')

local M = {}

--- Load a file, for what checks it. Answers { bufnr, was_cold }; `was_cold`: nothing may have checked it yet.
---@type claude_ide.Tool
function M.prepare(arguments, answer)
  local bufnr, was_cold = place.buffer(arguments.file)
  answer({ bufnr = bufnr, was_cold = was_cold })
end

return M

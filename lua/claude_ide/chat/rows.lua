--- Rows of highlighted text from the host, in a buffer of their own.
local plain = require('claude_ide.say.plain')

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('claude_ide_chat_rows')

--- Replace the text of a buffer with rows, each between two blanks.
---@param bufnr integer
---@param rows claude_ide.Chunks[]
---@return integer width of the widest row, in columns
function M.write(bufnr, rows)
  local lines, marks, width = {}, {}, 1
  for row, chunks in ipairs(rows) do
    local text = ' '
    for _, chunk in ipairs(chunks) do
      local start = #text
      text = text .. plain.harmless(chunk[1])
      table.insert(marks, { row - 1, start, #text, chunk[2] })
    end
    lines[row] = text .. ' '
    width = math.max(width, api.nvim_strwidth(lines[row]))
  end
  api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  for _, mark in ipairs(marks) do
    local row, first, last, group = unpack(mark)
    if group ~= '' then
      api.nvim_buf_set_extmark(bufnr, namespace, row, first, { end_col = last, hl_group = group })
    end
  end
  return width
end

return M

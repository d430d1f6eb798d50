--- Lines of loaded buffers, saved or not, for the host, which reads other files from the disk.
local buffers = require('claude_ide.file.buffers')

local M = {}

--- Rows of files, 0-based: the lines of each file in this order, "" for one that is not there; false for a
--- file that is not loaded.
---@param wanted { path: string, rows: integer[] }[]
---@return (string[]|false)[]
function M.loaded(wanted)
  return vim.tbl_map(function(each)
    local bufnr = buffers.loaded(each.path)
    return bufnr ~= nil
      and vim.tbl_map(function(row)
        return vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ''
      end, each.rows)
  end, wanted)
end

return M

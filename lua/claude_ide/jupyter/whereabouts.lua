--- What the choice of a kernel depends on: the current file, and kernels of molten-nvim.
local buffers = require('claude_ide.file.buffers')
local open_editors = require('claude_ide.editors.open_editors')

local M = {}

-- The kernels that molten-nvim runs for the current buffer. It names a second one of a kind `python3_1`.
-- It is a remote plugin: a call of its function would start its Python, unless that runs already.
local function moltens()
  local is_running = vim.fn.exists('*MoltenRunningKernels') == 1
    and vim.fn['remote#host#IsRunning']('python3') == 1
  if not is_running then
    return {}
  end
  local ok, names = pcall(vim.fn.MoltenRunningKernels, true)
  return ok
      and type(names) == 'table'
      and vim.tbl_map(function(name)
        return (tostring(name):gsub('_%d+$', ''))
      end, names)
    or {}
end

---@return { path?: string, folder: string, molten: string[] }
function M.here()
  return { path = open_editors.current(), folder = buffers.folder(), molten = moltens() }
end

return M

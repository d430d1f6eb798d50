--- Neovim's working folders.
local M = {}

--- The global working folder, then those of tabpages and windows, without duplicates.
---@return string[]
function M.all()
  local folders = { vim.fn.getcwd(-1, -1) }
  local function add(folder)
    if not vim.list_contains(folders, folder) then
      table.insert(folders, folder)
    end
  end
  for tab = 1, vim.fn.tabpagenr('$') do
    add(vim.fn.getcwd(-1, tab))
    for win = 1, vim.fn.tabpagewinnr(tab, '$') do
      add(vim.fn.getcwd(win, tab))
    end
  end
  return folders
end

return M

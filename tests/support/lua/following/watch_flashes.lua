-- Look at each redraw, because a flash is short.
_G.flashed = {}
local namespace = vim.api.nvim_create_namespace('claude_ide_following')
local function marks(bufnr)
  return vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, { details = true })
end
vim.api.nvim_set_decoration_provider(vim.api.nvim_create_namespace(''), {
  on_win = function(_, _, bufnr)
    for _, mark in ipairs(marks(bufnr)) do
      _G.flashed = { { mark[2], mark[4].end_row } }
    end
  end,
})
function _G.flashes()
  local count = 0
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    count = count + #marks(bufnr)
  end
  return count
end

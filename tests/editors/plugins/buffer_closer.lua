--- `<Leader>bd` deletes the buffer and keeps its windows, as Snacks.bufdelete does: they show the
--- alternate buffer, or the most recently used one.
local api = vim.api

local function replacement(bufnr)
  local others = vim.tbl_filter(function(info)
    return info.bufnr ~= bufnr
  end, vim.fn.getbufinfo({ buflisted = 1 }))
  table.sort(others, function(a, b)
    return a.lastused > b.lastused
  end)
  return others[1] and others[1].bufnr or api.nvim_create_buf(true, false)
end

vim.keymap.set('n', '<Leader>bd', function()
  local bufnr = api.nvim_get_current_buf()
  if vim.bo.modified then
    return
  end
  local other = replacement(bufnr)
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    local alternate = api.nvim_win_call(win, function()
      return vim.fn.bufnr('#')
    end)
    local is_good = alternate > 0 and alternate ~= bufnr and vim.bo[alternate].buflisted
    api.nvim_win_set_buf(win, is_good and alternate or other)
  end
  if api.nvim_buf_is_valid(bufnr) then
    pcall(vim.cmd.bdelete, { bufnr, bang = true })
  end
end)

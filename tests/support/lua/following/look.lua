local win = vim.fn.win_getid(1)
local bufnr = vim.api.nvim_win_get_buf(win)
local line = vim.api.nvim_win_get_cursor(win)[1]
local function name_of(buffer)
  return vim.fs.basename(vim.api.nvim_buf_get_name(buffer))
end
return {
  name = name_of(bufnr),
  line = line,
  text = vim.api.nvim_buf_get_lines(bufnr, line - 1, line, false)[1],
  listed = vim.bo[bufnr].buflisted,
  jumps = vim.tbl_map(function(jump)
    return name_of(jump.bufnr)
  end, vim.fn.getjumplist(win)[1]),
  mode = vim.api.nvim_get_mode().mode,
  filetype = vim.bo.filetype,
}

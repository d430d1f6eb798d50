-- The user must be in the list already: opening it and leaving a dialogue lead there.
return vim.bo.filetype == 'claude-list'
  and vim.api.nvim_get_mode().mode == 'n'
  and vim.fn.search('\\V' .. ..., 'cw') > 0

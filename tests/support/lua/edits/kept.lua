for _, info in ipairs(vim.fn.getbufinfo({ buflisted = 1 })) do
  if vim.fn.bufname(info.bufnr):find('^Kept %(') then
    return { info.bufnr, table.concat(vim.fn.getbufline(info.bufnr, 1, '$'), '\n') .. '\n' }
  end
end

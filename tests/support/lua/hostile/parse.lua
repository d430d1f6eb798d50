for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
  if vim.api.nvim_buf_is_loaded(bufnr) then
    local ok, parser = pcall(vim.treesitter.get_parser, bufnr, nil, { error = false })
    if ok and parser then
      parser:parse(true)
    end
  end
end

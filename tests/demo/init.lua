-- What `make try` starts Neovim with, in place of the user's own config.
local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
local root = vim.fs.normalize(here .. '/../..')
vim.opt.runtimepath:prepend(root)
-- A checkout may belong to somebody else.
pcall(vim.cmd.helptags, vim.fn.fnameescape(root .. '/doc'))

vim.o.number = true
vim.o.linebreak = true
vim.o.breakat = ' '
vim.o.breakindent = true
vim.o.signcolumn = 'yes'
vim.o.mouse = 'a'
vim.o.shortmess = vim.o.shortmess .. 'I'
vim.diagnostic.config({ virtual_text = { current_line = true } })

local group = vim.api.nvim_create_augroup('try', {})
local function on(event, pattern, callback)
  vim.api.nvim_create_autocmd(event, { group = group, pattern = pattern, callback = callback })
end

on('TermOpen', '*', function()
  vim.wo[0][0].statusline = ' %{get(b:, "term_title", "")}'
end)

on('FileType', 'markdown', function()
  -- A distribution may package the parser separately.
  if pcall(vim.treesitter.start) then
    vim.wo[0][0].conceallevel = 2
  end
end)

on('VimEnter', '*', function()
  vim.cmd.Claude()
end)

-- Diagnostics without a language server: pattern, severity, message.
local RULES = {
  { '%S+ == None', vim.diagnostic.severity.WARN, 'comparison to None; use `is`' },
  { '%f[%w]sum = ', vim.diagnostic.severity.HINT, '`sum` hides a function of Python' },
}
local linter = vim.api.nvim_create_namespace('try')

local function lint(buffer)
  local found = {}
  for row, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, true)) do
    for _, rule in ipairs(RULES) do
      local first, last = line:find(rule[1])
      if first then
        table.insert(found, {
          lnum = row - 1,
          col = first - 1,
          end_col = last,
          severity = rule[2],
          message = rule[3],
          source = 'linter',
        })
      end
    end
  end
  vim.diagnostic.set(linter, buffer, found)
end

on('BufRead', '*.py', function(event)
  lint(event.buf)
  vim.api.nvim_buf_attach(event.buf, false, {
    on_lines = vim.schedule_wrap(function()
      if vim.api.nvim_buf_is_valid(event.buf) then
        lint(event.buf)
      end
    end),
  })
end)

_G.counts = {}
for event, pattern in pairs({ FileChangedShellPost = '*', User = 'ClaudeFileWritten' }) do
  vim.api.nvim_create_autocmd(event, {
    pattern = pattern,
    callback = function(args)
      local bufnr = args.data and args.data.bufnr or args.buf
      local name = vim.fs.basename(vim.api.nvim_buf_get_name(bufnr))
      local key = event .. ' ' .. name
      _G.counts[key] = (_G.counts[key] or 0) + 1
    end,
  })
end
_G.shown = {}
local show = require('claude_ide.messages.message').show
require('claude_ide.messages.message').show = function(text, ...)
  table.insert(_G.shown, text)
  return show(text, ...)
end

local view = require('claude_ide.chat.state').get(1).view
return vim.tbl_map(function(name)
  return vim.bo[vim.api.nvim_win_get_buf(view.windows[name])].filetype
end, { 'transcript', 'prompt' })

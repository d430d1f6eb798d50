local lines, plain = ..., require('claude_ide.messages.plain')
lines = vim.tbl_map(plain.harmless, lines)
require('claude_ide.chat.transcript').draw(1, {
  edits = { { first = 0, last = 1e6, lines = lines } },
  code = { { 0, #lines, 'markdown' }, { 0, #lines, 'vim' } },
})

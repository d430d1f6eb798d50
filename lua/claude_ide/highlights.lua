--- Defines the highlight groups. Colour schemes and users may override them.
local plain = require('claude_ide.messages.plain')

local M = {}

local LINKS = {
  ClaudeIdeAdded = 'DiffAdd',
  ClaudeIdeChanged = 'DiffText',
  ClaudeIdeComment = 'DiagnosticInfo',
  ClaudeIdeHunkDropped = 'Comment',
  ClaudeIdeRemoved = 'DiffDelete',
  ClaudeIdeCommentSent = 'Comment',
  ClaudeIdeReview = 'DiagnosticSignInfo',
  ClaudeIdeReviewRemoved = 'DiagnosticSignInfo',
  ClaudeIdeWinbar = 'Title',
  ClaudeIdeWinbarCount = 'WinBar',
  ClaudeIdeWinbarFile = 'WinBar',
  ClaudeIdeWinbarKeys = 'Comment',
  ClaudeIdeWinbarNote = 'WarningMsg',
  ClaudeIdeWinbarWarning = 'DiagnosticError',
  ClaudeIdeWinbarWhy = 'Comment',
  ClaudeIdeWritten = 'DiffAdd',
  ClaudeShown = 'Visual',
  ClaudeShownNote = 'DiagnosticInfo',
  ClaudeChatUser = 'Title',
  ClaudeChatHeading = 'Title',
  ClaudeChatCode = 'String',
  ClaudeChatCodeBlock = 'CursorLine',
  ClaudeChatFence = 'NonText',
  ClaudeChatList = 'Special',
  ClaudeChatQuote = 'Comment',
  ClaudeChatLink = 'Underlined',
  ClaudeChatThinking = 'Comment',
  ClaudeChatTool = 'Function',
  ClaudeChatToolRunning = 'DiagnosticInfo',
  ClaudeChatToolFailed = 'DiagnosticError',
  ClaudeChatToolRejected = 'DiagnosticWarn',
  ClaudeChatDetail = 'Comment',
  ClaudeChatAdded = 'Added',
  ClaudeChatRemoved = 'Removed',
  ClaudeChatNotice = 'DiagnosticHint',
  ClaudeChatWarning = 'DiagnosticWarn',
  ClaudeChatError = 'DiagnosticError',
  ClaudeChatRequest = 'DiagnosticWarn',
  ClaudeChatShell = 'Identifier',
  ClaudeChatKey = 'Special',
  ClaudeChatQueued = 'Comment',
  ClaudeChatMeta = 'Comment',
  ClaudeChatMode = 'Statement',
  ClaudeChatTodo = 'NormalFloat',
  ClaudeChatTodoDone = 'Comment',
  ClaudeChatTodoActive = 'DiagnosticInfo',
  ClaudeChatFollowed = 'IncSearch',
  ClaudeFormQuestion = 'Title',
  ClaudeFormChoice = 'NormalFloat',
  ClaudeFormPicked = 'DiagnosticOk',
  ClaudeFormDescription = 'Comment',
  ClaudeFormError = 'DiagnosticError',
  ClaudeFormKeys = 'Special',
  ClaudePlanTitle = 'Title',
  ClaudePlanKeys = 'Comment',
}
local ATTRIBUTES = {
  ClaudeChatBold = { bold = true },
  ClaudeChatItalic = { italic = true },
}

local function define()
  for name, link in pairs(LINKS) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
  for name, attributes in pairs(ATTRIBUTES) do
    vim.api.nvim_set_hl(0, name, vim.tbl_extend('error', { default = true }, attributes))
  end
end

--- Define the groups now, and again whenever the colour scheme changes.
function M.define()
  define()
  vim.api.nvim_create_autocmd('ColorScheme', {
    group = vim.api.nvim_create_augroup('claude_ide_highlights', { clear = true }),
    callback = define,
  })
end

--- A removed line as chunks of virtual text.
---@param line string
---@param spans integer[][]? its bytes that have changed, 0-based, ends exclusive
---@return { [1]: string, [2]: string }[]
function M.removed(line, spans)
  local chunks, column = {}, 0
  for _, span in ipairs(spans or {}) do
    table.insert(chunks, { plain.harmless(line:sub(column + 1, span[1])), 'ClaudeIdeRemoved' })
    table.insert(chunks, { plain.harmless(line:sub(span[1] + 1, span[2])), 'ClaudeIdeChanged' })
    column = span[2]
  end
  table.insert(chunks, { plain.harmless(line:sub(column + 1)), 'ClaudeIdeRemoved' })
  return chunks
end

return M

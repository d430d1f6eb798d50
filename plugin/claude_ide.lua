-- Defines the commands and maps; nothing is loaded, and no Python runs, before one is used.
if vim.g.loaded_claude_ide then
  return
end
vim.g.loaded_claude_ide = true

local function host(name)
  return function(opts)
    require('claude_ide.host').command(name, opts)
  end
end

local function editor(module, fn)
  return function()
    require('claude_ide.' .. module)[fn]()
  end
end

local function question(module, fn)
  return function(opts)
    require('claude_ide.' .. module)[fn](opts)
  end
end

local function complete_path(...)
  return require('claude_ide.mention').complete(...)
end

local function complete_claude(lead)
  return require('claude_ide.terminal').complete(lead)
end

local command = vim.api.nvim_create_user_command
command('Claude', host('Claude'), {
  nargs = '*',
  range = true,
  complete = complete_claude,
  desc = 'Open or hide the Claude CLI in a terminal',
})
command('ClaudeChat', function(opts)
  require('claude_ide.chat.command').run(opts)
end, {
  nargs = '*',
  range = true,
  complete = function(...)
    return require('claude_ide.chat.command').complete(...)
  end,
  desc = 'Chat with Claude in a window of its own',
})
command('ClaudeStart', host('ClaudeStart'), { bang = true, desc = 'Start the IDE server' })
command('ClaudeStop', host('ClaudeStop'), { desc = 'Stop the IDE server' })
command('ClaudeStatus', host('ClaudeStatus'), { desc = 'Show server, clients and diffs' })
command('ClaudeSend', host('ClaudeSend'), {
  range = true,
  bang = true,
  desc = 'Mention the lines, or the file, to Claude',
})
command('ClaudeAdd', host('ClaudeAdd'), {
  nargs = '+',
  bang = true,
  complete = complete_path,
  desc = 'Mention a file, a folder or lines of a file to Claude',
})
command('ClaudeTrust', host('ClaudeTrust'), {
  nargs = '*',
  complete = function(...)
    return require('claude_ide.trust').complete(...)
  end,
  desc = "Show or change whether a folder's settings are used",
})
command('ClaudeAccept', editor('diff', 'accept'), { desc = 'Accept the proposed edit' })
command('ClaudeReject', function(opts)
  require('claude_ide.diff').reject(nil, opts.args)
end, { nargs = '*', desc = 'Reject the proposed edit, with a reason' })
command('ClaudeAsk', question('answer', 'ask'), {
  nargs = '*',
  range = true,
  bang = true,
  desc = 'Ask Claude something, about the lines',
})
command('ClaudeEdit', question('rewrite', 'edit'), {
  nargs = '*',
  range = true,
  bang = true,
  desc = 'Have Claude rewrite the lines, or the file',
})
command('ClaudeCommit', question('commit_message', 'write'), {
  bang = true,
  desc = 'Have Claude write the commit message',
})
command('ClaudeInstall', function(opts)
  require('claude_ide.install').run(opts.bang)
end, { bang = true, desc = "Make or update the plugin's Python; with ! wait for it" })
command('ClaudeLog', editor('log_window', 'open'), { desc = "Open the plugin's log" })

local map = vim.keymap.set
map('n', '<Plug>(claude-accept)', '<Cmd>ClaudeAccept<CR>')
map('n', '<Plug>(claude-reject)', '<Cmd>ClaudeReject<CR>')
map('n', '<Plug>(claude-toggle)', '<Cmd>Claude<CR>')
map('n', '<Plug>(claude-chat)', '<Cmd>ClaudeChat<CR>')
map('x', '<Plug>(claude-send)', ':ClaudeSend<CR>', { silent = true })
map('n', '<Plug>(claude-send)', function()
  return require('claude_ide.mention').operator()
end, { expr = true })

vim.api.nvim_create_autocmd('SessionLoadPost', {
  group = vim.api.nvim_create_augroup('claude_ide_leftover', {}),
  callback = vim.schedule_wrap(editor('leftover', 'clear')),
})

-- Python is started after the first screen is drawn, so that it delays nobody.
vim.api.nvim_create_autocmd('UIEnter', {
  group = vim.api.nvim_create_augroup('claude_ide_auto_start', {}),
  once = true,
  callback = function()
    if (vim.g.claude_ide or {}).auto_start then
      vim.schedule(function()
        vim.cmd.redraw()
        vim.cmd('ClaudeStart!')
      end)
    end
  end,
})

-- Defines the commands and maps. Modules are loaded and Python is started only when one is used.
-- VS Code (vscode-neovim) has an extension of Claude's own, and shows neither our windows nor a terminal.
if vim.g.loaded_claude_ide or vim.g.vscode then
  return
end
vim.g.loaded_claude_ide = true

if vim.fn.has('nvim-0.11') == 0 then
  return require('claude_ide.requirement').define()
end

local function when_ready(fn)
  return function(opts)
    require('claude_ide.session').run(opts, fn)
  end
end

local function host(name)
  return when_ready(function(opts)
    require('claude_ide.session').command(name, opts)
  end)
end

local function editor(module, fn)
  return function(opts)
    require('claude_ide.' .. module)[fn](opts)
  end
end

local function window(module, fn)
  return function(opts)
    if not require('claude_ide.window.location').has_command_window() then
      require('claude_ide.' .. module)[fn](opts)
    end
  end
end

local function question(module, fn)
  return when_ready(function(opts)
    require('claude_ide.' .. module)[fn](opts)
  end)
end

local function complete(module, fn)
  return function(...)
    return require('claude_ide.' .. module)[fn or 'complete'](...)
  end
end

-- A command that handles a `|` after its arguments itself.
local function with_next(kind, run)
  return function(opts)
    require('claude_ide.next_command')[kind](run)(opts)
  end
end

local function chat(opts)
  local command = require('claude_ide.chat.command')
  local run = when_ready(command.run)
  require('claude_ide.next_command').after_text(run, command.with_text())(opts)
end

-- All have a range, which most of them ignore: `:` in Visual mode inserts one.
local command = vim.api.nvim_create_user_command
command('Claude', with_next('after_arguments', host('Claude')), {
  nargs = '*',
  range = true,
  complete = complete('arguments', 'of_cli'),
  desc = 'Open or hide the Claude CLI in a terminal',
})
command('ClaudeNew', host('ClaudeNew'), {
  nargs = '*',
  range = true,
  bar = true,
  desc = 'Start another Claude CLI in a terminal',
})
command('ClaudeSwitch', window('terminal', 'switch'), {
  nargs = '*',
  range = true,
  bar = true,
  complete = complete('terminal'),
  desc = 'Go from one Claude CLI to another',
})
command('ClaudeFocus', window('terminal', 'toggle_focus'), {
  range = true,
  bar = true,
  desc = "Go to Claude's terminal, or back",
})
command('ClaudeChat', chat, {
  nargs = '*',
  range = true,
  complete = complete('chat.command'),
  desc = 'Open or hide the chat',
})
command('ClaudeAnswer', host('ClaudeAnswer'), {
  range = true,
  bar = true,
  desc = 'Go to the request that waits for an answer',
})
command('ClaudeChanges', host('ClaudeChanges'), {
  range = true,
  nargs = '*',
  bang = true,
  bar = true,
  complete = complete('chat.command', 'complete_changes'),
  desc = 'Review what the last turn has changed',
})
command('ClaudeSeen', editor('unseen.walk', 'run'), {
  range = true,
  bang = true,
  bar = true,
  desc = 'Mark lines that Claude wrote as seen',
})
command('ClaudeStart', host('ClaudeStart'), {
  range = true,
  bang = true,
  bar = true,
  desc = 'Start the IDE server',
})
command('ClaudeStop', host('ClaudeStop'), {
  range = true,
  bang = true,
  bar = true,
  desc = 'Stop the IDE server',
})
command('ClaudeStatus', host('ClaudeStatus'), {
  range = true,
  bar = true,
  desc = 'Show the server, its clients and open diffs',
})
command('ClaudeMcpConfig', host('ClaudeMcpConfig'), {
  range = true,
  nargs = '*',
  bang = true,
  bar = true,
  complete = complete('arguments', 'of_mcp_config'),
  desc = 'Show how to give another program the tools of the editor',
})
command('ClaudeTools', host('ClaudeTools'), {
  range = true,
  nargs = '*',
  bar = true,
  complete = complete('tools.own'),
  desc = "List the model's tools, or turn one on or off",
})
command('ClaudeDismiss', editor('tools.showing', 'dismiss'), {
  range = true,
  bar = true,
  desc = "Remove the model's highlights",
})
command('ClaudeSend', host('ClaudeSend'), {
  range = true,
  bang = true,
  bar = true,
  desc = 'Send the range or the file to Claude as a mention',
})
command('ClaudeShare', function(opts)
  require('claude_ide.selection').share(opts.args)
end, {
  range = true,
  nargs = '?',
  bar = true,
  complete = complete('arguments', 'of_share'),
  desc = 'Let the selection leave Neovim, or keep it there',
})
command('ClaudeAdd', host('ClaudeAdd'), {
  range = true,
  nargs = '+',
  bang = true,
  bar = true,
  complete = complete('arguments', 'of_add'),
  desc = 'Mention a file, a folder, or lines of a file',
})
command('ClaudeTrust', host('ClaudeTrust'), {
  range = true,
  nargs = '*',
  bar = true,
  complete = complete('arguments', 'of_trust'),
  desc = "Show or change whether a folder's settings are used",
})
command('ClaudeKernel', host('ClaudeKernel'), {
  range = true,
  nargs = '*',
  bar = true,
  complete = complete('jupyter'),
  desc = 'Show or control the Jupyter kernel that runs code for Claude',
})
local function decide(name)
  return function(opts)
    require('claude_ide.decide')[name](opts)
  end
end
command('ClaudeAccept', decide('accept'), {
  range = true,
  bang = true,
  bar = true,
  desc = 'Accept the proposed edit, or allow the request',
})
command('ClaudeReject', with_next('after_text', decide('reject')), {
  range = true,
  bang = true,
  nargs = '*',
  desc = 'Reject the proposed edit or the request, with a reason',
})
command(
  'ClaudeComment',
  with_next('after_text', function(opts)
    require('claude_ide.comment').run(opts)
  end),
  {
    range = true,
    bang = true,
    nargs = '*',
    desc = "Comment on Claude's edit, or on lines of a file",
  }
)
command('ClaudePrompt', function(opts)
  if require('claude_ide.window.location').has_command_window() then
    return
  elseif opts.args ~= '' then
    return require('claude_ide.addressee').send_named(opts)
  end
  require('claude_ide.terminal_prompt').open(opts)
end, {
  nargs = '?',
  range = true,
  bar = true,
  complete = complete('prompts'),
  desc = "Write a prompt for Claude's terminal in a buffer",
})
command('ClaudeFix', editor('addressee', 'fix'), {
  range = true,
  bar = true,
  desc = 'Let Claude fix the diagnostics',
})
command('ClaudeAsk', with_next('after_text', question('addressee', 'ask')), {
  nargs = '*',
  range = true,
  bang = true,
  complete = complete('prompts'),
  desc = 'Ask Claude about the range or the file',
})
command('ClaudeEdit', with_next('after_text', question('headless.rewrite', 'edit')), {
  nargs = '*',
  range = true,
  bang = true,
  desc = 'Let Claude rewrite the range or the file',
})
command('ClaudeCommit', question('headless.commit_message', 'write'), {
  range = true,
  bang = true,
  bar = true,
  desc = 'Let Claude write the commit message',
})
command('ClaudeInstall', function(opts)
  require('claude_ide.host.install').run(opts.bang, opts.fargs[1])
end, {
  range = true,
  nargs = '?',
  bang = true,
  complete = complete('host.install'),
  bar = true,
  desc = "Create or update the plugin's Python environment",
})
command('ClaudeUninstall', function(opts)
  require('claude_ide.host.install').run(opts.bang, opts.fargs[1], true)
end, {
  range = true,
  nargs = 1,
  bang = true,
  complete = complete('host.install'),
  bar = true,
  desc = "Remove a package from the plugin's Python environment",
})
command('ClaudeWire', host('ClaudeWire'), {
  range = true,
  nargs = '*',
  bar = true,
  complete = complete('arguments', 'of_wire'),
  desc = 'Show the live traffic with all clients, or save it',
})
command('ClaudeLog', window('log_window', 'open'), {
  range = true,
  bar = true,
  desc = "Open the plugin's log",
})

local function map(name, ex, desc)
  vim.keymap.set('n', name, ('<Cmd>%s<CR>'):format(ex), { desc = desc })
end

local function map_lines(name, ex, desc)
  vim.keymap.set('x', name, (':%s<CR>'):format(ex), { silent = true, desc = desc })
end

map('<Plug>(claude-toggle)', 'Claude', 'Open or hide the Claude CLI')
map('<Plug>(claude-new)', 'ClaudeNew', 'Start another Claude CLI')
map('<Plug>(claude-switch)', 'ClaudeSwitch', 'Go from one Claude CLI to another')
map('<Plug>(claude-chat)', 'ClaudeChat', 'Open or hide the chat')
map('<Plug>(claude-changes)', 'ClaudeChanges', "Review Claude's changes of the last turn")
map('<Plug>(claude-dismiss)', 'ClaudeDismiss', "Remove the model's highlights")
map('<Plug>(claude-share)', 'ClaudeShare toggle', 'Share the selection with Claude, or keep it')
map('<Plug>(claude-add)', 'ClaudeAdd %', 'Send the file to Claude')
map('<Plug>(claude-answer)', 'ClaudeAnswer', 'Go to the request that waits for an answer')
map('<Plug>(claude-prompt)', 'ClaudePrompt', "Write a prompt for Claude's terminal")
map('<Plug>(claude-fix)', 'ClaudeFix', 'Let Claude fix the diagnostics of the file')
map('<Plug>(claude-ask)', 'ClaudeAsk', 'Ask Claude about the file')
map('<Plug>(claude-edit)', 'ClaudeEdit', 'Let Claude rewrite the file')
map('<Plug>(claude-commit)', 'ClaudeCommit', 'Let Claude write the commit message')
map('<Plug>(claude-accept)', 'ClaudeAccept', "Accept Claude's edit, or allow its request")
map('<Plug>(claude-reject)', 'ClaudeReject', "Reject Claude's edit or request")
map_lines('<Plug>(claude-send)', 'ClaudeSend', 'Send the lines to Claude')
map_lines('<Plug>(claude-prompt)', 'ClaudePrompt', 'Quote the lines in a prompt')
map_lines('<Plug>(claude-fix)', 'ClaudeFix', 'Let Claude fix the diagnostics there')
map_lines('<Plug>(claude-ask)', 'ClaudeAsk', 'Ask Claude about the lines')
map_lines('<Plug>(claude-edit)', 'ClaudeEdit', 'Let Claude rewrite the lines')
for _, mode in ipairs({ 'n', 'x', 'i', 't' }) do
  local options = { desc = "Go to Claude's terminal, or back" }
  vim.keymap.set(mode, '<Plug>(claude-focus)', '<Cmd>ClaudeFocus<CR>', options)
end
-- With `is_expr`, the function returns the keys to type.
local function plug(name, modes, module, fn, desc, is_expr)
  vim.keymap.set(modes, name, function()
    return require('claude_ide.' .. module)[fn]()
  end, { expr = is_expr, desc = desc })
end

local BOTH, MOTION = { 'n', 'x' }, { 'n', 'x', 'o' }
local KEYS, WALK, MENTION = 'diff.keys', 'unseen.walk', 'selection.mention'
plug('<Plug>(claude-hunk-next)', MOTION, KEYS, 'next', 'Go to the next hunk')
plug('<Plug>(claude-hunk-previous)', MOTION, KEYS, 'previous', 'Go to the previous hunk')
plug('<Plug>(claude-hunk-drop)', BOTH, KEYS, 'drop', "Drop hunks of Claude's edit", true)
plug('<Plug>(claude-hunk-take)', BOTH, KEYS, 'take', "Take hunks of Claude's edit", true)
local ACCEPT_EDITS = "Accept Claude's edit, and edits from now on"
plug('<Plug>(claude-accept-edits)', 'n', 'diff', 'accept_edits', ACCEPT_EDITS)
plug('<Plug>(claude-unseen-next)', MOTION, WALK, 'next', 'Go to the next unseen change')
plug('<Plug>(claude-unseen-previous)', MOTION, WALK, 'previous', 'Go to the previous unseen change')
plug('<Plug>(claude-seen)', BOTH, WALK, 'operator', 'Mark the change as seen', true)
plug('<Plug>(claude-comment)', BOTH, 'comment', 'operator', 'Comment on an edit, or on lines', true)
plug('<Plug>(claude-send)', 'n', MENTION, 'operator', 'Send lines to Claude (operator)', true)

vim.api.nvim_create_autocmd('SessionLoadPost', {
  group = vim.api.nvim_create_augroup('claude_ide_leftover', {}),
  callback = vim.schedule_wrap(editor('window.label', 'clear_leftovers')),
})

local function auto_start()
  if (vim.g.claude_ide or {}).auto_start then
    vim.schedule(function()
      vim.cmd.redraw()
      vim.cmd('ClaudeStart!')
    end)
  end
end

-- Python starts after the first screen is drawn: it would delay that. If the plugin is loaded later,
-- the event has already happened.
if vim.v.vim_did_enter == 1 and #vim.api.nvim_list_uis() > 0 then
  auto_start()
else
  vim.api.nvim_create_autocmd('UIEnter', {
    group = vim.api.nvim_create_augroup('claude_ide_auto_start', {}),
    once = true,
    callback = auto_start,
  })
end

-- The user's own maps come first, and may still change <Leader>.
local function map_keys()
  local keys = (vim.g.claude_ide or {}).keys
  -- Vimscript may write it as a number.
  if keys and keys ~= 0 then
    require('claude_ide.suggested_keys').define()
  end
end

if vim.v.vim_did_enter == 1 then
  map_keys()
else
  vim.api.nvim_create_autocmd('VimEnter', {
    group = vim.api.nvim_create_augroup('claude_ide_keys', {}),
    once = true,
    callback = map_keys,
  })
end

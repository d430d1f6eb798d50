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
    if vim.fn['claude_ide#ready#MayOpen']() then
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

-- All have a range, which most of them ignore: `:` in Visual mode inserts one. `own_bar`: it handles a `|`.
local function command(name, run, desc, options)
  options = vim.tbl_extend('force', { desc = desc, range = true, bar = true }, options or {})
  options.bar, options.own_bar = not options.own_bar, nil
  vim.api.nvim_create_user_command(name, run, options)
end

local BANG = { bang = true }
-- Names may be quoted: no quote begins a comment.
local NAMED = { nargs = '*', own_bar = true }
local TEXT = { nargs = '*', bang = true, own_bar = true }
local TYPED =
  vim.tbl_extend('force', TEXT, { complete = 'customlist,claude_ide#arguments#OfPrompts' })
local CLI = 'Open or hide the Claude CLI in a terminal'
local NEW = 'Start another Claude CLI in a terminal'
local SWITCH = 'Go from one Claude CLI to another'
local MERGE = 'Merge the worktree of a session, or discard it'
local LIST = 'List all sessions, wherever they run'
command('Claude', with_next('after_arguments', host('Claude')), CLI, {
  nargs = '*',
  own_bar = true,
  complete = 'customlist,claude_ide#arguments#OfCli',
})
command('ClaudeNew', with_next('after_arguments', host('ClaudeNew')), NEW, NAMED)
command('ClaudeSwitch', with_next('after_arguments', host('ClaudeSwitch')), SWITCH, {
  nargs = '*',
  own_bar = true,
  complete = 'customlist,claude_ide#arguments#OfClis',
})
command('ClaudeFocus', window('terminal', 'toggle_focus'), "Go to Claude's terminal, or back")
command('ClaudeChat', chat, 'Open or hide the chat', {
  nargs = '*',
  own_bar = true,
  complete = complete('chat.command'),
})
local background = with_next('after_text', question('sending', 'background'))
command('ClaudeBackground', background, 'Begin a session in the background', TYPED)
command('ClaudeMerge', with_next('after_arguments', host('ClaudeMerge')), MERGE, {
  nargs = '*',
  own_bar = true,
  complete = 'customlist,claude_ide#arguments#OfWorktrees',
})
command('ClaudeSessions', with_next('after_arguments', host('ClaudeSessions')), LIST, TEXT)
command('ClaudeAnswer', host('ClaudeAnswer'), 'Go to the request that waits for an answer')
local REVIEW = { nargs = '*', bang = true, complete = 'customlist,claude_ide#arguments#OfReview' }
command('ClaudeReview', host('ClaudeReview'), 'Review what Claude has written', REVIEW)
command('ClaudeChanges', host('ClaudeChanges'), 'Review what Claude has written', REVIEW)
local DECIDE = { nargs = '?', bang = true, complete = 'customlist,claude_ide#arguments#OfWords' }
command('ClaudeKeep', host('ClaudeKeep'), 'Keep what Claude has written', DECIDE)
command('ClaudeRevert', host('ClaudeRevert'), 'Revert what Claude has written', DECIDE)
command('ClaudeWhy', host('ClaudeWhy'), 'Show for which prompt Claude has written the line')
command('ClaudeStart', host('ClaudeStart'), 'Start the IDE server', BANG)
command('ClaudeStop', host('ClaudeStop'), 'Stop the IDE server', BANG)
command('ClaudeStatus', host('ClaudeStatus'), 'Show the server, its clients and open diffs')
local GIVE = 'Show how to give another program the tools of the editor'
command('ClaudeMcpConfig', host('ClaudeMcpConfig'), GIVE, {
  nargs = '*',
  bang = true,
  complete = 'customlist,claude_ide#arguments#OfWords',
})
command('ClaudeTools', host('ClaudeTools'), "List the model's tools, or turn one on or off", {
  nargs = '*',
  complete = complete('tools.own'),
})
command('ClaudeDismiss', editor('tools.showing', 'dismiss'), "Remove the model's highlights")
command('ClaudeSend', host('ClaudeSend'), 'Send the range or the file as a mention', BANG)
local type_text = with_next('after_text', question('sending', 'type'))
command('ClaudeType', type_text, "Put a text into Claude's prompt, or send it", TYPED)
local function share(opts)
  require('claude_ide.selection').share(opts.args)
end
command('ClaudeShare', share, 'Let the selection leave Neovim, or keep it there', {
  nargs = '?',
  complete = 'customlist,claude_ide#arguments#OfWords',
})
command('ClaudeAdd', host('ClaudeAdd'), 'Mention a file, a folder, or lines of a file', {
  nargs = '+',
  bang = true,
  complete = 'customlist,claude_ide#arguments#OfAdd',
})
command('ClaudeTrust', host('ClaudeTrust'), "Show or change whether a folder's settings are used", {
  nargs = '*',
  complete = 'customlist,claude_ide#arguments#OfWords',
})
command('ClaudeKernel', host('ClaudeKernel'), 'Show or control the Jupyter kernel for code', {
  nargs = '*',
  complete = 'customlist,claude_ide#arguments#OfWords',
})
command('ClaudeAccept', editor('decide', 'accept'), 'Accept the edit, or allow the request', BANG)
local reject = with_next('after_text', editor('decide', 'reject'))
command('ClaudeReject', reject, 'Reject the proposed edit or the request, with a reason', TEXT)
local comment = with_next('after_text', editor('comment', 'run'))
command('ClaudeComment', comment, "Comment on Claude's edit, or on lines of a file", TEXT)
local function prompt(opts)
  local named = { 'sending', 'send_named' }
  window(unpack(opts.args == '' and { 'terminal_prompt', 'open' } or named))(opts)
end
command('ClaudePrompt', prompt, "Write a prompt for Claude's terminal in a buffer", {
  nargs = '?',
  complete = 'customlist,claude_ide#arguments#OfPrompts',
})
command('ClaudeFix', question('sending', 'fix'), 'Let Claude fix the diagnostics')
local ask = with_next('after_text', question('addressee', 'ask'))
command('ClaudeAsk', ask, 'Ask Claude about the range or the file', TYPED)
local edit = with_next('after_text', question('headless.rewrite', 'edit'))
command('ClaudeEdit', edit, 'Let Claude rewrite the range or the file', TYPED)
local commit = question('headless.commit_message', 'write')
command('ClaudeCommit', commit, 'Let Claude write the commit message', {
  nargs = '?',
  bang = true,
  complete = 'customlist,claude_ide#arguments#OfAgents',
})
local packages = { nargs = '?', bang = true, complete = complete('host.install') }
command('ClaudeInstall', function(opts)
  require('claude_ide.host.install').run(opts.bang, opts.fargs[1])
end, "Create or update the plugin's Python environment", packages)
packages.nargs = 1
command('ClaudeUninstall', function(opts)
  require('claude_ide.host.install').run(opts.bang, opts.fargs[1], true)
end, "Remove a package from the plugin's Python environment", packages)
command('ClaudeWire', host('ClaudeWire'), 'Show the live traffic with all clients, or save it', {
  nargs = '*',
  complete = 'customlist,claude_ide#arguments#OfWords',
})
command('ClaudeLog', window('log_window', 'open'), "Open the plugin's log")

local function map(name, ex, desc, modes)
  vim.keymap.set(modes or 'n', name, ('<Cmd>%s<CR>'):format(ex), { desc = desc })
end

local function map_lines(name, ex, desc)
  vim.keymap.set('x', name, (':%s<CR>'):format(ex), { silent = true, desc = desc })
end

map('<Plug>(claude-toggle)', 'Claude', 'Open or hide the Claude CLI')
map('<Plug>(claude-new)', 'ClaudeNew', 'Start another Claude CLI')
map('<Plug>(claude-switch)', 'ClaudeSwitch', 'Go from one Claude CLI to another')
map('<Plug>(claude-chat)', 'ClaudeChat', 'Open or hide the chat')
map('<Plug>(claude-sessions)', 'ClaudeSessions', 'List all sessions')
map('<Plug>(claude-changes)', 'ClaudeReview', 'List what waits for review')
map('<Plug>(claude-why)', 'ClaudeWhy', 'Show for which prompt Claude has written the line')
map('<Plug>(claude-file-keep)', 'ClaudeKeep!', 'Keep what Claude wrote in the file')
map('<Plug>(claude-file-revert)', 'ClaudeRevert!', 'Revert what Claude wrote in the file')
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
local ALL = { 'n', 'x', 'i', 't' }
map('<Plug>(claude-focus)', 'ClaudeFocus', "Go to Claude's terminal, or back", ALL)
-- With `is_expr`, the function returns the keys to type.
local function plug(name, modes, module, fn, desc, is_expr)
  vim.keymap.set(modes, name, function()
    return require('claude_ide.' .. module)[fn]()
  end, { expr = is_expr, desc = desc })
end

local BOTH, MOTION = { 'n', 'x' }, { 'n', 'x', 'o' }
local KEYS = 'diff.keys'
local MOVE, OPERATE = 'call claude_ide#reviewing#Move(%d)', "claude_ide#reviewing#Operator('%s')"
map('<Plug>(claude-hunk-next)', MOVE:format(1), 'Go to the next hunk', MOTION)
map('<Plug>(claude-hunk-previous)', MOVE:format(-1), 'Go to the previous hunk', MOTION)
map('<Plug>(claude-hunk-show)', 'call claude_ide#reviewing#Show()', 'Show all removed lines')
local keep, revert = OPERATE:format('ClaudeKeep'), OPERATE:format('ClaudeRevert')
local KEEP, REVERT = 'Keep what Claude wrote', 'Revert what Claude wrote'
vim.keymap.set(BOTH, '<Plug>(claude-hunk-keep)', keep, { expr = true, desc = KEEP })
vim.keymap.set(BOTH, '<Plug>(claude-hunk-revert)', revert, { expr = true, desc = REVERT })
plug('<Plug>(claude-hunk-drop)', BOTH, KEYS, 'drop', "Drop hunks of Claude's edit", true)
plug('<Plug>(claude-hunk-take)', BOTH, KEYS, 'take', "Take hunks of Claude's edit", true)
local ACCEPT_EDITS = "Accept Claude's edit, and edits from now on"
plug('<Plug>(claude-accept-edits)', 'n', 'diff', 'accept_edits', ACCEPT_EDITS)
plug('<Plug>(claude-comment)', BOTH, 'comment', 'operator', 'Comment on an edit, or on lines', true)
local send = { expr = true, desc = 'Send lines to Claude (operator)' }
vim.keymap.set('n', '<Plug>(claude-send)', 'claude_ide#mentions#Operator()', send)
local quote = { expr = true, desc = "Quote a text in Claude's prompt" }
vim.keymap.set(BOTH, '<Plug>(claude-type)', 'claude_ide#sending#Operator()', quote)

vim.api.nvim_create_autocmd('SessionLoadPost', {
  group = vim.api.nvim_create_augroup('claude_ide_leftover', {}),
  callback = vim.schedule_wrap(editor('window.label', 'clear_leftovers')),
})

-- Call `fn` at an event of the start, or now if that has happened, because the plugin is loaded later.
local function at(event, has_happened, fn)
  if has_happened then
    return fn()
  end
  local group = vim.api.nvim_create_augroup('claude_ide_' .. event, {})
  vim.api.nvim_create_autocmd(event, { group = group, once = true, callback = fn })
end

-- Whether an option is set; Vimscript may write it as a number.
local function is_on(option)
  local value = (vim.g.claude_ide or {})[option]
  return value and value ~= 0
end

local has_entered = vim.v.vim_did_enter == 1
-- Python starts after the first screen is drawn: it would delay that.
at('UIEnter', has_entered and #vim.api.nvim_list_uis() > 0, function()
  vim.schedule(vim.fn['claude_ide#reviewing#Watch'])
  if is_on('auto_start') then
    vim.schedule(function()
      vim.cmd.redraw()
      vim.cmd('ClaudeStart!')
    end)
  end
end)
-- The user's own maps come first, and may still change <Leader>.
at('VimEnter', has_entered, function()
  if is_on('keys') then
    vim.fn['claude_ide#suggested_keys#Define']()
  end
end)

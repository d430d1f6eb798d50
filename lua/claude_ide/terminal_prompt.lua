--- `:ClaudePrompt`: a prompt for the CLI in a terminal, written in a buffer. Writing the buffer sends it.
---
--- The text stays in the buffer until it is typed into the terminal, also while no window shows it.
local autocommands = require('claude_ide.messages.autocommands')
local channel = require('claude_ide.channel')
local chat_completion = require('claude_ide.chat.prompt.completion')
local chat_page = require('claude_ide.chat.page')
local colouring = require('claude_ide.colouring')
local command_buffer = require('claude_ide.file.command_buffer')
local contexts = require('claude_ide.contexts')
local host = require('claude_ide.host')
local label = require('claude_ide.window.label')
local location = require('claude_ide.window.location')
local message = require('claude_ide.messages.message')
local prompt_buffer = require('claude_ide.chat.prompt.buffer')
local quiet = require('claude_ide.messages.quiet')
local ready = require('claude_ide.host.ready')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_terminal_prompt')

local HEIGHT = 10 -- lines
local MOST_QUOTING = 2000 -- milliseconds, with the start of the host
local BAR = ' Prompt for the terminal · :w sends · :q keeps it · :q! drops it · g? keys'

---@class claude_ide.TerminalPrompt: claude_ide.PromptBuffer
---@field sending? string the text that the host is about to type

local current ---@type claude_ide.TerminalPrompt?

-- Drop the text: the history keeps it. The name is then free for the next one.
local function drop(prompt)
  local text = prompt_buffer.text(prompt.prompt)
  if text ~= '' then
    prompt_buffer.remember(prompt.history, text)
  end
  if current == prompt then
    current = nil
  end
  vim.schedule(function()
    pcall(window_close.buffer, prompt.prompt)
  end)
end

---@param prompt claude_ide.TerminalPrompt
local function send(prompt)
  local text = prompt_buffer.text(prompt.prompt)
  if text == '' then
    return message.show('the prompt is empty', 'info')
  elseif prompt.sending then
    return message.show('the prompt is being sent', 'info')
  end
  ---@type any
  local opts = { name = 'ClaudePrompt', fargs = { text }, range = 0, bang = false, args = '' }
  ready.run(opts, function()
    if host.start() then
      prompt.sending = text
      host.command('ClaudePrompt', opts)
    end
  end)
end

---@return claude_ide.TerminalPrompt
local function create()
  local bufnr = api.nvim_create_buf(false, true)
  local prompt = {
    prompt = bufnr,
    history = prompt_buffer.new_history(),
    options = {},
    offer = { commands = {} },
  }
  local options = vim.bo[bufnr]
  options.bufhidden, options.swapfile, options.buftype = 'hide', false, 'acwrite'
  options.modeline = false
  label.give(bufnr, 'claude-prompt', 'Claude terminal prompt')
  prompt_buffer.add(prompt)
  local function send_here()
    location.leave_mode(function()
      send(prompt)
    end)
  end
  local older, newer = prompt_buffer.history_keys(prompt)
  chat_page.define(bufnr, {
    { 'ni', { '<C-s>' }, 'send', 'Send the prompt', send_here },
    { 'n', { 'ZZ' }, 'send-and-close', 'Send the prompt', '<Cmd>write<CR>', shown = {} },
    older,
    newer,
    chat_completion.KEY,
  }, 'keys')
  chat_completion.attach(prompt)
  command_buffer.listen(bufnr, function()
    send(prompt)
  end)
  command_buffer.write_on_exit(bufnr)
  -- `:qa`, and `:q` in the last window, refuse to lose the text.
  on('QuitPre', bufnr, function()
    options.modified = prompt_buffer.text(bufnr) ~= '' and not prompt.sending
    vim.schedule(function()
      if api.nvim_buf_is_loaded(bufnr) then
        options.modified = false
      end
    end)
  end)
  on('BufUnload', bufnr, function()
    drop(prompt)
  end)
  colouring.set_filetype(bufnr, 'markdown')
  return prompt
end

---@param bufnr integer
local function show(bufnr)
  local win = vim.fn.bufwinid(bufnr)
  if win > 0 then
    return api.nvim_set_current_win(win)
  end
  quiet.run(function()
    local config = { split = 'below', win = -1, height = math.min(HEIGHT, vim.o.lines - 6) }
    win = api.nvim_open_win(bufnr, false, config)
    location.return_on_close(win, location.current())
    api.nvim_set_current_win(win)
  end)
  -- The new window has inherited the options of the previous one.
  local options = vim.wo[win][0]
  options.winfixbuf, options.winfixheight, options.winbar = true, true, BAR
  options.number, options.relativenumber, options.signcolumn = false, false, 'auto'
  options.scrolloff = 0
end

---@type fun(bufnr: integer, quoted: string)
local function append(bufnr, quoted)
  local gap = prompt_buffer.text(bufnr) == '' and '' or '\n'
  prompt_buffer.put(bufnr, gap .. quoted)
end

local asked = 0 -- how often lines were to be quoted
local answer ---@type { text: string, refusal: string }? to the last question

--- Called by the host: the quoted lines, or why it does not quote them.
---@type fun(number: integer, text: string, refusal: string)
function M.quoted(number, text, refusal)
  if number == asked then
    answer = { text = text, refusal = refusal }
  end
end

-- The lines of a range as the host quotes them. What the user types meanwhile stays behind them.
---@param opts vim.api.keyset.create_user_command.command_args
---@return string? text
---@return string? refusal
local function quote(opts)
  asked, answer = asked + 1, nil
  if host.start() then
    local facts = contexts.facts(contexts.of_command(opts), '')
    channel.emit('quotation_asked', { number = asked, facts = facts })
    vim.wait(MOST_QUOTING, function()
      return answer ~= nil
    end, 5)
  end
  if not answer then
    return nil, 'not quoted: there is no host yet that knows the private files'
  elseif answer.refusal ~= '' then
    return nil, answer.refusal
  end
  return answer.text .. '\n'
end

--- Show the prompt, with the lines of a range quoted at its end.
---@param opts vim.api.keyset.create_user_command.command_args
function M.open(opts)
  local here = api.nvim_get_current_buf()
  local quoted
  if opts.range > 0 and not (current and here == current.prompt) then
    local refusal
    quoted, refusal = quote(opts)
    if refusal then
      return message.show(refusal, 'warn')
    end
  end
  local prompt = current or create()
  current = prompt
  if not channel.id and vim.fn['claude_ide#python#Problem']() == '' then
    -- It completes files and commands.
    host.start()
  end
  prompt.options.root = vim.fn.getcwd()
  channel.emit('prompt_commands', { bufnr = prompt.prompt, root = prompt.options.root })
  if quoted then
    append(prompt.prompt, quoted)
  end
  show(prompt.prompt)
  prompt_buffer.go_to_end(prompt.prompt)
  vim.cmd('startinsert!')
end

--- Called by the host: the prompt is in the queue of the terminal, or stays in its buffer.
---@param is_sent boolean
function M.finish(is_sent)
  local prompt = current
  local sent = prompt and prompt.sending
  if not (prompt and sent) then
    return
  end
  prompt.sending = nil
  if not is_sent then
    return show(prompt.prompt)
  end
  local bufnr = prompt.prompt
  if prompt_buffer.text(bufnr) == sent then
    prompt_buffer.replace(bufnr, 0, -1, '')
    local function close()
      for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
        pcall(window_close.window, win)
      end
    end
    -- The user must not be left in Insert mode in another buffer, where they would go on typing.
    if api.nvim_get_current_buf() == bufnr then
      location.leave_mode(close)
    else
      close()
    end
  end
  prompt_buffer.remember(prompt.history, sent)
end

--- The host has ended: a prompt that it had not typed yet stays in its buffer.
function M.host_ended()
  if current then
    current.sending = nil
  end
end

--- Append prompts that a CLI has not got, because it has ended or takes no text
--- (`autoload/claude_ide/typed_words.vim`).
---@param texts string[]
function M.keep(texts)
  for _, text in ipairs(texts) do
    current = current or create()
    append(current.prompt, text)
  end
end

return M

--- What the host needs to type prompts into terminals (`editor/typing.py`), and the words that are on their
--- way: they are not lost with the CLI or the host.
local message = require('claude_ide.messages.message')
local register = require('claude_ide.terminal.register')

local M = {}

local api = vim.api

local RESIZED_MS = 200 -- for which a CLI sees another size

local words = {} ---@type table<integer, string> prompts that have not been typed yet, by number
local last = 0

-- Keep words that cannot be typed, which the user would otherwise have to write again.
---@param texts string[]
---@return string hint for the user
local function yank(texts)
  vim.fn.setreg(vim.v.register, table.concat(texts, '\n\n'))
  return '; your words are yanked, so that you can paste them'
end

local keep ---@type fun(text: string)?

--- Call `fn` with each prompt that a CLI has not got, because it has ended or takes no text.
---@param fn fun(text: string)
function M.on_lost(fn)
  keep = fn
end

--- Hold a prompt for which there is no terminal yet, until `finish`.
---@param text string
---@return integer number
function M.hold(text)
  last = last + 1
  words[last] = text
  return last
end

--- Find the terminal in which a client runs, and hold a prompt for it until `finish` or `lose`.
---@param pid integer the client's process id; 0: the CLI of `:Claude`
---@param text string
---@param name? string that of the terminal, in place of a client
---@return { error?: string, number: integer, bufnr: integer, pane: string, tmux: string } found the
---  prompt's number; the id of a pane if it is none of our buffers, and $TMUX
function M.begin(pid, text, name)
  local terminal = name and name ~= '' and register.named(name)
    or pid == 0 and register.current()
    or register.of_client(pid)
  if not terminal then
    local reason = pid == 0 and 'no terminal of this Neovim runs Claude (:Claude opens one)'
      or 'Claude is not in a terminal of this Neovim'
    return { error = reason .. yank({ text }) }
  end
  local pane = terminal.pane and terminal.pane.id or ''
  return {
    number = M.hold(text),
    bufnr = terminal.bufnr or 0,
    pane = pane,
    tmux = vim.env.TMUX or '',
  }
end

local function is_running(bufnr)
  return api.nvim_buf_is_valid(bufnr) and vim.fn.jobwait({ vim.bo[bufnr].channel }, 0)[1] == -1
end

--- The lowest rows of a terminal, without empty ones below; none once its program has ended.
---@type fun(bufnr: integer, most: integer): string[]
function M.read(bufnr, most)
  local rows = is_running(bufnr) and api.nvim_buf_get_lines(bufnr, 0, -1, false) or {}
  local lowest = #rows
  while rows[lowest] == '' and lowest > 1 do
    lowest = lowest - 1
  end
  return vim.list_slice(rows, math.max(1, lowest - most + 1), lowest)
end

--- Send keys to a terminal if it still shows these rows. Otherwise a dialog could get them.
---@param bufnr integer
---@param keys string
---@param seen string[] what `read` has returned
---@return boolean is_sent
function M.press(bufnr, keys, seen)
  local is_unchanged = vim.deep_equal(M.read(bufnr, #seen), seen)
  return is_unchanged and pcall(api.nvim_chan_send, vim.bo[bufnr].channel, keys)
end

--- Have a CLI draw its whole screen again. It does not if its terminal is resized and gets its old size at
--- once: it finds the size that it knows. So another size has to stay for a moment.
---@param bufnr integer
function M.redraw(bufnr)
  local function resize(by)
    local win = vim.fn.bufwinid(bufnr)
    local info = win > 0 and vim.fn.getwininfo(win)[1]
    if info then
      local columns, rows = info.width - info.textoff, math.max(1, info.height + by)
      pcall(vim.fn.jobresize, vim.bo[bufnr].channel, columns, rows)
    end
  end
  resize(-1)
  vim.defer_fn(function()
    resize(0)
  end, RESIZED_MS)
end

--- A prompt has been typed.
---@param number integer
function M.finish(number)
  words[number] = nil
end

--- Keep the words of prompts that the CLI has not got.
---@param numbers integer[]
---@param why string a message about "your words"
function M.lose(numbers, why)
  local texts = {}
  for _, number in ipairs(numbers) do
    table.insert(texts, words[number])
    words[number] = nil
  end
  if #texts == 0 then
    return
  end
  message.show(why .. (keep and ': :ClaudePrompt has them' or yank(texts)), 'warn')
  if keep then
    vim.iter(texts):each(keep)
  end
end

--- The host has ended, which would have typed them.
function M.host_ended()
  local numbers = vim.tbl_keys(words)
  table.sort(numbers)
  M.lose(numbers, 'the host has ended before your words were typed')
end

return M

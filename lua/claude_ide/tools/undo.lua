--- The model's questions about the undo history of a buffer. The buffer itself stays as it is: states are
--- restored in a copy.
local place = require('claude_ide.tools.place')
local quiet = require('claude_ide.messages.quiet')
local window_close = require('claude_ide.window.close')
local without_events = require('claude_ide.messages.without_events')

local M = {}

local api = vim.api

local LARGEST = 5e5 -- bytes of the text, whose states are restored in a few milliseconds
local CONTEXT = 3 -- lines around a change

local function loaded(path)
  return place.open_buffer(path, ', so it has no undo history')
end

---@param entries vim.fn.undotree.entry[]
---@param branch integer how many branches away from the current text
local function collect(entries, branch, into)
  for _, entry in ipairs(entries) do
    into[#into + 1] = {
      state = entry.seq,
      time = entry.time,
      save = entry.save,
      is_current = entry.curhead ~= nil,
      branch = branch,
    }
    collect(entry.alt or {}, branch + 1, into)
  end
  return into
end

--- The states of a buffer's text, the oldest one first.
---@type claude_ide.Tool
function M.history(arguments, answer)
  local tree = vim.fn.undotree(loaded(arguments.file))
  local states = collect(tree.entries, 0, {})
  table.sort(states, function(one, other)
    return one.state < other.state
  end)
  local first = math.max(1, #states - arguments.offset - arguments.limit + 1)
  answer({
    total = #states,
    current = tree.seq_cur,
    now = os.time(),
    states = vim.list_slice(states, first, #states - arguments.offset),
  })
end

-- Run `fn` in a copy of a buffer that has the same undo history.
local function in_copy(bufnr, fn)
  local path = vim.fn.tempname()
  local copy = api.nvim_create_buf(false, true)
  local ok, result = pcall(without_events.run, 'all', function()
    vim.bo[copy].undolevels = vim.bo[bufnr].undolevels
    api.nvim_buf_set_lines(copy, 0, -1, true, api.nvim_buf_get_lines(bufnr, 0, -1, true))
    api.nvim_buf_call(bufnr, function()
      quiet.run(function()
        vim.cmd('wundo! ' .. vim.fn.fnameescape(path))
        return nil
      end)
    end)
    return api.nvim_buf_call(copy, function()
      return quiet.run(function()
        vim.cmd('rundo ' .. vim.fn.fnameescape(path))
        return fn(copy)
      end)
    end)
  end)
  window_close.buffer(copy)
  vim.uv.fs_unlink(path)
  if not ok then
    error(result, 0)
  end
  return result
end

local function text_at(copy, state)
  vim.cmd('undo ' .. state)
  return table.concat(api.nvim_buf_get_lines(copy, 0, -1, true), '\n') .. '\n'
end

local function check(state, last)
  if state < 0 or state > last then
    error(('there is no state %d; they are 0 to %d'):format(state, last), 0)
  end
end

--- A unified diff of two states.
---@type claude_ide.Tool
function M.diff(arguments, answer)
  local bufnr = loaded(arguments.file)
  local tree = vim.fn.undotree(bufnr)
  local from, to = arguments.from, arguments.to or tree.seq_cur
  check(from, tree.seq_last)
  check(to, tree.seq_last)
  if api.nvim_buf_get_offset(bufnr, api.nvim_buf_line_count(bufnr)) > LARGEST then
    error('the text is too large to compare', 0)
  end
  answer({
    from = from,
    to = to,
    diff = in_copy(bufnr, function(copy)
      return (vim.text.diff or vim.diff)(
        text_at(copy, from),
        text_at(copy, to),
        { ctxlen = CONTEXT }
      )
    end),
  })
end

return M

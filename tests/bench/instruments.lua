--- Instruments of the benchmarks inside Neovim. The chunk's argument is the channel for reports.
local channel = ...

local M = {}

local ns = vim.api.nvim_create_namespace('bench')
local timer = assert(vim.uv.new_timer())
local longest_gap ---@type number
local longest_work ---@type number
local is_awaited = false
local earlier = {} ---@type table<integer, true> the buffers of a diff that is already shown

-- Milliseconds on the clock that Python calls `time.monotonic()`.
local function now()
  return vim.uv.hrtime() / 1e6
end

function M.now()
  return now()
end

--- Send the benchmark a report with its time.
function M.report(name, payload, at)
  vim.rpcnotify(channel, 'bench', name, at or now(), payload)
end

local function used()
  local usage = vim.uv.getrusage()
  local function ms(time)
    return time.sec * 1e3 + time.usec / 1e3
  end
  return ms(usage.utime) + ms(usage.stime)
end

--- CPU of this process so far, in milliseconds.
function M.cpu()
  collectgarbage()
  return used()
end

--- Begin to measure how long the editor handles no events. The timer alone would also fire during
--- work that checks for CTRL-C; scheduled functions run only where a key would be handled, too.
function M.watch_loop()
  local last, used_before = now(), used()
  longest_gap, longest_work = 0, 0
  timer:start(
    1,
    1,
    vim.schedule_wrap(function()
      local at = now()
      local used_so_far = used()
      longest_gap = math.max(longest_gap, at - last)
      longest_work = math.max(longest_work, used_so_far - used_before)
      last, used_before = at, used_so_far
    end)
  )
end

function M.longest_gap()
  timer:stop()
  return longest_gap
end

--- The most CPU between two such functions: on a busy machine, a gap is mostly the work of others.
function M.longest_work()
  return longest_work
end

local function is_diff_shown()
  local wins = vim.api.nvim_tabpage_list_wins(0)
  return #wins == 2
    and vim.wo[wins[1]].diff
    and vim.wo[wins[2]].diff
    and not earlier[vim.api.nvim_win_get_buf(wins[2])]
end

vim.api.nvim_set_decoration_provider(ns, {
  on_end = function()
    if is_awaited and is_diff_shown() then
      is_awaited = false
      local at = now()
      vim.schedule(function()
        M.report('visible', vim.NIL, at)
      end)
    end
  end,
})

--- Report when the next diff has been drawn.
function M.await_diff()
  is_awaited, earlier = true, {}
  for _, bufnr in ipairs(vim.fn.tabpagebuflist()) do
    earlier[bufnr] = true
  end
end

--- The floor of openDiff: the minimal code that shows a text next to a file.
function M.plain_diff(path, text, most_coloured)
  local lines = vim.split(text, '\n', { plain = true })
  lines[#lines] = nil
  vim.cmd.tabnew()
  vim.cmd.edit(path)
  local filetype = vim.bo.filetype
  vim.cmd.vsplit({ mods = { split = 'belowright' } })
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.api.nvim_win_set_buf(0, bufnr)
  if #text <= most_coloured then
    vim.bo[bufnr].filetype = filetype
  end
  vim.cmd.wincmd('p')
  vim.cmd.diffthis()
  vim.cmd.wincmd('p')
  vim.cmd.diffthis()
  vim.cmd.redraw()
end

function M.close_plain_diff()
  local bufnrs = vim.fn.tabpagebuflist()
  vim.cmd.tabclose()
  for _, bufnr in ipairs(bufnrs) do
    vim.api.nvim_buf_delete(bufnr, { force = true })
  end
end

--- The floor of deciding one of several edits: `:write` in the proposal of a plain diff shows the next.
function M.plain_diff_before(path, text, most_coloured)
  M.plain_diff(path, text, most_coloured)
  local bufnr = vim.api.nvim_get_current_buf()
  vim.bo[bufnr].buftype = 'acwrite'
  vim.api.nvim_buf_set_name(bufnr, 'bench://' .. bufnr)
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = bufnr,
    callback = vim.schedule_wrap(function()
      M.close_plain_diff()
      M.plain_diff(path, text, most_coloured)
    end),
  })
end

--- The floor of accepting: a buffer whose `:write` reads its text.
function M.plain_proposal(text)
  vim.cmd.tabnew()
  local bufnr = vim.api.nvim_get_current_buf()
  local lines = vim.split(text, '\n', { plain = true })
  lines[#lines] = nil
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].buftype = 'acwrite'
  vim.api.nvim_buf_set_name(bufnr, 'bench://' .. bufnr)
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = bufnr,
    callback = function()
      vim.bo[bufnr].modified = false
      local written = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
      local text_written = table.concat(written, '\n') .. '\n'
      M.report('written', #text_written)
    end,
  })
end

vim.api.nvim_create_autocmd('User', {
  pattern = 'ClaudeDiffOpened',
  callback = function()
    M.report('ready')
  end,
})

_G.bench = M

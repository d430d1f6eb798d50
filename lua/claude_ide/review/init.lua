--- Reviews of an agent's changes: all hunks in one quickfix list, with a preview.
local current = require('claude_ide.review.current')
local highlights = require('claude_ide.highlights')
local list = require('claude_ide.review.list')
local moment = require('claude_ide.timing.moment')
local quiet = require('claude_ide.messages.quiet')
local review_hunks = require('claude_ide.review.hunks')
local review_keys = require('claude_ide.review.keys')
local review_preview = require('claude_ide.review.preview')
local slices = require('claude_ide.timing.slices')

local M = {}

local api = vim.api

---@class claude_ide.ReviewRequest
---@field source string whose changes these are
---@field name? string the agent's name
---@field turn string empty for all turns
---@field title string
---@field files claude_ide.FileChange[]

local latest ---@type claude_ide.ReviewRequest?
local opened ---@type claude_ide.Review? until the events of its new window have been handled
local names = {} ---@type table<string, string[]> of the changed files, by source

local function is_quickfix(win)
  local info = vim.fn.getwininfo(win)[1]
  return info ~= nil and info.quickfix == 1 and info.loclist == 0
end

-- The window may show another list by now (`:colder`, `:make`), for which our keys must go.
local function update()
  local win = api.nvim_get_current_win()
  if not is_quickfix(win) then
    return review_preview.close()
  end
  local bufnr, review = api.nvim_win_get_buf(win), list.current()
  if not review then
    review_keys.detach(bufnr)
    list.clear(bufnr)
    return review_preview.close()
  end
  review_keys.attach(bufnr)
  list.highlight(review)
  local line = vim.fn.line('.')
  review_preview.show(win, list.hunks(review, line, line)[1])
end

local function move()
  local win, review = api.nvim_get_current_win(), list.current()
  if is_quickfix(win) and review then
    local line = vim.fn.line('.')
    review_preview.show(win, list.hunks(review, line, line)[1])
  end
end

local function return_to_list()
  local review = is_quickfix(api.nvim_get_current_win()) and list.current()
  if review and review ~= opened then
    list.refresh(review)
    update()
  end
end

local function watch()
  local group = api.nvim_create_augroup('claude_ide_review', { clear = true })
  local function on(events, callback, pattern)
    api.nvim_create_autocmd(events, { group = group, pattern = pattern, callback = callback })
  end
  -- Neovim fires this whenever it fills the window, before it is the current one.
  on('BufWinEnter', vim.schedule_wrap(update), 'quickfix')
  on('CursorMoved', move)
  on('WinEnter', vim.schedule_wrap(return_to_list))
  on({ 'WinLeave', 'TabLeave', 'VimLeavePre' }, review_preview.close)
  on('WinClosed', vim.schedule_wrap(update))
  on('VimResized', function()
    review_preview.close()
    vim.schedule(move)
  end)
end

---@param request claude_ide.ReviewRequest
---@param hunks claude_ide.ReviewHunk[]
local function show(request, hunks)
  highlights.define()
  watch()
  local review = {
    source = request.source,
    name = request.name or 'Claude',
    turn = request.turn,
    title = request.title,
    hunks = hunks,
    states = {},
  } --[[@as claude_ide.Review]]
  -- The keys of the list are for Normal mode.
  vim.cmd.stopinsert()
  quiet.run(function()
    list.open(review)
  end)
  -- What has just been compared need not be compared again for the WinEnter that is scheduled by now.
  opened = review
  vim.schedule(function()
    opened = nil
  end)
  update()
end

--- Show changes in the quickfix list, and enter its window.
---@param request claude_ide.ReviewRequest
function M.show(request)
  local hunks = {}
  latest = request
  slices.each(request.files, function(change)
    local file = review_hunks.of(change)
    file.comparison = current.compared(file)
    vim.list_extend(hunks, file.hunks)
  end, function()
    moment.when_unprompted(function()
      if latest == request then
        show(request, hunks)
      end
    end)
  end)
end

--- Note the changed files of a source, for completion.
---@param source string
---@param paths string[]
function M.name_files(source, paths)
  names[source] = paths
end

--- Count the lines that changes have added and removed.
---@param texts string[] the text before and the text after of each change
---@return integer[] added and removed
function M.count(texts)
  local added, removed = 0, 0
  for index = 1, #texts, 2 do
    local change = { path = '', name = '', obstacle = '', had_file = true, has_file = true }
    change.before, change.after = texts[index], texts[index + 1]
    for _, hunk in ipairs(review_hunks.of(change).hunks) do
      local plus, minus = review_hunks.sizes(hunk)
      added, removed = added + plus, removed + minus
    end
  end
  return { added, removed }
end

--- The files that a source has changed.
---@param source? string default: all sources
---@return string[]
function M.names(source)
  if source then
    return names[source] or {}
  end
  local all = vim.iter(vim.tbl_values(names)):flatten():totable()
  table.sort(all)
  return vim.fn.uniq(all)
end

return M

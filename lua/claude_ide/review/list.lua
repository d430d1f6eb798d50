--- The quickfix lists of reviews. The state of each hunk follows from the text, so that an undo in the
--- file shows here, too.
local current = require('claude_ide.review.current')
local record = require('claude_ide.review.record')
local review_hunks = require('claude_ide.review.hunks')

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('claude_ide_review')

local TALLEST = 10 -- lines of the quickfix window
local MARKS =
  { reverted = 'reverted: ', changed = 'changed since: ', seen = 'seen: ', present = '' }
local GROUPS = {
  reverted = 'ClaudeReviewReverted',
  changed = 'ClaudeReviewChanged',
  seen = 'ClaudeReviewSeen',
}

---@alias claude_ide.ReviewShown claude_ide.ReviewState|'seen'

---@class claude_ide.Review
---@field source string
---@field name string the agent's name
---@field turn string
---@field title string
---@field hunks claude_ide.ReviewHunk[]
---@field states claude_ide.ReviewShown[] of the hunks, as shown
---@field list? integer id of its quickfix list

local reviews = {} ---@type table<integer, claude_ide.Review> by id of the quickfix list

local function list_of(what)
  return vim.fn.getqflist(what)
end

-- Neovim drops the oldest of its quickfix lists.
local function forget_dropped()
  for id in pairs(reviews) do
    if list_of({ id = id }).id == 0 then
      reviews[id] = nil
    end
  end
end

local function is_known(hunk)
  return hunk.kind ~= 'unknown'
end

-- What the user has seen and not changed is out of the way.
local function shown_state(review, hunk, position)
  local is_as_written = position.state == 'present' or not is_known(hunk)
  if is_as_written and record.is_seen(review.source, hunk) then
    return 'seen'
  end
  return is_as_written and position.is_edited and 'changed' or position.state
end

local function entry(index, hunk, position, file, state)
  local mark = (is_known(hunk) or state == 'seen') and MARKS[state] or ''
  local count = file.now and #file.now.lines or 1
  if file.refusal then
    return { text = file.refusal, user_data = index, valid = 0, lnum = 0 }
  end
  return {
    filename = hunk.file.path,
    lnum = math.max(1, math.min(position.first + 1, count)),
    text = mark .. review_hunks.summary(hunk),
    user_data = index,
    valid = 1,
  }
end

---@param review claude_ide.Review
local function entries(review)
  local files, found = {}, {}
  for index, hunk in ipairs(review.hunks) do
    local file = files[hunk.file]
    if not file then
      file = hunk.file.comparison or current.compared(hunk.file)
      hunk.file.comparison = nil
      files[hunk.file] = file
    end
    local position = review_hunks.find(hunk, file)
    local state = shown_state(review, hunk, position)
    review.states[index] = state
    found[index] = entry(index, hunk, position, file, state)
  end
  return found
end

local function title_of(review)
  local added, removed, files, count = 0, 0, {}, 0
  for _, hunk in ipairs(review.hunks) do
    local plus, minus = review_hunks.sizes(hunk)
    added, removed = added + plus, removed + minus
    count = count + (files[hunk.file] and 0 or 1)
    files[hunk.file] = true
  end
  local noun = count == 1 and 'file' or 'files'
  local form = '%s: %s · %d %s +%d −%d · g? keys'
  return form:format(review.name, review.title, count, noun, added, removed)
end

--- The review whose quickfix list is the current one.
---@return claude_ide.Review?
function M.current()
  return reviews[list_of({ id = 0 }).id]
end

--- The quickfix window of the current tab page; nil if there is none.
---@return integer?
function M.window()
  local win = list_of({ winid = 0 }).winid
  return win ~= 0 and win or nil
end

local function highlight(bufnr, row, line, state)
  local start, _, added, removed = line:find('(%+%d+) (−%d+)  ')
  if GROUPS[state] then
    local first = line:match('^.-|.-|()') or 1
    local mark = { end_col = #line, hl_group = GROUPS[state] }
    api.nvim_buf_set_extmark(bufnr, namespace, row, first - 1, mark)
  elseif start then
    local middle = start + #added
    local function set(group, first, last)
      api.nvim_buf_set_extmark(bufnr, namespace, row, first, { end_col = last, hl_group = group })
    end
    set('ClaudeChatAdded', start - 1, middle - 1)
    set('ClaudeChatRemoved', middle, middle + #removed)
  end
end

--- Highlight the lines of the current review in the quickfix window.
---@param review claude_ide.Review
function M.highlight(review)
  local bufnr = list_of({ qfbufnr = 0 }).qfbufnr
  if bufnr == 0 then
    return
  end
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  local items = list_of({ id = review.list, items = 0 }).items
  local lines = api.nvim_buf_get_lines(bufnr, 0, -1, false)
  for row, item in ipairs(items) do
    if lines[row] then
      highlight(bufnr, row - 1, lines[row], review.states[item.user_data])
    end
  end
end

--- Remove the highlights of reviews from the quickfix window.
---@param bufnr integer
function M.clear(bufnr)
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
end

local function is_same(items, wanted)
  if #items ~= #wanted then
    return false
  end
  return vim.iter(ipairs(items)):all(function(index, item)
    return item.text == wanted[index].text and item.lnum == wanted[index].lnum
  end)
end

-- Entries that the user has removed stay removed.
local function remaining(items, all)
  return vim.tbl_map(function(item)
    return all[item.user_data] or item
  end, items)
end

--- Update the list to the current texts of the files.
---@param review claude_ide.Review
function M.refresh(review)
  local known = list_of({ id = review.list, items = 0, idx = 0 })
  if known.id == 0 then
    return
  end
  local wanted = remaining(known.items, entries(review))
  if is_same(known.items, wanted) then
    return
  end
  local win = M.window()
  local view = win and api.nvim_win_call(win, vim.fn.winsaveview)
  vim.fn.setqflist({}, 'r', { id = review.list, items = wanted, idx = known.idx })
  if win and view then
    api.nvim_win_call(win, function()
      vim.fn.winrestview(view)
    end)
  end
end

-- The same review again replaces its list, if that is the current one.
local function shown_before(review)
  local shown = M.current()
  if shown and shown.source == review.source and shown.turn == review.turn then
    return shown.list
  end
end

--- Make a review's list the current quickfix list, and enter its window.
---@param review claude_ide.Review
function M.open(review)
  forget_dropped()
  local known = shown_before(review)
  local what = { id = known, items = entries(review), title = title_of(review), idx = 1 }
  vim.fn.setqflist({}, known and 'r' or ' ', what)
  review.list = list_of({ id = 0 }).id
  reviews[review.list] = review
  vim.cmd(('botright copen %d'):format(math.max(2, math.min(#review.hunks, TALLEST))))
  api.nvim_win_set_cursor(0, { 1, 0 })
end

--- The hunks in lines of the quickfix window.
---@param review claude_ide.Review
---@param first integer line, 1-based
---@param last integer
---@return claude_ide.ReviewHunk[]
function M.hunks(review, first, last)
  local items = list_of({ id = review.list, items = 0 }).items
  return vim
    .iter(vim.list_slice(items, first, last))
    :map(function(item)
      return review.hunks[item.user_data]
    end)
    :totable()
end

return M

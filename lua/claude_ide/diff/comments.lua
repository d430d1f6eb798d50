--- The user's comments on lines of a proposal: kept as extmarks, which no undo removes, until the diff is
--- decided.
local announce = require('claude_ide.messages.announce')
local highlights = require('claude_ide.highlights')
local hunks = require('claude_ide.diff.hunks')
local plain = require('claude_ide.messages.plain')
local quotation = require('claude_ide.diff.quotation')

local M = {}

local api = vim.api
local augroup = api.nvim_create_augroup('claude_ide_diff_comments', { clear = true })
local namespace = api.nvim_create_namespace('claude_ide_comments')

---@class claude_ide.DiffComment
---@field mark integer extmark over its lines
---@field words string
---@field removed string[] the lines that its hunk removes, if it has no other

---@type table<integer, claude_ide.DiffComment[]> by the buffer of a proposal that takes them
local comments = {}
local paths = {} ---@type table<integer, string> their files

local function rows_of(bufnr, comment)
  local first, _, details =
    unpack(api.nvim_buf_get_extmark_by_id(bufnr, namespace, comment.mark, { details = true }))
  return first, math.max(first, details.end_row) + 1
end

local function touches(bufnr, comment, first, last)
  local from, to = rows_of(bufnr, comment)
  return from < last and to > first
end

-- The rows of the hunks that these rows touch, and the lines that one removes without putting others in
-- their place.
local function hunk_rows(bufnr, first, last)
  local list = hunks.list(bufnr)
  local indexes = hunks.at(bufnr, first, last)
  local from, to = list[indexes[1]], list[indexes[#indexes]]
  if not from then
    return first, last, {}
  end
  local row = hunks.row(bufnr, from)
  local is_empty = from == to and from.now[1] == from.now[2]
  local removed = is_empty and hunks.old_lines(bufnr, from) or {}
  return row, math.max(row + 1, to.now[2]), removed
end

--- Let the user comment on a proposal: an agent waits for the decision.
---@param bufnr integer
---@param path string of its file
function M.allow(bufnr, path)
  comments[bufnr], paths[bufnr] = {}, path
  api.nvim_create_autocmd('BufWipeout', {
    group = augroup,
    buffer = bufnr,
    callback = function()
      comments[bufnr], paths[bufnr] = nil, nil
    end,
  })
end

--- Whether the user can comment on a buffer.
---@param bufnr integer
---@return boolean
function M.takes(bufnr)
  return comments[bufnr] ~= nil
end

--- Comment on the hunk at the cursor, or on lines.
---@param bufnr integer a proposal
---@param first integer row, 0-based
---@param last integer exclusive
---@param is_range boolean whether the user has given the lines
---@param words string
function M.add(bufnr, first, last, is_range, words)
  local removed = {}
  if not is_range then
    first, last, removed = hunk_rows(bufnr, first, last)
  end
  highlights.define()
  local mark = api.nvim_buf_set_extmark(bufnr, namespace, first, 0, {
    -- To the end of its last line: the sign is also on the line in which it ends.
    end_row = last - 1,
    end_col = #api.nvim_buf_get_lines(bufnr, last - 1, last, true)[1],
    right_gravity = false,
    end_right_gravity = true,
    strict = false,
    sign_text = '»',
    sign_hl_group = 'ClaudeIdeComment',
    virt_text = { { '» ' .. plain.one_line(words), 'ClaudeIdeComment' } },
  })
  table.insert(comments[bufnr], { mark = mark, words = words, removed = removed })
  announce.event('ClaudeComment', {
    path = paths[bufnr],
    first = first + 1,
    last = last,
    words = words,
    bufnr = bufnr,
  })
end

--- Remove the comments on the hunk at the cursor, or on lines.
---@param bufnr integer
---@param first integer row, 0-based
---@param last integer exclusive
---@param is_range boolean whether the user has given the lines
---@return integer count
function M.remove(bufnr, first, last, is_range)
  if not is_range then
    first, last = hunk_rows(bufnr, first, last)
  end
  local kept, known = {}, comments[bufnr]
  for _, comment in ipairs(known) do
    if touches(bufnr, comment, first, last) then
      api.nvim_buf_del_extmark(bufnr, namespace, comment.mark)
    else
      table.insert(kept, comment)
    end
  end
  comments[bufnr] = kept
  return #known - #kept
end

--- The comments on a proposal in words, from its first line to its last one.
---@param bufnr integer
---@param path string as the agent knows it
---@return string[]
function M.of(bufnr, path)
  local found = vim.tbl_map(function(comment)
    local first, last = rows_of(bufnr, comment)
    local quoted = #comment.removed > 0 and comment.removed
      or api.nvim_buf_get_lines(bufnr, first, last, false)
    local prefix = #comment.removed > 0 and '> -' or '> '
    local words = quotation.of(path, { first + 1, last }, quoted, prefix, comment.words)
    return { first = first, words = words }
  end, comments[bufnr] or {})
  table.sort(found, function(a, b)
    return a.first < b.first
  end)
  return vim.tbl_map(function(each)
    return each.words
  end, found)
end

return M

--- The user's comments on lines of a proposal, kept as extmarks, which no undo removes. The agent gets them
--- when the diff is decided.
local announce = require('claude_ide.messages.announce')
local highlights = require('claude_ide.highlights')
local hunks = require('claude_ide.diff.hunks')
local plain = require('claude_ide.messages.plain')

local M = {}

local api = vim.api
local augroup = api.nvim_create_augroup('claude_ide_diff_comments', { clear = true })
local namespace = api.nvim_create_namespace('claude_ide_comments')

---@type table<integer, table[]> `DiffComment` of the port, by the buffer of a proposal
local comments = {}

local function rows_of(bufnr, comment)
  local first, _, details =
    unpack(api.nvim_buf_get_extmark_by_id(bufnr, namespace, comment.mark, { details = true }))
  return first, math.max(first, details.end_row) + 1
end

-- The rows that the user means: those that they have given, else those of the hunks there. Also the lines
-- that one removes without putting others in their place.
local function rows_meant(bufnr, where)
  local first, last = where.first, where.last
  if where.is_range then
    return first, last, {}
  end
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

--- Comment on the hunk at the cursor, or on lines.
---@param bufnr integer a proposal
---@param path string of its file
---@param where claude_ide.Commented
---@param words string
function M.add(bufnr, path, where, words)
  local first, last, removed = rows_meant(bufnr, where)
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
  if not comments[bufnr] then
    local function forget()
      comments[bufnr] = nil
    end
    api.nvim_create_autocmd('BufWipeout', { group = augroup, buffer = bufnr, callback = forget })
  end
  comments[bufnr] = comments[bufnr] or {}
  table.insert(comments[bufnr], { mark = mark, words = words, removed = removed })
  announce.event('ClaudeComment', {
    path = path,
    first = first + 1,
    last = last,
    words = words,
    bufnr = bufnr,
  })
end

--- Remove the comments on the hunk at the cursor, or on lines.
---@param bufnr integer
---@param where claude_ide.Commented
---@return integer count
function M.remove(bufnr, where)
  local first, last = rows_meant(bufnr, where)
  local known = comments[bufnr] or {}
  comments[bufnr] = vim.tbl_filter(function(comment)
    local from, to = rows_of(bufnr, comment)
    local is_kept = from >= last or to <= first
    return is_kept or not api.nvim_buf_del_extmark(bufnr, namespace, comment.mark)
  end, known)
  return #known - #comments[bufnr]
end

--- The comments on a diff, from its first line to its last one (`DiffComment` of the port).
---@type fun(diff: claude_ide.Diff): table[]
function M.of(diff)
  local bufnr = diff.bufnr --[[@as integer]]
  local found = comments[bufnr] or {}
  table.sort(found, function(one, other)
    return rows_of(bufnr, one) < rows_of(bufnr, other)
  end)
  return vim.tbl_map(function(comment)
    local first, last = rows_of(bufnr, comment)
    local is_removed = #comment.removed > 0
    return {
      first = first + 1,
      last = last,
      lines = is_removed and comment.removed or api.nvim_buf_get_lines(bufnr, first, last, false),
      is_removed = is_removed,
      words = comment.words,
    }
  end, found)
end

return M

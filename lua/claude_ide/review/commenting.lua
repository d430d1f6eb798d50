--- Who takes the user's words on a hunk. The agents are in rooms above this one.
local M = {}

---@type fun(bufnr: integer, first: integer, last: integer, words: string)?
local take

--- Have a function take the words from now on.
---@param fn fun(bufnr: integer, first: integer, last: integer, words: string) rows, 0-based, end-exclusive
function M.by(fn)
  take = fn
end

--- Pass on words on lines of a file.
---@param bufnr integer
---@param first integer row, 0-based
---@param last integer exclusive
---@param words string
function M.comment(bufnr, first, last, words)
  if take then
    take(bufnr, first, last, words)
  end
end

return M

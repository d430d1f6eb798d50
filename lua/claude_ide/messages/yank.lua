--- Text that the user can put: in the register that |p| uses, which may be the clipboard.
local M = {}

---@param text string
---@param type 'v'|'l' by characters, or by lines
function M.text(text, type)
  vim.fn.setreg(vim.v.register, text, type)
end

return M

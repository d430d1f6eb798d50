--- Shows saved images in a buffer, where snacks.nvim or image.nvim is loaded and can.
local M = {}

-- By buffer and row: image.nvim's own images, which would otherwise be collected.
local kept = {}

local function by_snacks(bufnr, row, path)
  local snacks = package.loaded['snacks']
  local image = snacks and snacks.image
  if not (image and image.supports_terminal()) then
    return false
  end
  image.placement.new(bufnr, path, { inline = true, pos = { row + 1, 0 }, max_height = 20 })
  return true
end

local function by_image_nvim(bufnr, row, path)
  local image = package.loaded['image']
  local win = vim.fn.win_findbuf(bufnr)[1]
  if not image or not win then
    return false
  end
  local options = { buffer = bufnr, window = win, x = 0, y = row, with_virtual_padding = true }
  local shown = image.from_file(path, options)
  if shown then
    kept[#kept + 1] = shown
    shown:render()
  end
  return shown ~= nil
end

--- Show an image at a row, if a plugin can.
---@param bufnr integer
---@param row integer 0-based
---@param path string
---@return boolean
function M.show(bufnr, row, path)
  for _, show in ipairs({ by_snacks, by_image_nvim }) do
    local ok, is_shown = pcall(show, bufnr, row, path)
    if ok and is_shown then
      return true
    end
  end
  return false
end

return M

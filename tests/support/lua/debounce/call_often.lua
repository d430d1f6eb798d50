local left = 50
local function again()
  left = left - 1
  _G.state = left
  _G.call()
  if left > 0 then
    vim.defer_fn(again, 4)
  end
end
again()

local waiting = 0
vim.uv.walk(function(handle)
  if handle:get_type() == 'timer' and handle:is_active() then
    waiting = math.max(waiting, handle:get_due_in())
  end
end)
return waiting

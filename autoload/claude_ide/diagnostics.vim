vim9script
# Collects diagnostics.

# Start or stop.
export def Watch(on: bool)
enddef

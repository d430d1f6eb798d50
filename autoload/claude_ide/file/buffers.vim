vim9script
# The buffers of files.

# Emit changes of the open files.
export def Watch(on: bool)
enddef

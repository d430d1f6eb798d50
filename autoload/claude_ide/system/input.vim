vim9script
# Jobs that read a text.

# Start a job like `job_start()`. It reads `lines`, without a line end after the last one.
#
# It reads them from a file. Vim closes a pipe before it has written more to it than the pipe holds, and a
# job that ends without having read everything would cause an error where nothing catches it.
export def Start(command: list<string>, lines: list<string>, options: dict<any>): job
  const name = tempname()
  writefile(lines, name, 'b')
  var started: job
  try
    started = job_start(command, options->copy()->extend({in_io: 'file', in_name: name}))
  finally
    # The job has opened it.
    delete(name)
  endtry
  return started
enddef

defcompile

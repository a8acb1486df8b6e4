function __millrace_complete
  set -l found (millrace completion words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if test (count $found) -gt 0; printf '%s\n' $found; else; __fish_complete_path (commandline -ct); end
end
complete -c millrace -f -a '(__millrace_complete)'

#compdef millrace
_millrace() {
  local -a found
  found=("${(@f)$(millrace completion words -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "${found[*]}" ]]; then compadd -- $found; else _files; fi
}
# A file of $fpath is loaded, and run, by the first Tab: it has to complete too. One that is sourced registers the function.
if [[ ${funcstack[1]} == _millrace ]]; then _millrace "$@"; else compdef _millrace millrace; fi

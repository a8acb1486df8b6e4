# Bash breaks words at the characters of COMP_WORDBREAKS too, and replaces only what stands behind the last of them. So the words
# are put together again from the line, and what stands before the break is cut off the answers: report:payments, --state=FAILED.
# Answers are inserted as they are: spaces are escaped, unless the word began with a quote. Bash 3.2, of macOS, understands it.
_millrace() {
  local rest=${COMP_LINE:0:COMP_POINT} words=() typed before= breaks= quoted= index part each
  for ((index = 0; index <= COMP_CWORD; index++)); do
    if [[ $index -eq 0 || $rest == [[:space:]]* ]]; then
      rest=${rest#"${rest%%[![:space:]]*}"}
      words+=("")
    fi
    part=${COMP_WORDS[index]}
    [[ $index -eq $COMP_CWORD ]] && part=$rest
    words[${#words[@]}-1]+=$part
    rest=${rest#"$part"}
  done
  [[ ${words[${#words[@]}-1]} == [\"\']* ]] && quoted=yes
  words=("${words[@]//[\\\"\']/}")
  typed=${words[${#words[@]}-1]}
  if [[ -z $quoted ]]; then
    for each in : = @; do [[ $COMP_WORDBREAKS == *$each* ]] && breaks+=$each; done
    [[ -n $breaks ]] && before=${typed%"${typed##*[$breaks]}"}
  fi
  COMPREPLY=()
  while IFS= read -r each; do
    each=${each#"$before"}
    [[ -z $quoted ]] && printf -v each %q "$each"
    COMPREPLY+=("$each")
  done < <(millrace completion words -- "${words[@]:1}" 2>/dev/null)
}
complete -o default -F _millrace millrace

/** A pattern of T-SQL's LIKE as a regular expression of DuckDB (RE2), without regard to case. */
export function likeRegex(pattern: string, escape = ''): string {
  let regex = '';
  for (let at = 0; at < pattern.length; at += 1) {
    const letter = pattern[at] ?? '';
    const set = letter === '[' ? /^\[(\^?)([^\]]+)\]/.exec(pattern.slice(at)) : null;
    if (escape !== '' && letter === escape && at + 1 < pattern.length) {
      at += 1;
      regex += escaped(pattern[at] ?? '');
    } else if (set !== null) {
      const [whole, not = '', letters = ''] = set;
      regex += `[${not}${letters.replaceAll(/[\\[\]^]/g, String.raw`\$&`)}]`;
      at += whole.length - 1;
    } else if (letter === '%') regex += '.*';
    else if (letter === '_') regex += '.';
    else regex += escaped(letter);
  }
  return `(?is)${regex}`;
}

function escaped(letter: string): string {
  return letter.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** What is wrong with a text, and where. */
export interface Finding {
  readonly severity: 'error' | 'warning';
  readonly code: FindingCode;
  /** A sentence that says what to write instead. */
  readonly message: string;
  /** From 1, as is `column`. Columns and `length` count UTF-16 units, as editors do. */
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

export interface FindingEntry {
  readonly severity: Finding['severity'];
  /** A sentence for the table in docs/queries.md; the finding itself says more, of its place. */
  readonly about: string;
}

export const FINDINGS = {
  empty: {
    severity: 'error',
    about: 'There is no query.',
  },
  too_long: {
    severity: 'error',
    about: 'It has more than 500,000 characters.',
  },
  nested_too_deeply: {
    severity: 'error',
    about: 'It nests too deeply to be read.',
  },
  forbidden_character: {
    severity: 'error',
    about: 'A control character, or half of a character, which cannot be sent.',
  },
  stray_character: {
    severity: 'error',
    about: 'A typographic quotation mark, as word processors write it.',
  },
  unterminated_string: {
    severity: 'error',
    about: "A text has no `'` at its end.",
  },
  unterminated_name: {
    severity: 'error',
    about: 'A name has no `]` or `"` at its end.',
  },
  unterminated_comment: {
    severity: 'error',
    about: 'A comment has no `*/` at its end.',
  },
  unbalanced: {
    severity: 'error',
    about: 'A bracket, or a CASE, lacks its partner.',
  },
  not_select: {
    severity: 'error',
    about: 'It begins with something other than SELECT.',
  },
  leading_with: {
    severity: 'error',
    about: 'WITH cannot stand inside another query.',
  },
  several_statements: {
    severity: 'error',
    about: 'Only one statement can run.',
  },
  statement_inside: {
    severity: 'error',
    about: 'A word of another statement stands inside, such as UPDATE.',
  },
  into: {
    severity: 'error',
    about: 'INTO: the result has a data extension of its own.',
  },
  variable: {
    severity: 'error',
    about: 'There are no variables.',
  },
  temporary_table: {
    severity: 'error',
    about: 'There are no temporary tables.',
  },
  limit: {
    severity: 'error',
    about: 'There is no LIMIT, but TOP.',
  },
  empty_column: {
    severity: 'error',
    about: 'A comma too many, or a column too few.',
  },
  star_with_join: {
    severity: 'error',
    about: '`SELECT *` cannot be used with a join.',
  },
  star_unknown: {
    severity: 'error',
    about: '`*` of something whose fields are not known.',
  },
  unnamed_column: {
    severity: 'error',
    about: 'An expression has no name.',
  },
  column_name_length: {
    severity: 'error',
    about: 'A name has more than 128 characters.',
  },
  column_name_underscore: {
    severity: 'error',
    about: 'A name begins with `_`.',
  },
  column_name_duplicate: {
    severity: 'error',
    about: 'Two columns have one name, capitals aside.',
  },
  order_without_top: {
    severity: 'error',
    about: 'ORDER BY needs TOP: the query stands inside another one.',
  },
  semicolon: {
    severity: 'error',
    about: 'A semicolon at the end.',
  },
} as const satisfies Record<string, FindingEntry>;

export type FindingCode = keyof typeof FINDINGS;

/** A text can have as many faults as characters; nobody reads more of them. */
const MAX_FINDINGS = 50;

export interface Report {
  readonly findings: Finding[];
  add(code: FindingCode, start: number, end: number, message: string): void;
}

export function openReport(text: string): Report {
  const findings: Finding[] = [];
  const starts = lineStarts(text);

  return {
    findings,
    add(code, start, end, message) {
      if (findings.length >= MAX_FINDINGS) return;
      const { severity } = FINDINGS[code];
      const line = lineOf(starts, start);
      const column = start - (starts[line - 1] ?? 0) + 1;
      findings.push({ severity, code, message, line, column, length: Math.max(0, end - start) });
    },
  };
}

/** Of what is quoted in a message: a word can be as long as the text. */
export function excerpt(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) starts.push(index + end.length);
  return starts;
}

/** By halves: of thousands of lines and dozens of findings. */
function lineOf(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

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

export type FindingCode =
  | 'empty'
  | 'too_long'
  | 'nested_too_deeply'
  | 'forbidden_character'
  | 'stray_character'
  | 'unterminated_string'
  | 'unterminated_name'
  | 'unterminated_comment'
  | 'unbalanced'
  | 'not_select'
  | 'leading_with'
  | 'several_statements'
  | 'statement_inside'
  | 'into'
  | 'variable'
  | 'temporary_table'
  | 'limit'
  | 'empty_column'
  | 'star_with_join'
  | 'star_unknown'
  | 'unnamed_column'
  | 'column_name_characters'
  | 'column_name_length'
  | 'column_name_underscore'
  | 'column_name_duplicate'
  | 'order_without_top'
  | 'semicolon';

/** A text can have as many faults as characters; nobody reads more of them. */
const MAX_FINDINGS = 50;

export interface Report {
  readonly findings: Finding[];
  error(code: FindingCode, start: number, end: number, message: string): void;
  warning(code: FindingCode, start: number, end: number, message: string): void;
}

export function openReport(text: string): Report {
  const findings: Finding[] = [];
  const starts = lineStarts(text);

  function add(
    severity: Finding['severity'],
    code: FindingCode,
    start: number,
    end: number,
    message: string,
  ): void {
    if (findings.length >= MAX_FINDINGS) return;
    const line = lineOf(starts, start);
    const column = start - (starts[line - 1] ?? 0) + 1;
    findings.push({ severity, code, message, line, column, length: Math.max(0, end - start) });
  }

  return {
    findings,
    error: (code, start, end, message) => add('error', code, start, end, message),
    warning: (code, start, end, message) => add('warning', code, start, end, message),
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

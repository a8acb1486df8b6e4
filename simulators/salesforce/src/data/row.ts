/** A moment is a number (milliseconds since 1970), a date is `2026-01-31`, a file's body is a buffer. */
export type Value = string | number | boolean | null | Buffer;

/** A record at one moment. A change makes a new one, so whoever read the old one still has it whole. */
export interface Row {
  readonly Id: string;
  readonly [field: string]: Value;
}

export type Values = Readonly<Record<string, Value>>;

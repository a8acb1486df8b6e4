import type { Field, FieldType } from '@millrace/marketing-cloud';

/** The type of a column or expression as a data extension can keep it. */
export interface Kind {
  readonly type: FieldType;
  /** Of Text; null: as long as Marketing Cloud allows. Of Decimal, the precision. */
  readonly maxLength?: number | null;
  /** Of Decimal. */
  readonly scale?: number;
}

/** The longest Text that has a length. */
export const MAX_TEXT = 4000;
/** SQL Server's. */
const MAX_PRECISION = 38;
const MAX_INT = 2_147_483_647;

export const NUMBER: Kind = { type: 'Number' };
export const DATE: Kind = { type: 'Date' };
export const BOOLEAN: Kind = { type: 'Boolean' };
/** Numbers beyond the 32 bits of Number. */
export const BIG: Kind = decimal(19, 0);
/** Of FLOAT, and of arithmetic whose precision is not worth deriving: 10 digits before the point, 8 after it. */
export const FRACTION: Kind = decimal(18, 8);
export const LONG_TEXT: Kind = text(MAX_TEXT);

export function text(length: number): Kind {
  return { type: 'Text', maxLength: length > MAX_TEXT ? null : Math.max(1, length) };
}

export function decimal(precision: number, scale: number): Kind {
  return {
    type: 'Decimal',
    maxLength: Math.min(precision, MAX_PRECISION),
    scale: Math.min(scale, precision),
  };
}

export function kindOf(field: Field): Kind {
  const { type, maxLength, scale } = field;
  if (type === 'Text') return { type, maxLength: maxLength ?? null };
  if (type === 'Decimal') return decimal(maxLength ?? 18, scale ?? 0);
  return { type };
}

/** Whether the value is of characters: as an operand, an e-mail address, a phone number and a locale are text. */
export function asText(kind: Kind): Kind | null {
  if (kind.type === 'Text') return kind;
  if (kind.type === 'EmailAddress') return text(254);
  if (kind.type === 'Phone') return text(50);
  if (kind.type === 'Locale') return text(5);
  return null;
}

export function isNumeric(kind: Kind): boolean {
  return kind.type === 'Number' || kind.type === 'Decimal' || kind.type === 'Boolean';
}

/** SQL Server's order: of two types, the later one is converted to the earlier. */
const PRECEDENCE: readonly FieldType[] = ['Date', 'Decimal', 'Number', 'Boolean'];

/** What CASE, COALESCE or UNION makes of two. Null, the unknown, stays unknown: only text takes everything. */
export function united(one: Kind | null, other: Kind | null): Kind | null {
  if (one === null || other === null) return null;
  const [a, b] = [asText(one), asText(other)];
  if (a !== null && b !== null) {
    if (one.type === other.type && one.type !== 'Text') return one;
    const lengths = [a.maxLength, b.maxLength];
    return text(Math.max(...lengths.map((length) => length ?? MAX_TEXT + 1)));
  }
  if (one.type === 'Decimal' || other.type === 'Decimal') {
    if (one.type !== 'Date' && other.type !== 'Date') return widest(one, other);
  }
  return PRECEDENCE.indexOf(one.type) === -1 ||
    (PRECEDENCE.indexOf(other.type) !== -1 &&
      PRECEDENCE.indexOf(other.type) < PRECEDENCE.indexOf(one.type))
    ? other
    : one;
}

function widest(one: Kind, other: Kind): Kind {
  const [a, b] = [digits(one), digits(other)];
  const scale = Math.max(a.scale, b.scale);
  return decimal(Math.max(a.whole, b.whole) + scale, scale);
}

function digits(kind: Kind): { readonly whole: number; readonly scale: number } {
  if (kind.type !== 'Decimal') return { whole: 10, scale: 0 };
  return { whole: (kind.maxLength ?? 18) - (kind.scale ?? 0), scale: kind.scale ?? 0 };
}

/** Of a literal such as 12, 0.5 or 1e9. */
export function kindOfNumber(literal: string): Kind | null {
  if (/^0x/i.test(literal)) return null;
  if (/e/i.test(literal)) return FRACTION;
  const [whole = '', fraction] = literal.split('.');
  if (fraction !== undefined)
    return decimal(Math.max(18, whole.length + fraction.length), fraction.length);
  return Number(literal) <= MAX_INT ? NUMBER : decimal(Math.max(19, whole.length), 0);
}

const INTEGERS = new Set(['INT', 'INTEGER', 'SMALLINT', 'TINYINT']);
const DATES = new Set(['DATE', 'DATETIME', 'DATETIME2', 'SMALLDATETIME', 'DATETIMEOFFSET']);
const CHARACTERS = new Set(['CHAR', 'VARCHAR', 'NCHAR', 'NVARCHAR']);

/** Of a type in CAST and CONVERT, such as DECIMAL with ['10', '2']. Without a length, VARCHAR in CAST has 30. */
export function kindOfSqlType(name: string, lengths: readonly string[]): Kind | null {
  const [length, scale] = lengths.map(Number);
  if (INTEGERS.has(name)) return NUMBER;
  if (name === 'BIGINT') return BIG;
  if (name === 'BIT') return BOOLEAN;
  if (DATES.has(name)) return DATE;
  if (CHARACTERS.has(name)) {
    if (lengths[0]?.toUpperCase() === 'MAX') return { type: 'Text', maxLength: null };
    return text(length ?? 30);
  }
  if (['DECIMAL', 'NUMERIC', 'DEC'].includes(name)) return decimal(length ?? 18, scale ?? 0);
  if (name === 'MONEY') return decimal(19, 4);
  if (name === 'SMALLMONEY') return decimal(10, 4);
  if (name === 'FLOAT' || name === 'REAL') return FRACTION;
  if (name === 'UNIQUEIDENTIFIER') return text(36);
  if (name === 'TIME') return text(16);
  return null;
}

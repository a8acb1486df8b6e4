import type { DataExtension, Row, UpdateType } from '../data/account.ts';
import { type Field, fieldNamed } from '../data/fields.ts';
import { QueryError, type SqlAnswer } from './run-sql.ts';

/**
 * Marketing Cloud runs `INSERT INTO target (cols) SELECT … FROM (<the query>) AS querydef`, as validatedQueryText of a
 * query shows. The sentences are those of SQL Server: messages 8155, 8156, 207, 515, 245, 8114, 2628 and 2627 of "Database
 * Engine errors". Which of them Marketing Cloud hands on is not documented.
 */
export function fitted({ columns, rows }: SqlAnswer, target: readonly Field[]): Row[] {
  const fields = columns.map((name, place) => fieldFor(name, place, columns, target));
  const missing = target.filter((field) => !fields.includes(field));
  return rows.map((row) => {
    const fits: Record<string, string | null> = {};
    for (const [place, field] of fields.entries()) {
      fits[field.name] = valueFor(field, row[columns[place] ?? ''] ?? null);
    }
    for (const field of missing) fits[field.name] = valueFor(field, field.defaultValue || null);
    return fits;
  });
}

function fieldFor(
  name: string,
  place: number,
  columns: readonly string[],
  target: readonly Field[],
): Field {
  if (name === '') {
    throw new QueryError(`No column name was specified for column ${place + 1} of 'querydef'.`);
  }
  const isRepeated =
    columns.findIndex((other) => other.trim().toLowerCase() === name.trim().toLowerCase()) < place;
  if (isRepeated) {
    throw new QueryError(`The column '${name}' was specified multiple times for 'querydef'.`);
  }
  const field = fieldNamed(target, name);
  if (field === undefined) throw new QueryError(`Invalid column name '${name}'.`);
  return field;
}

/** The value as the field keeps it. */
function valueFor(field: Field, value: string | null): string | null {
  if (value === null) {
    if (!field.isRequired) return null;
    throw new QueryError(
      `Cannot insert the value NULL into column '${field.name}'; column does not allow nulls.`,
    );
  }
  const kept = converted(field, value);
  if (isText(field) && field.maxLength !== null && kept.length > field.maxLength) {
    throw new QueryError(
      `String or binary data would be truncated in column '${field.name}'. Truncated value: '${kept.slice(0, field.maxLength)}'.`,
    );
  }
  return kept;
}

function isText({ type }: Field): boolean {
  return type === 'Text' || type === 'EmailAddress' || type === 'Phone' || type === 'Locale';
}

const WHOLE = /^\s*[+-]?\d+\s*$/;
const DECIMAL = /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/;
const LARGEST_NUMBER = 2n ** 31n;
/** The powers of ten that a float of SQL Server has. */
const LARGEST_POWER = 400;

function isDecimal(value: string): boolean {
  const exponent = DECIMAL.exec(value)?.[2];
  return (
    DECIMAL.test(value) &&
    (exponent === undefined || Math.abs(Number(exponent.slice(1))) <= LARGEST_POWER)
  );
}

function converted(field: Field, value: string): string {
  switch (field.type) {
    case 'Number':
      return wholeNumber(value);
    case 'Decimal': {
      if (!isDecimal(value)) throw notConverted(value, 'numeric');
      const { text, digits } = rounded(value, field.scale);
      if (digits > (field.maxLength ?? 18)) {
        throw new QueryError('Arithmetic overflow error converting numeric to data type numeric.');
      }
      return text;
    }
    case 'Boolean':
      return truth(value);
    case 'Date':
      return moment(value);
    default:
      return value;
  }
}

/** A decimal becomes a Number by losing its fraction, as CAST(… AS int) does. A text with one does not. */
function wholeNumber(value: string): string {
  const isWhole = WHOLE.test(value);
  if (!isWhole && !isDecimal(value)) throw notConverted(value, 'int');
  const number = truncated(value);
  if (number >= LARGEST_NUMBER || number < -LARGEST_NUMBER) {
    throw new QueryError('Arithmetic overflow error converting expression to data type int.');
  }
  return String(number);
}

function truth(value: string): string {
  const text = value.trim().toLowerCase();
  if (text === 'true') return 'True';
  if (text === 'false' || text === '') return 'False';
  if (!DECIMAL.test(text)) throw notConverted(value, 'bit');
  return Number(text) === 0 ? 'False' : 'True';
}

const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?)?/;

function moment(value: string): string {
  const [, day, time = '00:00:00', fraction = '0'] = MOMENT.exec(value) ?? american(value) ?? [];
  if (day === undefined || Number.isNaN(Date.parse(`${day}T${time}Z`))) {
    throw new QueryError(
      'Conversion failed when converting date and/or time from character string.',
    );
  }
  return `${day} ${time}.${fraction.padEnd(3, '0').slice(0, 3)}`;
}

/** `5/20/2026` and `5/20/2026 4:00:00 PM`, in the parts of MOMENT. */
function american(value: string): string[] | null {
  const parts = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?: (\d{1,2}):(\d\d)(?::(\d\d))? ?(AM|PM)?)?$/i.exec(
    value.trim(),
  );
  if (parts === null) return null;
  const [, month = '', day = '', year = '', hour = '0', minute = '00', second = '00', half] = parts;
  const inHalf = half === undefined ? Number(hour) : Number(hour) % 12;
  const hours = half?.toUpperCase() === 'PM' ? inHalf + 12 : inHalf;
  const two = (number: string | number): string => String(number).padStart(2, '0');
  return ['', `${year}-${two(month)}-${two(day)}`, `${two(hours)}:${minute}:${second}`];
}

function notConverted(value: string, type: string): QueryError {
  return new QueryError(
    `Conversion failed when converting the varchar value '${value}' to data type ${type}.`,
  );
}

/** The rows of the target after the insert. Without a primary key, Update only adds. */
export function written(
  { rows: before, fields }: DataExtension,
  rows: readonly Row[],
  updateType: UpdateType,
): Row[] {
  const key = fields.filter(({ isPrimaryKey }) => isPrimaryKey);
  const kept = updateType === 'Overwrite' ? [] : before;
  if (key.length === 0) return [...kept, ...rows];
  const keyOf = (row: Row): string =>
    JSON.stringify(key.map(({ name }) => (row[name] ?? '').toLowerCase()));
  const byKey = new Map<string, Row>(kept.map((row) => [keyOf(row), row]));
  const added = new Set<string>();
  for (const row of rows) {
    const id = keyOf(row);
    if (added.has(id) || (updateType !== 'Update' && byKey.has(id))) throw duplicateKey(id);
    added.add(id);
    byKey.set(id, { ...byKey.get(id), ...row });
  }
  return [...byKey.values()];
}

function duplicateKey(id: string): QueryError {
  const values = (JSON.parse(id) as string[]).join(', ');
  return new QueryError(
    `Violation of PRIMARY KEY constraint. Cannot insert duplicate key. The duplicate key value is (${values}).`,
  );
}

const NUMBER = /^\s*([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?\s*$/;

/** A number as written in decimal, whole and a power of ten: 12.50 is 1250 and 2 places. A double would change it from the 16th digit on. */
interface Exact {
  readonly units: bigint;
  readonly places: number;
}

function exactOf(text: string): Exact {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const units = BigInt(`${whole}${fraction}` || '0');
  return { units: sign === '-' ? -units : units, places: fraction.length - Number(exponent) };
}

/** With so many decimal places, rounded half away from zero as SQL Server does it. Gives the digits that it takes, too. */
export function rounded(text: string, places: number): { text: string; digits: number } {
  const exact = exactOf(text);
  const drop = exact.places - places;
  const units = drop > 0 ? divided(exact.units, drop) : exact.units * 10n ** BigInt(-drop);
  const all = String(units < 0n ? -units : units);
  const padded = all.padStart(places + 1, '0');
  const whole = padded.slice(0, padded.length - places);
  const number = places === 0 ? whole : `${whole}.${padded.slice(-places)}`;
  return { text: units < 0n ? `-${number}` : number, digits: all.length };
}

/** Without its fraction. */
export function truncated(text: string): bigint {
  const { units, places } = exactOf(text);
  return places > 0 ? units / 10n ** BigInt(places) : units * 10n ** BigInt(-places);
}

function divided(units: bigint, places: number): bigint {
  const by = 10n ** BigInt(places);
  const half = by / 2n;
  return (units < 0n ? units - half : units + half) / by;
}

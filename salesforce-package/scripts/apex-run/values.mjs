// The values of Apex: what JavaScript has no type for is a class here. An Integer is a number, a Long a bigint, a
// String or an Id a string; null is null.

export class ApexError extends Error {
  /** @param {string} type @param {string} message */
  constructor(type, message) {
    super(message);
    this.type = type;
  }
}

export class Decimal {
  /** @param {bigint} unscaled @param {number} scale */
  constructor(unscaled, scale) {
    this.unscaled = unscaled;
    this.scale = scale;
  }

  /** @param {string} text */
  static parse(text) {
    const found = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text.trim());
    if (found === null || (found[2] === '' && !found[3])) {
      throw new ApexError('TypeException', `Invalid decimal: ${text}`);
    }
    const [, sign, whole = '', fraction = '', power = '0'] = found;
    const scale = fraction.length - Number(power);
    const unscaled = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`);
    return scale < 0
      ? new Decimal(unscaled * 10n ** BigInt(-scale), 0)
      : new Decimal(unscaled, scale);
  }

  /** @param {number} scale @param {string} [mode] HALF_UP, CEILING or HALF_EVEN */
  setScale(scale, mode = 'HALF_UP') {
    if (scale >= this.scale)
      return new Decimal(this.unscaled * 10n ** BigInt(scale - this.scale), scale);
    const unit = 10n ** BigInt(this.scale - scale);
    const rest = this.unscaled % unit;
    let whole = this.unscaled / unit;
    const doubled = (rest < 0n ? -rest : rest) * 2n;
    const away = this.unscaled < 0n ? -1n : 1n;
    if (
      mode === 'CEILING'
        ? rest > 0n
        : doubled > unit || (doubled === unit && (mode === 'HALF_UP' || whole % 2n !== 0n))
    )
      whole += mode === 'CEILING' ? 1n : away;
    return new Decimal(whole, scale);
  }

  toString() {
    const negative = this.unscaled < 0n;
    const digits = (negative ? -this.unscaled : this.unscaled)
      .toString()
      .padStart(this.scale + 1, '0');
    const point = digits.length - this.scale;
    return `${negative ? '-' : ''}${digits.slice(0, point)}${this.scale > 0 ? `.${digits.slice(point)}` : ''}`;
  }

  toNumber() {
    return Number(this.toString());
  }
}

export class Double {
  /** @param {number} value */
  constructor(value) {
    this.value = value;
  }

  /** As Java writes it: 1.0, 1.5E300, 5.0E-7. */
  toString() {
    const { value } = this;
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-3 || size >= 1e7)) {
      const [mantissa = '', power = ''] = value.toExponential().split('e');
      return `${mantissa.includes('.') ? mantissa : `${mantissa}.0`}E${power.replace('+', '')}`;
    }
    return Number.isInteger(value) ? `${value}.0` : String(value);
  }
}

export class ApexDate {
  /** @param {number} year @param {number} month @param {number} day */
  constructor(year, month, day) {
    const moment = new Date(Date.UTC(year, month - 1, day));
    this.year = moment.getUTCFullYear();
    this.month = moment.getUTCMonth() + 1;
    this.day = moment.getUTCDate();
  }

  toString() {
    return [String(this.year).padStart(4, '0'), pad(this.month), pad(this.day)].join('-');
  }
}

export class Datetime {
  /** @param {number} ms */
  constructor(ms) {
    this.ms = ms;
  }

  toString() {
    return new Date(this.ms).toISOString().replace('T', ' ').slice(0, 19);
  }
}

export class Time {
  /** @param {number} ms since midnight */
  constructor(ms) {
    this.ms = ms;
  }

  toString() {
    return `${new Date(this.ms).toISOString().slice(11, 23)}Z`;
  }
}

export class Blob {
  /** @param {Buffer} bytes */
  constructor(bytes) {
    this.bytes = bytes;
  }

  toString() {
    return this.bytes.toString('utf8');
  }
}

export class List {
  /** @param {unknown[]} items */
  constructor(items = []) {
    this.items = items;
  }

  toString() {
    return `(${this.items.map(textOf).join(', ')})`;
  }
}

/** What a query gives: a list, or its only record where one is asked for. */
export class QueryResult extends List {
  only() {
    if (this.items.length !== 1)
      throw new ApexError(
        'QueryException',
        `List has ${this.items.length} rows for assignment to SObject`,
      );
    return this.items[0];
  }
}

/** Keys are compared by value; texts with upper and lower case, unlike `==`. */
export class ApexMap {
  /** @param {Iterable<[unknown, unknown]>} entries */
  constructor(entries = []) {
    /** @type {Map<unknown, [unknown, unknown]>} */
    this.entries = new Map();
    for (const [key, value] of entries) this.put(key, value);
  }

  /** @param {unknown} key @param {unknown} value */
  put(key, value) {
    const before = this.get(key);
    this.entries.set(keyOf(key), [key, value]);
    return before;
  }

  /** @param {unknown} key */
  get(key) {
    return this.entries.get(keyOf(key))?.[1] ?? null;
  }

  keys() {
    return [...this.entries.values()].map(([key]) => key);
  }

  values() {
    return [...this.entries.values()].map(([, value]) => value);
  }

  toString() {
    return `{${[...this.entries.values()].map(([key, value]) => `${textOf(key)}=${textOf(value)}`).join(', ')}}`;
  }
}

export class ApexSet {
  /** @param {Iterable<unknown>} items */
  constructor(items = []) {
    /** @type {Map<unknown, unknown>} */
    this.entries = new Map();
    for (const item of items) this.add(item);
  }

  /** @param {unknown} item */
  add(item) {
    const key = keyOf(item);
    if (this.entries.has(key)) return false;
    this.entries.set(key, item);
    return true;
  }

  get items() {
    return [...this.entries.values()];
  }

  toString() {
    return `{${this.items.map(textOf).join(', ')}}`;
  }
}

/** @param {unknown} value */
export function keyOf(value) {
  if (value instanceof Decimal || value instanceof ApexDate)
    return `${value.constructor.name}:${value.toString()}`;
  if (value instanceof Datetime) return `Datetime:${value.ms}`;
  if (typeof value === 'bigint') return Number(value);
  return value;
}

/** @param {number} value */
export function pad(value, size = 2) {
  return String(value).padStart(size, '0');
}

/** String.valueOf. @param {unknown} value @returns {string} */
export function textOf(value) {
  return value === null || value === undefined ? 'null' : String(value);
}

/** @param {unknown} value */
export function isNumber(value) {
  return (
    typeof value === 'number' ||
    typeof value === 'bigint' ||
    value instanceof Decimal ||
    value instanceof Double
  );
}

/** @param {unknown} value @returns {Decimal} */
export function toDecimal(value) {
  if (value instanceof Decimal) return value;
  if (typeof value === 'bigint') return new Decimal(value, 0);
  if (typeof value === 'number' && Number.isSafeInteger(value))
    return new Decimal(BigInt(value), 0);
  if (!isNumber(value)) throw new ApexError('TypeException', `Not a number: ${textOf(value)}`);
  return Decimal.parse(textOf(value));
}

/** `==`: texts are the same in upper and lower case. @param {unknown} a @param {unknown} b @returns {boolean} */
export function equal(a, b) {
  if (a === b) return true;
  if (typeof a === 'string' && typeof b === 'string') return a.toLowerCase() === b.toLowerCase();
  return same(a, b);
}

/** equals(), and Assert.areEqual. @param {unknown} a @param {unknown} b @returns {boolean} */
export function same(a, b) {
  if (a === null || b === null || a === undefined || b === undefined)
    return (a ?? null) === (b ?? null);
  if (isNumber(a) && isNumber(b)) return compare(a, b) === 0;
  if (a instanceof List && b instanceof List)
    return a.items.length === b.items.length && a.items.every((item, i) => same(item, b.items[i]));
  if (a instanceof ApexSet && b instanceof ApexSet)
    return (
      a.entries.size === b.entries.size && [...a.entries.keys()].every((key) => b.entries.has(key))
    );
  if (a instanceof ApexMap && b instanceof ApexMap)
    return (
      a.entries.size === b.entries.size &&
      [...a.entries].every(
        ([key, [, value]]) => b.entries.has(key) && same(value, b.entries.get(key)?.[1]),
      )
    );
  if (a instanceof Datetime && b instanceof Datetime) return a.ms === b.ms;
  if (a instanceof ApexDate && b instanceof ApexDate) return String(a) === String(b);
  if (a instanceof Time && b instanceof Time) return a.ms === b.ms;
  return a === b;
}

/** @param {unknown} a @param {unknown} b @returns {number} */
export function compare(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  if (a instanceof Datetime && b instanceof Datetime) return a.ms - b.ms;
  if (a instanceof ApexDate && b instanceof ApexDate)
    return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
  const x = toDecimal(a);
  const y = toDecimal(b);
  if (x.scale === y.scale) return x.unscaled < y.unscaled ? -1 : x.unscaled > y.unscaled ? 1 : 0;
  const scale = Math.max(x.scale, y.scale);
  const difference = x.setScale(scale).unscaled - y.setScale(scale).unscaled;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/**
 * What a variable of a type keeps: 1 in a Long is 1L, in a Decimal 1.
 *
 * @param {unknown} value @param {string} type in lower case
 */
export function coerce(value, type) {
  if (value === undefined) return null;
  switch (type) {
    case 'long':
      return typeof value === 'number' ? BigInt(value) : value;
    case 'decimal':
      return isNumber(value) ? toDecimal(value) : value;
    case 'double':
      return isNumber(value) && !(value instanceof Double)
        ? new Double(Number(textOf(value)))
        : value;
    case 'datetime':
      return value instanceof ApexDate
        ? new Datetime(Date.UTC(value.year, value.month - 1, value.day))
        : value;
    default:
      return value;
  }
}

/** @param {string} op @param {unknown} a @param {unknown} b @returns {unknown} */
export function arithmetic(op, a, b) {
  if (op === '+' && (typeof a === 'string' || typeof b === 'string')) return textOf(a) + textOf(b);
  if (a === null || b === null) throw new ApexError('NullPointerException', 'Argument is null');
  if (a instanceof Double || b instanceof Double)
    return new Double(calculate(op, Number(textOf(a)), Number(textOf(b))));
  if (a instanceof Decimal || b instanceof Decimal) return decimals(op, toDecimal(a), toDecimal(b));
  if (typeof a === 'number' && typeof b === 'number') {
    const result = Math.trunc(calculate(op, a, b));
    if (Math.abs(result) > 2147483648) throw new Error(`An Integer overflows: ${a} ${op} ${b}`);
    return result;
  }
  const [x, y] = [BigInt(textOf(a)), BigInt(textOf(b))];
  return op === '+' ? x + y : op === '-' ? x - y : op === '*' ? x * y : x / y;
}

/** @param {string} op @param {number} a @param {number} b */
function calculate(op, a, b) {
  return op === '+' ? a + b : op === '-' ? a - b : op === '*' ? a * b : a / b;
}

/** @param {string} op @param {Decimal} a @param {Decimal} b */
function decimals(op, a, b) {
  if (op === '*') return new Decimal(a.unscaled * b.unscaled, a.scale + b.scale);
  if (op === '/') return Decimal.parse(String(a.toNumber() / b.toNumber()));
  const scale = Math.max(a.scale, b.scale);
  const [x, y] = [a.setScale(scale).unscaled, b.setScale(scale).unscaled];
  return new Decimal(op === '+' ? x + y : x - y, scale);
}

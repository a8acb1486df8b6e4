/** A fault as it is asked for, by a test, a program or the page. */
export interface FaultSpec<Kind extends string = string> {
  readonly kind: Kind;
  /** `POST`. Left out: every method. */
  readonly method?: string;
  /** A pattern in the path, `composite/graph$`. Left out: every path. */
  readonly path?: string;
  /** How often it strikes before it is gone. Left out: until it is taken away. */
  readonly times?: number;
  /** Strikes each n-th time that it could. */
  readonly every?: number;
  /** Strikes by chance, 0 to 1. */
  readonly probability?: number;
}

/** The faults that one simulator has. */
export interface FaultRules<Spec extends FaultSpec, Target> {
  /** By kind, what it does, in a sentence for the page. */
  readonly kinds: Readonly<Record<Spec['kind'], string>>;
  /** The members of a fault of this simulator, besides those of all. */
  readonly members?: Members<Spec['kind']>;
  /** Whether a fault is about this: a record, a user. Left out: the request alone says it. */
  isAbout?(spec: Spec, target: Target): boolean;
  /** 0 to 1, for faults by chance. */
  readonly random: () => number;
}

/** A field of the form on the page, and what may stand in it. */
export interface FaultMember<Kind extends string = string> {
  /** A number is a whole one from 1, a pattern a regular expression. */
  readonly type: 'text' | 'pattern' | 'number';
  readonly label: string;
  /** The values that a number may have, and no others. */
  readonly oneOf?: readonly number[];
  /** The kinds of faults that do nothing without it, and what to say where it is missing. */
  readonly needed?: { readonly by: readonly Kind[]; readonly sentence: string };
}

/** A request to the simulator's controls that will not do; it is answered 400 with this sentence. */
export function invalidInput(message: string): Error {
  return Object.assign(new Error(message), { code: 'invalid_input' });
}

export function isInvalidInput(thrown: unknown): thrown is Error {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'invalid_input';
}

const NUMBERS = ['times', 'every', 'probability'];
const COMMON = ['kind', 'method', 'path', ...NUMBERS];

/** Members of every fault that are checked as those of a simulator are. */
const CHECKED: Members = {
  path: { type: 'pattern', label: 'Path' },
  times: { type: 'number', label: 'Times' },
  every: { type: 'number', label: 'Every n-th' },
};

type Members<Kind extends string = string> = Readonly<Record<string, FaultMember<Kind>>>;

function isNumber(members: Members, name: string): boolean {
  return NUMBERS.includes(name) || members[name]?.type === 'number';
}

/** From JSON. What it may not have is refused: a misspelt filter would strike everything. */
export function specOfJson<Spec extends FaultSpec, Target>(
  { members = {} }: FaultRules<Spec, Target>,
  body: unknown,
): Spec {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidInput('Send a fault as a JSON object.');
  }
  const known = [...COMMON, ...Object.keys(members)];
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalidInput(`${unknown}: a fault has ${known.join(', ')}.`);
  for (const [name, value] of Object.entries(body)) {
    const type = isNumber(members, name) ? 'number' : 'string';
    if (typeof value !== type) throw invalidInput(`${name}: give a ${type}.`);
  }
  return body as Spec;
}

/** From the form of the page, where everything is text and what is left out is empty. */
export function specOfForm<Spec extends FaultSpec, Target>(
  rules: FaultRules<Spec, Target>,
  form: URLSearchParams,
): Spec {
  const { members = {} } = rules;
  const given = [...form].filter(([, value]) => value !== '');
  return specOfJson(
    rules,
    Object.fromEntries(
      given.map(([name, value]) => [name, isNumber(members, name) ? Number(value) : value]),
    ),
  );
}

export function checkSpec<Spec extends FaultSpec, Target>(
  rules: FaultRules<Spec, Target>,
  spec: Spec,
): void {
  const { kind, probability } = spec;
  if (!Object.hasOwn(rules.kinds, kind)) {
    throw invalidInput(`kind: give one of ${Object.keys(rules.kinds).join(', ')}.`);
  }
  if (probability !== undefined && !(probability >= 0 && probability <= 1)) {
    throw invalidInput('probability: give a number from 0 to 1.');
  }
  const given = new Map<string, unknown>(Object.entries(spec));
  for (const [name, member] of Object.entries({ ...CHECKED, ...rules.members })) {
    const wrong = complaintOf(member, kind, given.get(name));
    if (wrong !== null) throw invalidInput(`${name}: ${wrong}`);
  }
}

function complaintOf(
  { type, oneOf, needed }: FaultMember,
  kind: string,
  value: unknown,
): string | null {
  if (value === undefined) {
    return needed?.by.includes(kind) === true ? needed.sentence : null;
  }
  if (typeof value === 'string') {
    return type !== 'pattern' || isPattern(value) ? null : 'that is no regular expression.';
  }
  if (oneOf !== undefined) {
    return oneOf.includes(Number(value)) ? null : `give one of ${oneOf.join(', ')}.`;
  }
  return Number.isInteger(value) && Number(value) >= 1 ? null : 'give a whole number from 1.';
}

/** Whether it can be a regular expression. */
function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

import { ApiError, type Client, type JobRequest, type Kind } from '@millrace/api';
import { defineCommand } from '../../line/command.ts';
import type { Context } from '../../context.ts';
import { enqueueLines } from '../../jobs/enqueue-lines.ts';
import { EXIT } from '../../line/exit.ts';
import { openInput, parseJson, readAll } from '../../input.ts';
import { type Values, anyText, flag, moment, span, text, wholeNumber } from '../../line/option.ts';
import { UsageError } from '../../line/usage-error.ts';
import { watchJobs } from '../../jobs/watching.ts';

const options = {
  'data-file': text('FILE', 'Reads the data from a file.'),
  lines: flag('Enqueues one job per line of --data-file or standard input.'),
  priority: wholeNumber('N', '-1000 to 1000, higher first; jobs without one come last.'),
  delay: span('Time to wait before it runs: 90s, 15m, 2h.'),
  'run-at': moment('Earliest time to run: 2026-01-31T09:30:00Z.'),
  key: text('KEY', 'Jobs of one kind and tenant with the same key run once.'),
  'key-window': span('How long a success keeps the key; default: 24h.'),
  tenant: anyText('TENANT', 'The tenant of the job.'),
  webhook: text('URL', 'The address to call when the job has ended.'),
  subject: text('SUBJECT', 'The person or thing it is about, for erasure.'),
  watch: flag('Follows the job until it has ended.'),
};

export const enqueue = defineCommand({
  name: 'enqueue',
  summary: 'Enqueues a job and prints its id.',
  usage: ['KIND [JSON | -] [options]', 'KIND --lines [--data-file FILE] [options]'],
  words: { least: 1, most: 2 },
  options,
  examples: [
    'millrace enqueue hello \'{"name": "Ada"}\' --watch',
    'millrace enqueue report.monthly --data-file june.json --delay 2h --key june',
    'millrace enqueue letter --lines < customers.jsonl',
  ],
  async run(context, { words: [kind = '', word], options: given }) {
    checkTogether(word, given);
    const template = templateOf(kind, given);
    if (given.lines)
      return enqueueLines(context, template, await openInput(context, given['data-file']));
    const data = await dataOf(context, word, given['data-file']);
    const { id, created } = await context.client
      .enqueue({ body: { ...template, ...data } })
      .catch(async (thrown: unknown) => {
        throw (await explained(context, thrown, kind, data)) ?? thrown;
      });
    if (!created) context.note(`${id} already existed with the same key.`);
    if (given.watch && context.json) return watchJobs(context, [id]);
    if (context.json) context.document({ id, created });
    else context.out.line(id);
    return given.watch ? watchJobs(context, [id]) : EXIT.ok;
  },
});

type Given = Values<typeof options>;

function checkTogether(word: string | undefined, given: Given): void {
  const file = given['data-file'];
  if (given.delay !== undefined && given['run-at'] !== undefined) {
    throw new UsageError('Give either --delay or --run-at.');
  }
  if (word !== undefined && file !== undefined) {
    throw new UsageError('Give the data either as JSON or with --data-file.');
  }
  if (!given.lines) return;
  if (word !== undefined && word !== '-')
    throw new UsageError('With --lines, the data comes from standard input or --data-file.');
  if (given.watch)
    throw new UsageError('--watch follows one job; with --lines, "millrace watch" shows all.');
  if (given.key !== undefined)
    throw new UsageError('With --key, every line would be the same job.');
}

function templateOf(kind: string, given: Given): JobRequest {
  return {
    kind,
    priority: given.priority,
    delay: given.delay,
    runAt: given['run-at'],
    key: given.key,
    keyWindow: given['key-window'],
    tenant: given.tenant,
    webhook: given.webhook,
    subject: given.subject,
  };
}

/** Without data, it says what is missing; of data that does not fit, the server says more. */
async function explained(
  { client }: Context,
  thrown: unknown,
  kind: string,
  data: { data?: unknown },
): Promise<UsageError | null> {
  if ('data' in data || !(thrown instanceof ApiError)) return null;
  return thrown.problem.code === 'invalid_payload' ? neededData(client, kind) : null;
}

/** Shells take double quotes away, and cmd.exe knows no single ones. */
const QUOTES =
  'Write it in single quotes, such as \'{"name": "Ada"}\', or put it into a file: --data-file FILE.';

/** Nothing where no data is given: the server has the default. */
async function dataOf(
  context: Context,
  word: string | undefined,
  file: string | undefined,
): Promise<{ data?: unknown }> {
  if (file !== undefined) {
    return { data: parseJson(await readAll(await openInput(context, file)), `The file "${file}"`) };
  }
  if (word === '-') {
    return { data: parseJson(await readAll(await openInput(context, '-')), 'Standard input') };
  }
  return word === undefined ? {} : { data: parseJson(word, 'The data', QUOTES) };
}

/** An error that lists the data a kind needs, for a call without data; null if its schema does not say. */
async function neededData(client: Client, name: string): Promise<UsageError | null> {
  const kind = (await client.listKinds()).kinds.find((each) => each.name === name);
  const needed = fieldsOf(kind?.input ?? null).filter(({ required }) => required);
  if (needed.length === 0) return null;
  const list = new Intl.ListFormat('en').format(needed.map(({ words }) => words));
  const example = Object.fromEntries(needed.map(({ field, example: value }) => [field, value]));
  return new UsageError(
    `The kind "${name}" needs data: ${list}. For example:\n  millrace enqueue ${name} '${JSON.stringify(example)}'`,
  );
}

interface Field {
  readonly field: string;
  readonly required: boolean;
  /** `name (string)`. */
  readonly words: string;
  readonly example: unknown;
}

/** The members of an object schema; none for any other schema. */
function fieldsOf(input: Kind['input']): Field[] {
  const required = Array.isArray(input?.['required']) ? input['required'] : [];
  return Object.entries(objectOf(input?.['properties'])).map(([field, schema]) => {
    const { type, enum: choices } = objectOf(schema);
    const [first] = Array.isArray(choices) ? choices : [];
    const words = Array.isArray(choices)
      ? choices.join(' or ')
      : typeof type === 'string'
        ? type
        : '';
    return {
      field,
      required: required.includes(field),
      words: words === '' ? field : `${field} (${words})`,
      example: first ?? (typeof type === 'string' ? EXAMPLES[type] : undefined) ?? '…',
    };
  });
}

const EXAMPLES: Readonly<Record<string, unknown>> = {
  number: 1,
  integer: 1,
  boolean: true,
  array: [],
  object: {},
};

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {};
}

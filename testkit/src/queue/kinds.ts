import {
  type JobKind,
  MillraceError,
  type Registry,
  WEBHOOK_KIND,
  createRegistry,
  defineJob,
} from '@millrace/engine';
import { z } from 'zod';
import { TestQueueError } from './errors.ts';

/** The kinds of a test, and what they are given: what is missing is said in a sentence, not found out by a stack. */
export interface Kinds {
  readonly registry: Registry;
  readonly services: ReadonlyMap<string, unknown>;
  /** Throws where the test did not give it. */
  require(kind: Pick<JobKind, 'kind'>): void;
  /** Throws what a handler used and the test did not give, once: the handler may have caught the error. */
  throwMistake(): void;
}

/** Jobs that tell of the end of others. In a test they are only there to be looked at, and send nothing. */
const webhooks = defineJob({ kind: WEBHOOK_KIND, input: z.unknown(), run: async () => {} });

export function createKinds(params: {
  readonly jobs: readonly JobKind[];
  readonly services: Readonly<Record<string, unknown>>;
}): Kinds {
  const { jobs, services } = params;
  const names = jobs.map(({ kind }) => kind);
  const inner = createRegistry([...jobs, ...(names.includes(WEBHOOK_KIND) ? [] : [webhooks])]);
  let mistake: TestQueueError | null = null;

  function unknown(name: string): TestQueueError {
    return new TestQueueError(
      'unknown_kind',
      `This queue does not know the kind "${name}". Give it with the others: jobs: [${[...names, name].map(camel).join(', ')}].`,
    );
  }

  const registry: Registry = {
    ...inner,
    require(name) {
      const kind = inner.get(name);
      if (kind !== undefined) return kind;
      mistake ??= unknown(name);
      throw new MillraceError('unknown_kind', unknown(name).message);
    },
  };

  /** Handlers without a third parameter are given nothing, as in production. */
  function missing({ owner }: JobKind): unknown {
    const complain = (what: string): never => {
      mistake ??= new TestQueueError(
        'no_service',
        `The handler of "${owner}" used its service${what}, and this test gives it none. Give one: services: { '${owner}': … }.`,
      );
      throw mistake;
    };
    return new Proxy(() => {}, {
      get: (_, name) => complain(` (${String(name)})`),
      apply: () => complain(''),
    });
  }

  const given = new Map(Object.entries(services));
  const strange = [...given.keys()].find((name) => !names.includes(name));
  if (strange !== undefined) throw unknown(strange);
  for (const kind of inner.all()) {
    const wants = kind.run.length > 2 || kind.cleanup.length > 2;
    if (wants && kind.owner === kind.kind && !given.has(kind.kind))
      given.set(kind.kind, missing(kind));
  }

  return {
    registry,
    services: given,
    require({ kind }) {
      if (inner.get(kind) === undefined) throw unknown(kind);
    },
    throwMistake() {
      const made = mistake;
      mistake = null;
      if (made !== null) throw made;
    },
  };
}

/** As people name the constant of a kind. */
function camel(kind: string): string {
  return kind.replaceAll(/[._-]+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

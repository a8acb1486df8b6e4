import { blocksOf } from './markdown.ts';
import { filesOf, root, textOf } from './tree.ts';

/**
 * Programs of pages that are fragments: what a reader has around them stands here, so that a compiler can read them. What is only handed
 * on is `never`, which fits everywhere: names of functions, options and results are what is checked.
 */
const AROUND: Readonly<Record<string, string | readonly string[]>> = {
  'README.md': ['', `declare const pool: never, client: never;`],
  'api/README.md': `import { createClient } from '@millrace/api';`,
  'connectors/http/README.md': `
    import { HttpError, createDeadline, createPeer, createWire } from '@millrace/http';
    type ErrorKind = 'unavailable' | 'data' | 'invalid';
    declare const timeoutMs: number, signal: AbortSignal, origin: string;`,
  'connectors/marketing-cloud/README.md': `
    import { createMarketingCloud } from '@millrace/marketing-cloud';
    declare const authUrl: never, clientId: never, clientSecret: never, log: never, onCall: never, name: never, customerKey: never,
      fields: never, key: never, sql: never, target: never, correlationId: never, signal: never;`,
  'connectors/object-storage/README.md': `
    import { createObjectStorage, credentialsFile } from '@millrace/object-storage';
    declare const chunk: Uint8Array;`,
  'connectors/office/README.md': `
    import { openOffice } from '@millrace/office';
    declare const docx: never, log: never, signal: never;`,
  'connectors/salesforce/README.md': `
    import { createSalesforce, soqlText } from '@millrace/salesforce';
    import { createReadStream } from 'node:fs';
    interface Row { Id: string }
    declare const loginUrl: never, clientId: never, username: never, privateKey: never, log: never, onCall: never, name: never,
      graphs: never, correlationId: never, signal: never, size: never, file: never, onEvent: never, onState: never;`,
  'connectors/sql-source/README.md': `
    import { bindNames, openPostgresSource } from '@millrace/sql-source';
    declare const connectionString: never, isNull: never, signal: never;
    declare function write(bytes: unknown): Promise<void>;`,
  'docs/api.md': `declare const myToken: string;`,
  'docs/first-job.md': '',
  'docs/live-events.md': `declare const token: string, signal: AbortSignal;`,
  'docs/redis.md': ['', ''],
  'docx/README.md': `
    import { compile, lint } from '@millrace/docx';
    declare const bytes: never, data: never, images: never, sample: never, schema: never, installedFonts: never;`,
  'engine/README.md': `
    import { type Store, createQueue, createRegistry, createWorker, defineJob, dependantsOf, done } from '@millrace/engine';
    import { z } from 'zod';
    declare const events: never, clock: never, random: never;
    declare function openStore(options: { dependants: object }): Promise<Store>;`,
  'examples/jobs/README.md': `
    import { confirmOrder, placeOrder } from '${root}/examples/jobs/transaction.ts';
    declare const pool: never, client: never;`,
  'jobs/README.md': '',
  'millrace/README.md': `
    import { createMillrace, defineJob, done } from 'millrace';
    import { z } from 'zod';
    const greet = defineJob({ kind: 'greet', input: z.object({ name: z.string() }), run: async () => done() });
    declare const pool: never, client: never;`,
  'scripts/README.md': ['', ''],
  'lab/simulators/identity/README.md': `
    import { startIdentity } from '@millrace/simulator-identity';
    declare const GUID: string;`,
  'lab/simulators/kit/README.md': `
    import {
      type FaultSpec, createConsole, createFaults, createInside, faultsSection, html, isInside, json, openSite, settlePlace,
    } from '@millrace/simulator-kit';`,
  'lab/simulators/marketing-cloud/README.md': `
    import { startMarketingCloud } from '@millrace/simulator-marketing-cloud';
    declare const START: never, taskId: never;`,
  'lab/simulators/salesforce/README.md': `
    import { startSalesforce } from '@millrace/simulator-salesforce';
    declare const pem: string, body: never;`,
  'stores/bullmq/README.md': `import { openBullStore } from '@millrace/store-bullmq';`,
  'stores/contract/README.md': `import { createMemoryDatabase } from '@millrace/store-memory';`,
  'stores/memory/README.md': `
    import { createMemoryDatabase, createMemoryStore } from '@millrace/store-memory';
    declare const clock: { now: number }, dependants: never;`,
  'stores/postgres/README.md': `
    import type { Queue } from '@millrace/engine';
    import { openPgliteStore, openPostgresStore } from '@millrace/store-postgres';
    import type { Client } from 'pg';
    declare const dependants: never, client: Client, queue: Queue;`,
  'stores/salesforce/README.md': `
    import { done } from '@millrace/engine';
    import { createSalesforce } from '@millrace/salesforce';
    import { createSalesforceStore, filesEffect } from '@millrace/store-salesforce';
    declare const loginUrl: never, auth: never, result: never, name: never, bytes: never, accountId: never;`,
  'tables/README.md': `
    import { createCopiedTable, createTable, fileTypeOf, tableStream } from '@millrace/tables';
    declare const batches: never, rows: never, savedState: never, bytes: never;
    declare function send(bytes: Uint8Array): Promise<void>;
    declare function save(...all: readonly unknown[]): void;`,
  'testkit/README.md': `
    import { defineJob, done } from '@millrace/engine';
    import { z } from 'zod';
    const greet = defineJob({ kind: 'greet', input: z.object({ name: z.string() }), run: async () => done() });
    const mail = defineJob({ kind: 'mail', input: z.object({ to: z.string() }), run: async () => done() });
    declare const rules: [], schedules: [];`,
  'workloads/documents/README.md': `
    import { documentKinds, openDocuments } from '@millrace/documents';
    import { createQueue, createRegistry, dependantsOf } from '@millrace/engine';
    import { openPostgresStore } from '@millrace/store-postgres';
    import type { Writable } from 'node:stream';
    declare const url: never, events: never, office: never, VERSION: never, bytes: never, data: never, upload: never,
      response: Writable;`,
  'workloads/kit/README.md': `
    import { defineJob, done } from '@millrace/engine';
    import { type Scope, type Workload, flag, setting, settingsOf } from '@millrace/workload-kit';
    import type { WorkloadContract } from '@millrace/workload-kit/contract';
    import { z } from 'zod';
    interface LettersConfig { readonly isEmpty?: true }
    interface Letters { write(data: { to: string }, signal: AbortSignal): Promise<string>; within(scope: Scope): Letters; close(): Promise<void> }
    declare const contract: WorkloadContract, toProblem: () => null;
    declare function openLetters(store: unknown, queue: unknown): Promise<Letters>;
    declare function handlersOf(letters: Letters): never;`,
  'workloads/reports/README.md': `
    import type { Queue } from '@millrace/engine';
    import { REPORT, createCatalogue, prepareReport } from '@millrace/reports';
    declare const report: never, parameters: never, output: never, caller: never, now: never, queue: Queue;`,
  'zip/README.md': `
    import { deflated, descriptor, directoryEnd, directoryEntry, layOut, localHeader, stored, writeZip } from '@millrace/zip';
    declare const bytes: never, picture: never, files: never, own: never, record: never, sums: never, entries: number, size: number, offset: number;
    declare function send(...all: readonly Uint8Array[]): void;`,
};

/** Parts of files that are run elsewhere (embedding.test.ts), what examples.test.ts runs, and what is written from the code. */
const ELSEWHERE = ['docs/embedding.md', 'docs/webhooks.md', 'engine/public-types.md'];
/** Programs for what is not installed here: only their form is looked at. */
const FORM_ONLY = /new BullMQAdapter\(/;

export interface Fragment {
  readonly file: string;
  readonly text: string;
}

/** Every program of a page that does not say which file it is, as a file of its own. */
export function fragments(): Fragment[] {
  return filesOf(/\.md$/)
    .filter((page) => !ELSEWHERE.includes(page))
    .flatMap((page) =>
      blocksOf(textOf(page))
        .filter(({ language, notes }) => /^[jt]s$/.test(language) && notes['file'] === undefined)
        .flatMap((block, index) =>
          FORM_ONLY.test(block.text) ? [] : fragmentOf(page, block, index),
        ),
    );
}

function fragmentOf(page: string, { text }: { readonly text: string }, index: number): Fragment {
  const around = AROUND[page];
  const before = typeof around === 'string' ? around : around?.[index];
  if (before === undefined)
    throw new Error(`${page} has a program that fragments.ts does not know.`);
  const here = text.replaceAll("'../../scripts/", `'${root}/scripts/`);
  // Where a block has imports or exports it is a whole file; elsewhere `return` and `await` are as in a function.
  const isFile = /^(import|export) /m.test(here);
  const body = isFile ? `\n${here}\n` : `\nexport async function fragment() {\n${here}\n}\n`;
  const name = page.replaceAll(/[/.]/g, '-');
  return { file: `${name}-${index}.ts`, text: before + body };
}

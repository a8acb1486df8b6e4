import { contracts } from '@millrace/api';
import { z } from 'zod';
import { few } from '../input.ts';
import { plain, present, quoted } from '../text.ts';
import { answer, defineTool } from '../tool.ts';

/** Tools about the service as a whole: overview, errors, identity. */

export const overview = defineTool({
  name: 'overview',
  title: 'Overview',
  about:
    'Overview of the service: waiting and running jobs, throughput, and what needs attention. Start here.',
  routes: ['overview'],
  effect: 'reads',
  input: contracts.overview.query,
  async run({ client, options }, query) {
    const { at, window, waiting, running, figures, budgets, attention, missing } =
      await client.overview({ query }, options);
    const { succeeded, failed, canceled, retried, successRate, p95Ms, waitP95Ms } = figures;
    return answer(
      [
        `Waiting: ${waiting.total} (${waiting.due} due, ${waiting.retrying} to be retried, ${waiting.scheduled} scheduled, ${waiting.held} held back). Running: ${running.total}.`,
        `In ${window}: ${succeeded} succeeded, ${failed} failed, ${canceled} cancelled, ${retried} retried.`,
        ...attention.map(
          ({ level, title, detail }) => `${level}: ${quoted(title)} ${quoted(detail)}`,
        ),
        ...(missing.length === 0 ? [] : [`Do not answer: ${missing.join(', ')}.`]),
      ],
      {
        at,
        window,
        waiting,
        running,
        figures: present({ succeeded, failed, canceled, retried, successRate, p95Ms, waitP95Ms }),
        budgets: budgets.map(({ name, used, limit, unit }) => present({ name, used, limit, unit })),
        attention: attention.map(({ level, title, detail, count, link }) =>
          present({ level, title: plain(title), detail: plain(detail), count, link }),
        ),
        ...(missing.length > 0 && { missing }),
      },
      { foreign: attention.length > 0 },
    );
  },
});

export const listErrors = defineTool({
  name: 'list_errors',
  title: 'List failures',
  about:
    'Failed and retrying jobs, grouped by kind, code and cause, with what helps. The latest first.',
  routes: ['errorGroups'],
  effect: 'reads',
  input: contracts.errorGroups.query.extend({ limit: few }),
  async run({ client, options }, { limit, ...query }) {
    const { groups, looked } = await client.errorGroups({ query }, options);
    const shown = groups.slice(0, limit);
    return answer(
      [
        `Failed: ${looked.failed}, retrying: ${looked.retrying}, in ${groups.length} groups.`,
        ...shown.map(
          ({ kind, code, cause, counts, helps, advice, sample }) =>
            `${kind} ${code}: ${counts.failed} failed, ${counts.retrying} retrying, such as ${sample[0] ?? ''}, ${quoted(cause)}. What helps: ${helps}. ${advice ?? ''}`,
        ),
      ],
      {
        looked,
        groups: shown.map(({ kind, code, cause, counts, lastAt, helps, advice, sample, filter }) =>
          present({
            kind,
            code,
            cause: plain(cause),
            counts,
            lastAt,
            helps,
            advice,
            sample,
            filter,
          }),
        ),
        more: groups.length > shown.length,
      },
      { foreign: shown.length > 0 },
    );
  },
});

export const whoami = defineTool({
  name: 'whoami',
  title: 'Who am I',
  about: 'The identity the tools act as: name, roles, tenants and installation.',
  routes: ['me'],
  effect: 'reads',
  input: z.strictObject({}),
  async run({ client, options, url }) {
    const { name, roles, tenants, environment, sandbox, version, expiresAt } = await client.me(
      {},
      options,
    );
    return answer(
      [
        `${quoted(name)}, roles: ${roles.join(', ') || 'none'}${tenants === null ? '' : `, tenants: ${tenants.map((each) => quoted(each)).join(', ')}`}.`,
        `${url}, ${environment ?? (sandbox ? 'a sandbox' : 'no name')}, version ${version}.`,
      ],
      present({ name, roles, tenants, url, environment, sandbox, version, expiresAt }),
    );
  },
});

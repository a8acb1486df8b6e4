import { type Contract, moment, next, page } from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { sql } from './values.ts';

export const snippetName = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[\p{L}\p{N}]([\p{L}\p{N} ._-]*[\p{L}\p{N}._-])?$/u, {
    error:
      'Begin with a letter or a digit, and go on with letters, digits, spaces, ".", "_" and "-"; end without a space.',
  })
  .describe('Such as "opens-by-day".');

export const snippet = z.object({
  name: z.string(),
  sqlText: z.string(),
  shared: z.boolean().describe('Everybody of the tenant can see and run it.'),
  tenant: z.string(),
  owner: z.string(),
  updatedAt: moment,
});
export type Snippet = z.infer<typeof snippet>;

const story: Snippet = {
  name: 'opens-by-day',
  sqlText:
    'SELECT CAST(EventDate AS DATE) AS Day, COUNT(*) AS Opens FROM _Open GROUP BY CAST(EventDate AS DATE)',
  shared: true,
  tenant: 'acme',
  owner: 'ada@example.com',
  updatedAt: '2026-01-31T09:00:00.000Z',
};
const byName = z.strictObject({ name: snippetName });

export const snippetContracts = {
  listSnippets: {
    method: 'GET',
    path: '/snippets',
    summary: 'Your snippets and those that others share, by name.',
    access: 'viewer',
    query: page,
    response: z.object({ snippets: z.array(snippet), next }),
    statuses: [200],
    example: { response: { snippets: [story], next: null } },
  },
  getSnippet: {
    method: 'GET',
    path: '/snippets/:name',
    summary: 'A snippet: yours, or else the shared one of this name.',
    access: 'viewer',
    params: byName,
    response: snippet,
    statuses: [200],
    errors: ['snippet_not_found'],
    example: { params: { name: story.name }, response: story },
  },
  saveSnippet: {
    method: 'POST',
    path: '/snippets/:name',
    summary: 'Keeps SQL under a name: 201, or 200 where it replaces yours of this name.',
    access: 'member',
    audit: { target: 'name' },
    params: byName,
    body: z.strictObject({
      sql,
      shared: z.boolean().default(false).describe('Everybody of the tenant can see and run it.'),
    }),
    response: snippet,
    statuses: [201, 200],
    errors: ['snippet_name_taken'],
    example: {
      params: { name: story.name },
      body: { sql: story.sqlText, shared: true },
      response: story,
    },
  },
  deleteSnippet: {
    method: 'DELETE',
    path: '/snippets/:name',
    summary: 'Forgets your snippet of this name; an operator, also a shared one of somebody else.',
    access: 'member',
    audit: { target: 'name' },
    params: byName,
    response: z.object({ removed: z.string() }),
    statuses: [200],
    errors: ['snippet_not_found'],
    example: { params: { name: story.name }, response: { removed: story.name } },
  },
} as const satisfies Record<string, Contract>;

import { type Contract, moment, nextOrNone, wholeOrPage } from '@millrace/workload-kit/contract';
import { z } from 'zod';

/** Items that people save for themselves: views of lists, and batches to repeat. */
export const SAVED = ['views', 'batches'] as const;
export type SavedWhat = (typeof SAVED)[number];

/** As JSON, in characters. */
const MOST_CHARACTERS = 16_384;

const what = z.enum(SAVED).describe('`views` of the list of jobs, or `batches` to repeat.');

const name = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[\p{L}\p{N}]([^\p{C}\u2800]*[^\p{C}\p{Z}\u2800])?$/u, {
    error: 'Begin with a letter or a digit, and end without a space.',
  })
  .describe('Such as "Failed this week".');

const value = z
  .record(z.string(), z.unknown())
  .refine((given) => JSON.stringify(given).length <= MOST_CHARACTERS, {
    error: `Save at most ${MOST_CHARACTERS} characters of JSON.`,
  })
  .describe('Any JSON; the server only stores it.');

export const savedThing = z.object({
  what,
  name: z.string(),
  value: z.record(z.string(), z.unknown()),
  updatedAt: moment,
});
export type SavedThing = z.infer<typeof savedThing>;

const story: SavedThing = {
  what: 'views',
  name: 'Failed this week',
  value: { phase: 'failed', since: '7d' },
  updatedAt: '2026-01-31T09:00:00.000Z',
};
const byName = z.strictObject({ what, name });
const params = { what: story.what, name: story.name };

export const savedContracts = {
  listSaved: {
    method: 'GET',
    path: '/saved',
    summary: 'Your saved items of this tenant, by name; nobody else sees them.',
    access: 'viewer',
    query: wholeOrPage.extend({ what: what.default('views') }),
    response: z.object({ saved: z.array(savedThing), next: nextOrNone }),
    statuses: [200],
    example: { query: { what: 'views' }, response: { saved: [story], next: null } },
  },
  putSaved: {
    method: 'POST',
    path: '/saved/:what/:name',
    summary:
      'Saves an item under a name: 201, or 200 if it replaces yours. Batches need the role member.',
    access: 'viewer',
    audit: { target: 'name' },
    params: byName,
    body: z.strictObject({ value }),
    response: savedThing,
    statuses: [201, 200],
    errors: ['saved_full'],
    example: { params, body: { value: story.value }, response: story },
  },
  deleteSaved: {
    method: 'DELETE',
    path: '/saved/:what/:name',
    summary: 'Deletes your saved item of this name.',
    access: 'viewer',
    audit: { target: 'name' },
    params: byName,
    response: z.object({ removed: z.string() }),
    statuses: [200],
    errors: ['saved_not_found'],
    example: { params, response: { removed: story.name } },
  },
} as const satisfies Record<string, Contract>;

import { nearest } from '@millrace/api';
import type { Context } from '../context.ts';

/** Where nothing was found: whether the kind that was asked for is none that the server knows. */
export async function noteUnknownKind(
  { client, note }: Pick<Context, 'client' | 'note'>,
  kind: string | undefined,
): Promise<void> {
  if (kind === undefined) return;
  const names = (await client.listKinds()).kinds.map(({ name }) => name);
  if (names.includes(kind)) return;
  const meant = nearest(kind, names);
  note(`Unknown kind "${kind}"${meant === null ? '.' : `: did you mean ${meant}?`}`);
}

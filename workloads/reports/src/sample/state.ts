import type { Reading } from '@millrace/sql-source';
import { literal } from './expressions.ts';

/** The last table that is made: a sample without it was given up half-way. */
export function madeSql(made: Made): string {
  return `
CREATE TABLE sample_made (rows bigint NOT NULL, today date NOT NULL, seed int NOT NULL);
INSERT INTO sample_made VALUES (${made.rows}, ${literal(made.today)}, ${made.seed});`;
}

export interface Made {
  readonly rows: number;
  readonly today: string;
  readonly seed: number;
}

/** What the sample in a source was made with; null where there is none, or half of one. */
export async function hasSample(reading: Pick<Reading, 'rows'>): Promise<Made | null> {
  const [found] = await reading.rows(`SELECT to_regclass('sample_made') IS NOT NULL`);
  if (found?.[0] !== 't') return null;
  const [made] = await reading.rows('SELECT rows, today, seed FROM sample_made');
  const [rows, today, seed] = made ?? [];
  return { rows: Number(rows), today: today ?? '', seed: Number(seed) };
}

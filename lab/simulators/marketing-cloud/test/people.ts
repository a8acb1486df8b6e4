import { createCloud } from '../src/cloud.ts';
import type { Unit } from '../src/data/account.ts';
import { settle } from '../src/options.ts';
import type { SqlAnswer } from '../src/sql/run-sql.ts';
import { MID, OTHER_MID, START } from './world.ts';

type Fields = readonly {
  readonly name: string;
  readonly type?: 'Number' | 'Decimal' | 'Boolean' | 'Date';
}[];

/** A cloud whose one data extension is `People`, for SQL that changes nothing. Rows have their values in the order of the fields. */
export function peopleCloud(fields: Fields, people: readonly (readonly (string | null)[])[]) {
  const rows = people.map((values) =>
    Object.fromEntries(fields.map(({ name }, at) => [name, values[at] ?? null])),
  );
  const cloud = createCloud(
    settle({
      now: () => START,
      sampleSize: 0.02,
      installDuckdb: true,
      units: [
        { mid: MID, dataExtensions: [{ name: 'People', fields: [...fields], rows }] },
        OTHER_MID,
      ],
    }),
  );
  const { runner } = cloud;

  async function run(sql: string, mid = MID): Promise<SqlAnswer> {
    const unit = cloud.units.get(mid) as Unit;
    return runner.run({ unit, sql, target: [], signal: new AbortController().signal });
  }

  return {
    cloud,
    runner,
    run,
    /** Each with its values joined. */
    async rows(sql: string, mid?: string): Promise<string[]> {
      const answer = await run(sql, mid);
      return answer.rows.map((row) => answer.columns.map((name) => row[name] ?? 'NULL').join('|'));
    },
  };
}

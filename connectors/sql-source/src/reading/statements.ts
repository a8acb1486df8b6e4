import type pg from 'pg';

/** The pg package knows it, its types do not. */
interface Extended<Values extends unknown[]> extends pg.QueryArrayConfig<Values> {
  readonly queryMode: 'extended';
}

const RAW = { getTypeParser: () => (value: unknown) => value } as unknown as pg.CustomTypesConfig;

export type TextRow = readonly (string | null)[];

/** One statement by the extended protocol, which refuses several; values as Postgres writes them. */
export async function textRows(
  client: pg.Client,
  text: string,
  values: readonly string[] = [],
): Promise<TextRow[]> {
  const config: Extended<string[]> = {
    text,
    values: [...values],
    rowMode: 'array',
    types: RAW,
    queryMode: 'extended',
  };
  const { rows } = await client.query<(string | null)[]>(config);
  return rows;
}

/** Has one statement parsed, runs nothing, and gives its columns. Unnamed, so that the next one takes its place. */
export function parse(client: pg.Client, text: string): Promise<pg.FieldDef[]> {
  return new Promise((resolve, reject) => {
    let fields: pg.FieldDef[] = [];
    client.query({
      submit(connection: pg.Connection) {
        connection.stream.cork();
        connection.parse({ name: '', text, types: [] }, true);
        connection.describe({ type: 'S', name: '' }, true);
        connection.sync();
        connection.stream.uncork();
      },
      handleRowDescription(message: { fields: pg.FieldDef[] }) {
        fields = message.fields;
      },
      handleReadyForQuery: () => resolve(fields),
      handleError: reject,
    } as pg.Submittable);
  });
}

import { type Migrations, QUEUE } from '@millrace/store-postgres';
import { workloads } from '@millrace/workloads';

/** All that the schema is made of, whichever workloads are switched on here: another replica may have the others. */
export const SCHEMA_PARTS: readonly Migrations[] = [
  QUEUE,
  ...workloads.flatMap(({ migrations }) => migrations ?? []),
];

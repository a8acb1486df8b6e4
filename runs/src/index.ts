export { type RunKey, requireForeignKey, runKeyOf } from './key.ts';
export {
  RUN_COLUMNS,
  type RunError,
  type RunIds,
  type RunRecord,
  type RunRow,
  isOver,
  ms,
  recordOf,
  rounded,
  runIds,
  runJsonOf,
} from './record.ts';
export { type RunsWithin, runTopic, runsWithin } from './scope.ts';
export {
  type Inserted,
  LIVE,
  type LiveCounts,
  type RunFilter,
  type RunTable,
  UNLESS_KEY_TAKEN,
  type Where,
  runTable,
} from './table.ts';
export { type WatchRun, createWatch, eventsOf } from './watch.ts';

import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { invalidOption } from '@millrace/simulator-kit';
import type { Org } from '../org.ts';
import type { Row } from './database.ts';
import { type State, type StoredRow, restoreRow, storeRow } from './state.ts';

/**
 * Keeps the org in a file when one is given: a line of JSON for each commit, so that nothing that was answered is
 * lost. A start reads the lines and puts one in their place, and so does a file that has grown too long. A last line
 * that was cut off in the middle belongs to a commit that was never answered.
 */
export interface StateKeeper {
  load(): void;
  export(): State;
  import(state: State): void;
  close(): void;
}

/** Below this it is not worth it; above, the file is never more than twice what it must be. */
const LEAST_TO_REWRITE = 16_777_216;

type Line = Pick<State, 'offset' | 'serials' | 'rows'>;

export function createStateKeeper(org: Org): StateKeeper {
  const { stateFile } = org.settings;
  let isOpen = false;
  /** Bytes of the file when it was last written whole, and what came since. */
  let compact = 0;
  let appended = 0;

  function lineOf(rows: readonly Row[]): Line {
    return { offset: org.clock.offset, serials: org.serials.export(), rows: rows.map(storeRow) };
  }

  function allRows(): Row[] {
    return org.schema.objects.flatMap((object) => [
      ...org.database.rows(object),
      ...org.database.bin(object),
    ]);
  }

  function apply({ offset, serials, rows }: Line): void {
    org.clock.advance(offset - org.clock.offset);
    org.serials.import(serials);
    org.database.apply(rows.map(restoreRow));
  }

  function rewrite(): void {
    if (stateFile === null) return;
    const fresh = `${stateFile}.new`;
    const line = `${JSON.stringify(lineOf(allRows()))}\n`;
    writeFileSync(fresh, line, { mode: 0o600 });
    renameSync(fresh, stateFile);
    [compact, appended] = [line.length, 0];
  }

  org.onCommit((rows) => {
    if (!isOpen || stateFile === null || rows.length === 0) return;
    const line = `${JSON.stringify(lineOf(rows))}\n`;
    appendFileSync(stateFile, line);
    appended += line.length;
    if (appended > Math.max(LEAST_TO_REWRITE, compact)) rewrite();
  });

  return {
    load() {
      if (stateFile === null) return;
      if (existsSync(stateFile)) for (const line of readLines(stateFile)) apply(line);
      rewrite();
      isOpen = true;
    },
    export: () => ({ version: 1, ...lineOf(allRows()) }),
    import(state) {
      if (state.version !== 1) throw invalidOption('state: this is not a state of version 1.');
      org.database.clear();
      apply(state);
      const organization = [...org.database.rows(org.schema.require('Organization'))][0];
      if (organization !== undefined) org.home.organizationId = organization.Id;
      rewrite();
    },
    close: () => void (isOpen = false),
  };
}

function readLines(stateFile: string): Line[] {
  const lines = readFileSync(stateFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return lines.flatMap((line, index) => {
    try {
      const { offset, serials, rows } = JSON.parse(line) as Line & { rows: StoredRow[] };
      return [{ offset, serials, rows }];
    } catch {
      if (index === lines.length - 1) return [];
      throw invalidOption(`stateFile: line ${index + 1} of ${stateFile} is not JSON.`);
    }
  });
}

import type { IncomingMessage } from 'node:http';
import { type Answer, createInside } from '@millrace/simulator-kit';
import { ApiError } from '../errors.ts';
import { prefixOf, requireId } from '../ids.ts';
import { type Parts, control, stateOf } from './control.ts';
import { homePage } from './home.ts';
import { nothingHere } from './page.ts';
import { callsPage, fileName, filesPage, recordPage, recordsPage } from './views.ts';

/** Everything below `/_sim/`. */
export function createPages(parts: Parts): (request: IncomingMessage, body: Buffer) => Answer {
  const { org, journal } = parts;
  return createInside({
    faults: org.faults,
    timed: { clock: org.clock, state: () => stateOf(org) },
    home: (wrong) => homePage(org, journal, wrong),
    nothingHere,
    view: (path) => view(parts, path),
    posted: (path) => posted(parts, path),
    control: (method, path) => control(parts, method, path),
    isTheirs: (thrown) => thrown instanceof ApiError,
  });
}

function view(
  { org, inside, journal }: Parts,
  [first = '', second = '']: readonly string[],
): Answer | null {
  switch (first) {
    case 'files':
      return filesPage(inside.files());
    case 'calls':
      return callsPage(journal.list());
    case 'records': {
      const object = org.schema.find(second);
      return object === undefined ? null : recordsPage(object, inside.records(second));
    }
    case 'record': {
      const object = org.schema.byPrefix(prefixOf(second));
      const record = object === undefined ? null : inside.record(second);
      return object === undefined || record === null
        ? null
        : recordPage(object, requireId(second), record);
    }
    case 'file': {
      const file = inside.files().find(({ versionId }) => versionId === second);
      const bytes = file === undefined ? null : inside.body(second);
      return file === undefined || bytes === null ? null : download(fileName(file), bytes);
    }
    default:
      return null;
  }
}

/** Never shown in the browser: what is in it came from someone else. */
function download(name: string, body: Buffer): Answer {
  return {
    status: 200,
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    },
    body,
  };
}

function posted({ sessions }: Parts, path: string): 'home' | null {
  if (path !== 'sessions/expire') return null;
  sessions.endAll();
  return 'home';
}

import type { IncomingMessage } from 'node:http';
import { type Answer, createInside, json } from '@millrace/simulator-kit';
import { ApiError } from '../errors.ts';
import { prefixOf, requireId } from '../ids.ts';
import {
  callsPage,
  fileName,
  filesPage,
  homePage,
  nothingHere,
  recordPage,
  recordsPage,
} from './views.ts';
import type { Journal } from '../http/journal.ts';
import type { Inside } from '../inside.ts';
import type { Sessions } from '../oauth/sessions.ts';
import type { Org } from '../org.ts';

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

interface Parts {
  readonly org: Org;
  readonly inside: Inside;
  readonly journal: Journal;
  readonly sessions: Sessions;
}

/** Answers programs below `/_sim/api/`, with null when there is no such thing. */
function control(parts: Parts, method: string, path: readonly string[]): Answer | null {
  const { org, inside, journal } = parts;
  const [first, second] = path;
  switch (`${method} ${first ?? ''}`) {
    case 'GET calls':
      return json(200, { calls: org.counter.calls, last: journal.list() });
    case 'GET files':
      return json(200, inside.files());
    case 'GET records':
      return json(200, inside.records(second ?? ''));
    case 'GET record': {
      const record = inside.record(second ?? '');
      return record === null ? null : json(200, record);
    }
    case 'POST expire-sessions':
      parts.sessions.endAll();
      return json(200, stateOf(org));
    default:
      return null;
  }
}

function stateOf(org: Org): unknown {
  const { apex, namespace } = org.settings;
  return {
    now: org.clock.now(),
    origin: org.home.origin,
    apex,
    namespace,
    calls: org.counter.calls,
    fileBytes: org.database.fileBytes,
    waitingForLocks: org.locks.waiting,
    faults: org.faults.list(),
  };
}

import type { IncomingMessage } from 'node:http';
import { ApiError } from '../errors.ts';
import { type Answer, json } from '../http/answer.ts';
import { isOwnPage } from '../http/guard.ts';
import { parseBody } from '../http/incoming.ts';
import { prefixOf, requireId } from '../ids.ts';
import { isLoopbackAddress } from '../loopback.ts';
import { type Parts, control, faultOfForm } from './control.ts';
import { homePage } from './home.ts';
import { html } from './html.ts';
import { backTo, page } from './page.ts';
import { callsPage, fileName, filesPage, recordPage, recordsPage } from './views.ts';

/** Everything below `/_sim/`: for this machine alone, whatever address the org listens on. */
export function createPages(
  parts: Parts,
): (request: IncomingMessage, body: Buffer) => Promise<Answer> {
  return async (request, body) => {
    if (!isLoopbackAddress(request.socket.remoteAddress)) {
      return json(
        403,
        refused('loopback_only', 'This is for programs and people on this machine.'),
      );
    }
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
    if (method !== 'GET' && !isOwnPage(request.headers)) {
      return json(403, refused('wrong_origin', 'A page of that origin may not post here.'));
    }
    const [, , ...path] =
      (request.url ?? '').split('?')[0]?.split('/').map(decodeURIComponent) ?? [];
    return path[0] === 'api'
      ? forPrograms(parts, method, path.slice(1), request, body)
      : forPeople(parts, method, path, body);
  };
}

function refused(error: string, message: string): Record<string, string> {
  return { error, error_description: message };
}

function forPrograms(
  parts: Parts,
  method: string,
  path: readonly string[],
  request: IncomingMessage,
  body: Buffer,
): Answer {
  try {
    const sent = body.length === 0 ? {} : parseBody(request.headers['content-type'], body);
    const answer = control(parts, method, path, sent);
    return (
      answer ?? json(404, refused('not_found', 'There is no such thing. The README has the list.'))
    );
  } catch (thrown) {
    return json(400, refused('invalid_request', complaint(thrown)));
  }
}

/** What the sender did wrong, as a sentence. A mistake of ours is thrown on. */
function complaint(thrown: unknown): string {
  const isTheirs =
    thrown instanceof ApiError ||
    (thrown instanceof Error && 'code' in thrown && thrown.code === 'invalid_fault');
  if (isTheirs) return thrown.message;
  throw thrown;
}

function forPeople(parts: Parts, method: string, path: readonly string[], body: Buffer): Answer {
  const { org, journal } = parts;
  try {
    if (method === 'POST')
      return posted(parts, path.join('/'), new URLSearchParams(body.toString('utf8')));
    return method === 'GET' ? (view(parts, path) ?? nothingHere()) : nothingHere();
  } catch (thrown) {
    return homePage(org, journal, complaint(thrown));
  }
}

function view(
  { org, inside, journal }: Parts,
  [first = '', second = '']: readonly string[],
): Answer | null {
  switch (first) {
    case '':
      return homePage(org, journal, null);
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

function posted({ org, sessions }: Parts, path: string, form: URLSearchParams): Answer {
  switch (path) {
    case 'faults':
      org.faults.add(faultOfForm(form));
      return backTo('/_sim/');
    case 'faults/remove':
      org.faults.remove(Number(form.get('id')));
      return backTo('/_sim/');
    case 'advance':
      org.clock.advance(Math.max(0, Math.trunc(Number(form.get('seconds')) || 0)) * 1000);
      return backTo('/_sim/');
    case 'sessions/expire':
      sessions.endAll();
      return backTo('/_sim/');
    default:
      return nothingHere();
  }
}

function nothingHere(): Answer {
  const content = html`<h1>Nothing here</h1>
    <p>The org is at <a href="/_sim/">/_sim/</a>.</p>`;
  return page({ title: 'Nothing here', place: '', content, status: 404 });
}

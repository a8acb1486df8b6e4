import type { IncomingMessage } from 'node:http';
import { type Answer, json, redirect } from './answer.ts';
import {
  type FaultSpec,
  invalidInput,
  isInvalidInput,
  specOfForm,
  specOfJson,
} from './fault-rules.ts';
import type { Clock } from './clock.ts';
import type { FaultBoard } from './faults.ts';
import { isOwnPage } from './guard.ts';
import { isLoopbackAddress } from './loopback.ts';

/** The pages of a simulator below `/_sim/`. Faults are switched here for every simulator alike. */
export interface InsideParts<Spec extends FaultSpec, Target> {
  readonly faults: FaultBoard<Spec, Target>;
  /** Moved on by a form and by programs, who are answered with the state. */
  readonly timed?: { readonly clock: Clock; state(): unknown };
  /** The page at `/_sim/`; `wrong` is what the sender of a form did wrong. */
  home(wrong: string | null): Answer;
  nothingHere(): Answer;
  /** Other pages, by the parts of the path. Null: there is none. */
  view?(path: readonly string[]): Answer | null;
  /** Other forms. `home`: it is done, and the browser goes back there. Null: there is no such form. */
  posted?(path: string, form: URLSearchParams): Answer | 'home' | null;
  /** Answers programs below `/_sim/api/`. Null: there is no such thing. */
  control?(method: string, path: readonly string[], body: unknown): Answer | null;
  /** Recognises those of the simulator's own errors that the sender caused. */
  isTheirs?(thrown: unknown): thrown is Error;
}

export function isInside({ url = '' }: IncomingMessage): boolean {
  return /^\/_sim(\/|\?|$)/.test(url);
}

/** For this machine alone, whatever address the simulator listens on; forms only from its own pages. */
export function createInside<Spec extends FaultSpec, Target>(
  parts: InsideParts<Spec, Target>,
): (request: IncomingMessage, body: Buffer) => Answer {
  const { faults, home, nothingHere } = parts;

  function forPrograms(method: string, path: readonly string[], body: Buffer): Answer {
    try {
      const sent = body.length === 0 ? {} : parseJson(body);
      const answer =
        path[0] === 'faults'
          ? faultControl(faults, method, path[1], sent)
          : (timeControl(method, path, sent) ?? parts.control?.(method, path, sent));
      return (
        answer ?? refused(404, 'not_found', 'There is no such thing. The README has the list.')
      );
    } catch (thrown) {
      return refused(400, 'invalid_request', sentenceOf(thrown));
    }
  }

  function timeControl(method: string, path: readonly string[], body: unknown): Answer | null {
    if (parts.timed === undefined) return null;
    const asked = `${method} ${path.join('/')}`;
    if (asked === 'POST advance') parts.timed.clock.advance(wholeNumber(body, 'ms'));
    else if (asked !== 'GET state') return null;
    return json(200, parts.timed.state());
  }

  function forPeople(method: string, path: readonly string[], body: Buffer): Answer {
    try {
      if (method === 'POST') {
        const answer = posted(path.join('/'), new URLSearchParams(body.toString('utf8')));
        return answer === 'home' ? redirect('/_sim/') : (answer ?? nothingHere());
      }
      if (method !== 'GET') return nothingHere();
      return (path[0] ?? '') === '' ? home(null) : (parts.view?.(path) ?? nothingHere());
    } catch (thrown) {
      return home(sentenceOf(thrown));
    }
  }

  function posted(path: string, form: URLSearchParams): Answer | 'home' | null {
    if (path === 'faults') faults.add(specOfForm(faults.rules, form));
    else if (path === 'faults/remove') faults.remove(Number(form.get('id')));
    else if (path === 'advance' && parts.timed !== undefined) {
      const seconds = Math.trunc(Number(form.get('seconds')) || 0);
      parts.timed.clock.advance(Math.max(0, seconds) * 1000);
    } else return parts.posted?.(path, form) ?? null;
    return 'home';
  }

  /** Says what the sender did wrong. A mistake of ours is thrown on. */
  function sentenceOf(thrown: unknown): string {
    if (isInvalidInput(thrown) || parts.isTheirs?.(thrown) === true) return thrown.message;
    throw thrown;
  }

  return (request, body) => {
    if (!isLoopbackAddress(request.socket.remoteAddress)) {
      return refused(403, 'loopback_only', 'This is for programs and people on this machine.');
    }
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
    if (method !== 'GET' && !isOwnPage(request.headers)) {
      return refused(403, 'wrong_origin', 'A page of that origin may not post here.');
    }
    const path = pathOf(request.url ?? '');
    if (path === null) return nothingHere();
    return path[0] === 'api'
      ? forPrograms(method, path.slice(1), body)
      : forPeople(method, path, body);
  };
}

function faultControl<Spec extends FaultSpec, Target>(
  faults: FaultBoard<Spec, Target>,
  method: string,
  id: string | undefined,
  body: unknown,
): Answer | null {
  if (method === 'GET' && id === undefined) return json(200, faults.list());
  if (method === 'POST' && id === undefined) {
    return json(201, faults.add(specOfJson(faults.rules, body)));
  }
  if (method !== 'DELETE') return null;
  if (id === undefined) faults.clear();
  else if (!faults.remove(Number(id))) return null;
  return json(200, faults.list());
}

/** The path after `/_sim/`. Null: an escape in it is broken. */
function pathOf(url: string): string[] | null {
  try {
    const [, , ...path] = (url.split('?')[0] ?? '').split('/').map(decodeURIComponent);
    return path;
  } catch {
    return null;
  }
}

function wholeNumber(body: unknown, name: string): number {
  const value: unknown =
    typeof body === 'object' && body !== null
      ? Object.entries(body).find(([key]) => key === name)?.[1]
      : null;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw invalidInput(`${name}: give a whole number from 0.`);
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    throw invalidInput('The body is no JSON.');
  }
}

function refused(status: number, error: string, message: string): Answer {
  return json(status, { error, error_description: message });
}

import type { MediaType, Operation } from '@millrace/api';
import { type Html, type Part, html } from './html.ts';

export interface ExampleParams {
  readonly method: string;
  /** With `{name}` for each parameter in it. */
  readonly path: string;
  readonly operation: Operation;
  readonly baseUrl: string;
}

/** The call of the example as one shell command. */
export function curlOf({ method, path, operation, baseUrl }: ExampleParams): string {
  const body = operation.requestBody?.content['application/json']?.example;
  const parts = [
    ...(method === 'GET' || body !== undefined ? [] : [`-X ${method}`]),
    ...(isStream(operation) ? ['-N'] : []),
    shellQuoted(`${baseUrl}${addressOf(path, operation)}`),
  ];
  const lines = [
    ['curl', ...parts].join(' '),
    ...(operation.security.length === 0 ? [] : ['-H "authorization: Bearer $(millrace token)"']),
    ...(body === undefined
      ? []
      : [
          "-H 'content-type: application/json'",
          `-d ${shellQuoted(JSON.stringify(body, null, 2).replaceAll('\n', '\n  '))}`,
        ]),
  ];
  return lines.join(' \\\n  ');
}

function addressOf(path: string, { parameters }: Operation): string {
  const query = new URLSearchParams();
  let address = path;
  for (const parameter of parameters) {
    if ('$ref' in parameter || parameter.example === undefined) continue;
    const value = String(parameter.example);
    if (parameter.in === 'query') query.set(parameter.name, value);
    else address = address.replace(`{${parameter.name}}`, encodeURIComponent(value));
  }
  return query.size === 0 ? address : `${address}?${query.toString()}`;
}

/** A word as it is where the shell takes it so, else in single quotes. */
export function shellQuoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

export function isStream({ responses }: Operation): boolean {
  return Object.values(responses).some(
    (response) => 'content' in response && 'text/event-stream' in response.content,
  );
}

/** An answer as it comes over the wire, coloured where it is JSON. */
export function answerOf(media: string, { example }: MediaType): Part {
  if (media === 'text/event-stream') return ['data: ', coloured(JSON.stringify(example))];
  return typeof example === 'string' ? example : coloured(JSON.stringify(example, null, 2));
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d[\d.eE+-]*/g;

/** JSON split into keys, strings and other values, for highlighting. */
export function coloured(json: string): Html[] {
  const parts: Html[] = [];
  let at = 0;
  for (const match of json.matchAll(TOKEN)) {
    const [token, text, colon] = match;
    if (match.index > at) parts.push(html`${json.slice(at, match.index)}`);
    if (text !== undefined && colon !== undefined)
      parts.push(html`<span class="k">${text}</span>${colon}`);
    else if (text !== undefined) parts.push(html`<span class="s">${text}</span>`);
    else parts.push(html`<span class="v">${token}</span>`);
    at = match.index + token.length;
  }
  parts.push(html`${json.slice(at)}`);
  return parts;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  };
}

/** 303: whatever was posted here is not posted there. */
export function redirect(to: string): Answer {
  return { status: 303, headers: { location: to, 'referrer-policy': 'no-referrer' }, body: '' };
}

/** Enough of a browser to use the pages: no scripts, redirects are shown and not followed. */
export interface Page {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The Location of a redirect. */
  readonly location: URL | null;
}

export async function visit(url: string | URL, init: RequestInit = {}): Promise<Page> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const location = response.headers.get('location');
  return {
    url: String(url),
    status: response.status,
    headers: response.headers,
    text: await response.text(),
    location: location === null ? null : new URL(location),
  };
}

/** Sends the form of a page as a person would who filled in `fields`. */
export async function submit(
  page: Page,
  fields: Readonly<Record<string, string>>,
  origin = new URL(page.url).origin,
): Promise<Page> {
  const [, action] = /<form method="post" action="([^"]*)">/.exec(page.text) ?? [];
  const [, transaction] = /name="transaction" value="([^"]*)"/.exec(page.text) ?? [];
  if (action === undefined || transaction === undefined) {
    throw new Error(`There is no form on this page:\n${page.text}`);
  }
  return visit(new URL(action, page.url), {
    method: 'POST',
    headers: { origin },
    body: new URLSearchParams({ transaction, ...fields }),
  });
}

/** Opens the sign-in page at `url`, signs in, and gives where that led. */
export async function signIn(url: string | URL, username: string, password = ''): Promise<Page> {
  return submit(await visit(url), { action: 'sign-in', username, password });
}

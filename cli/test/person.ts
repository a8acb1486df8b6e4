/** Someone at a browser: opens pages, fills in forms, and follows where that leads. */
export interface Page {
  readonly url: string;
  readonly status: number;
  readonly text: string;
}

/** Signs in at this address, or cancels. Gives the page where it ends. */
export async function signInAt(address: string, username: string): Promise<Page> {
  return submit(await visit(address), { action: 'sign-in', username });
}

export async function cancelAt(address: string): Promise<Page> {
  return submit(await visit(address), { action: 'cancel' });
}

export async function visit(address: string | URL, init: RequestInit = {}): Promise<Page> {
  const response = await fetch(address, init);
  return { url: response.url, status: response.status, text: await response.text() };
}

async function submit(page: Page, fields: Readonly<Record<string, string>>): Promise<Page> {
  const [, action] = /<form method="post" action="([^"]*)">/.exec(page.text) ?? [];
  const [, transaction] = /name="transaction" value="([^"]*)"/.exec(page.text) ?? [];
  if (action === undefined || transaction === undefined) {
    throw new Error(`There is no form on this page:\n${page.text}`);
  }
  return visit(new URL(action, page.url), {
    method: 'POST',
    headers: { origin: new URL(page.url).origin },
    body: new URLSearchParams({ transaction, ...fields }),
  });
}

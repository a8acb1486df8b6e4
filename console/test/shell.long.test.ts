import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stage, openStage, scrollsAway, sideways, violations } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ MILLRACE_DOCUMENTS: 'false' });
}, 180_000);
afterAll(() => stage.close());

/** Every page that needs nothing to be there before it is opened. */
const PAGES = [
  '/',
  '/jobs',
  '/jobs/new',
  '/documents',
  '/queries',
  '/reports',
  '/pipelines',
  '/operations',
  '/welcome',
];

test.each([
  { width: 1440, dark: false },
  { width: 1440, dark: true },
  { width: 320, dark: false },
])(
  'no page has a fault that axe finds or scrolls sideways: $width px, dark $dark',
  async (look) => {
    const page = await stage.open(look);
    for (const path of PAGES) {
      await page.goto(`${stage.url}/console${path}`);
      await page.locator('main#main h1').waitFor();
      expect({ path, violations: await violations(page) }).toEqual({ path, violations: [] });
      expect({ path, sideways: await sideways(page) }).toEqual({ path, sideways: 0 });
      if (look.width > 720) expect([path, await scrollsAway(page)]).toEqual([path, 0]);
    }
  },
  180_000,
);

test('a page that the server does not send says so, and comes when the server is back', async () => {
  const page = await stage.open();
  await page.getByText('Live', { exact: true }).waitFor();
  await page.context().setOffline(true);
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
  await link.filter({ hasText: 'Pipelines' }).click();
  await page.getByText('The server did not send this page').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Pipelines', level: 1 }).waitFor();
});

test('a page that was open during an upgrade loads itself again, once', async () => {
  const page = await stage.open();
  let upgraded = false;
  await page.route('**/assets/ReportsPage-*', (route) =>
    upgraded ? route.continue() : route.fulfill({ status: 404 }),
  );
  await page.route('**/console/', (route) => {
    if (route.request().resourceType() !== 'fetch') return route.continue();
    upgraded = true;
    return route.fulfill({ body: '<script type="module" src="/console/assets/index-new.js">' });
  });
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
  await link.filter({ hasText: 'Reports' }).click();
  await page.getByRole('heading', { name: 'Reports', level: 1 }).waitFor();
  expect(upgraded).toBe(true);
});

test('a pause asks why, and takes what is typed at once', async () => {
  const page = await stage.open({ path: '/operations?tab=kinds' });
  await page.getByRole('button', { name: 'Pause' }).first().click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('the printer is empty');
  // The line breaks: what was typed stays, and what went wrong is said where the person looks.
  await page.route('**/pause', (route) => route.abort());
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByText('The server did not answer').waitFor();
  await page.unroute('**/pause');
  await page.keyboard.press('Enter');
  await page.getByText('the printer is empty').waitFor();
  // Nothing waits for it, and still nobody has to find out by waiting.
  await page.goto(`${stage.url}/console/`);
  await page.getByText(/Nothing waits for it yet.*the printer is empty/).waitFor();
});

test('what is no page has the navigation around it', async () => {
  const page = await stage.open({ path: '/nowhere' });
  await page.getByText('Page not found').waitFor();
  await page.getByRole('link', { name: 'Jobs' }).first().waitFor();
});

test('a dialog gives the focus back to what opened it', async () => {
  const page = await stage.open({ path: '/operations?tab=kinds' });
  const pause = page.getByRole('button', { name: 'Pause' }).last();
  await pause.click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.locator('button:focus', { hasText: 'Pause' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('combobox').waitFor({ state: 'detached' });
  await page.locator('button:focus', { hasText: 'Pause' }).waitFor();
});

test('nothing broke, and the content security policy was never touched', () => {
  expect(stage.complaints).toEqual([]);
});

// Debian's Chromium, and times as the page itself sees them: the clock of the page begins with its navigation.

import { chromium } from 'playwright-core';

/** It talks to nobody but the server under test. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
];
const PATIENCE_MS = 120_000;

/** Runs before each page: what takes longer than 50 ms keeps the page from answering. */
const WATCH = `
globalThis.benchTasks = [];
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) benchTasks.push({ at: startTime, ms: duration });
}).observe({ type: 'longtask', buffered: true });
addEventListener('keydown', () => (globalThis.benchBegun = performance.now()), true);
`;

export async function openBrowser() {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS });
  return {
    close: () => browser.close(),
    /** A page of somebody who was never here. */
    async open() {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
      context.setDefaultTimeout(PATIENCE_MS);
      await context.addInitScript(WATCH);
      return pageOf(context, await context.newPage());
    },
  };
}

function pageOf(context, page) {
  return {
    goto: (url) => page.goto(url, { waitUntil: 'commit' }),
    close: () => context.close(),
    keyboard: page.keyboard,
    /** Answers requests whose address fits, in the place of the server. */
    answer: (pattern, json) => page.route(pattern, (route) => route.fulfill({ json })),
    evaluate: (expression) => page.evaluate(expression),
    now: () => page.evaluate('performance.now()'),
    longTasks: () => page.evaluate('benchTasks'),
    text: async (selector) => (await page.locator(selector).first().textContent()) ?? '',
    /**
     * When the expression is true for the first time, looked at with each frame. Playwright's own way to wait would need
     * eval, which the content security policy of the page refuses.
     */
    when: (expression) =>
      page.evaluate(`new Promise((resolve, reject) => {
        const begun = performance.now();
        const look = () => {
          if (${expression}) resolve(performance.now());
          else if (performance.now() - begun > ${PATIENCE_MS}) reject(new Error(${JSON.stringify(`never: ${expression}`)}));
          else requestAnimationFrame(look);
        };
        look();
      })`),
    keep: (key, value) =>
      context.addInitScript(
        `localStorage.setItem(${JSON.stringify(key)}, ${JSON.stringify(value)})`,
      ),
    /** The addresses of all scripts that the page loads from now on. */
    async scripts() {
      const session = await context.newCDPSession(page);
      await session.send('Network.enable');
      const urls = new Set();
      session.on('Network.responseReceived', ({ response: { url, mimeType } }) => {
        if (mimeType.includes('javascript')) urls.add(url);
      });
      return urls;
    },
  };
}

/** What the server sends for it as gzip: on a loopback address the browser itself would rather have Brotli, which is less. A file of a few lines comes as it is. */
export async function gzipBytes(url) {
  const response = await fetch(url, { headers: { 'accept-encoding': 'gzip' } });
  await response.body?.cancel();
  return Number(response.headers.get('content-length'));
}

/** From the act until something is there: of a navigation, from its own beginning. */
export async function since(page, act, selector, also = 'true') {
  await page.evaluate('globalThis.benchBegun = performance.now()');
  await act();
  const shown = await page.when(`document.querySelector(${JSON.stringify(selector)}) && ${also}`);
  // A new document has a clock of its own.
  return shown - (await page.evaluate('globalThis.benchBegun ?? 0'));
}

/** By the page itself: the way of a pointer is not measured. */
export function click(page, selector) {
  const element = `document.querySelector(${JSON.stringify(selector)})`;
  return page.when(`${element} && (${element}.click(), true)`);
}

const EDITOR = `[...document.querySelectorAll('section[aria-label="Data"] *')]
  .flatMap((each) => each.shadowRoot?.querySelector('.cm-content') ?? [])[0]`;

/** The editor lives in a shadow root: it is reached by the keyboard, as people reach it. */
export const typed = {
  /** Puts the cursor to the end of the text in a line such as `"Number": "2026-0417",`. */
  async atEndOfValue(page, line) {
    await page.when(`${EDITOR} !== undefined`);
    await page.evaluate(`${EDITOR}.focus()`);
    await page.keyboard.press('Control+Home');
    for (let n = 1; n < line; n += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    for (let n = 0; n < 2; n += 1) await page.keyboard.press('ArrowLeft');
  },
  /** From the last key until the page says so. */
  async keys(page, text, shown) {
    await page.keyboard.type(text, { delay: 90 });
    return (await page.when(said(shown))) - (await page.evaluate('benchBegun'));
  },
  shows: (page, number) => page.when(said(number)),
  async back(page, count, shown) {
    for (let n = 0; n < count; n += 1) await page.keyboard.press('Backspace');
    await page.when(said(shown));
  },
};

/** A number, and no longer one that begins with it. */
const said = (number) =>
  `/${number}(?!\\d)/.test(document.querySelector('figure figcaption')?.textContent)`;

// Before the first paint: a page that turns from light to dark while it loads hurts the eyes. A file of its own,
// because the content security policy allows no script inside the page.
(() => {
  const chosen = localStorage.getItem('millrace.theme');
  const dark = chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();

// Zod tries whether it may compile its checks. It may not, and each try would be a violation of the policy that somebody has to read.
// oxlint-disable-next-line no-underscore-dangle -- Zod's own name
globalThis.__zod_globalConfig = { jitless: true };

import theme from 'vitepress/theme-without-fonts';
import './style.css';

/** @type {import('vitepress').Theme} */
const millrace = {
  extends: theme,
  enhanceApp() {
    if (!import.meta.env.SSR) leadToReference(import.meta.env.BASE_URL);
  },
};

/** Until there was a site, /docs was the page of the API: a link such as /docs#enqueue still leads there. @param {string} base */
function leadToReference(base) {
  const { pathname, hash } = window.location;
  if (pathname !== base || hash === '') return;
  if (document.getElementById(decodeURIComponent(hash.slice(1))) === null)
    window.location.replace(`${base}reference${hash}`);
}

export default millrace;

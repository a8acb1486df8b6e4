/** What people write stays in the browser across reloads: the tabs of queries, and the sample data of templates. */
const PEOPLES = ['millrace.queries.', 'millrace.sample.'];

/** Clears the input of the person who signed out, so that the next one cannot read it. Theme and time format stay: they belong to the browser. */
export function removeLeftBehind(): void {
  const names = Array.from({ length: localStorage.length }, (_, n) => localStorage.key(n) ?? '');
  for (const name of names) {
    if (PEOPLES.some((beginning) => name.startsWith(beginning))) localStorage.removeItem(name);
  }
}

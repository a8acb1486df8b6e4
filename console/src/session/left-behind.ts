/** What people write stays in the browser across reloads: the tabs of queries, and the sample data of templates. */
const PEOPLES = ['millrace.queries.', 'millrace.sample.'];

/** Who sits here next must not read what the person before has written. Theme and times stay: they are the browser's. */
export function removeLeftBehind(): void {
  const names = Array.from({ length: localStorage.length }, (_, n) => localStorage.key(n) ?? '');
  for (const name of names) {
    if (PEOPLES.some((beginning) => name.startsWith(beginning))) localStorage.removeItem(name);
  }
}

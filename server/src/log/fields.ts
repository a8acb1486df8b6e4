/** What every line says of itself. */
const OF_THE_LINE: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'pid', 'hostname']);

/**
 * Fields that double none of the line: JSON with one key twice is read differently by each reader, so that an error could
 * pass for an info. What is bound to the logger already is left out where it says the same; anything else keeps its value
 * under its name with an underscore.
 */
export function apart(
  fields: object,
  bound: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const given = fields as Readonly<Record<string, unknown>>;
  const names = Object.keys(given);
  const isTaken = (name: string) => OF_THE_LINE.has(name) || Object.hasOwn(bound, name);
  if (!names.some(isTaken)) return given;
  const own: Record<string, unknown> = {};
  for (const name of names) {
    const value = given[name];
    if (Object.hasOwn(bound, name) && bound[name] === value) continue;
    let free = name;
    while (isTaken(free) || (free !== name && Object.hasOwn(given, free))) free += '_';
    own[free] = value;
  }
  return own;
}

// The only places where a name or a text becomes part of SQL. Both come from a report's file or from the database; what a
// caller gives is never part of a text, but bound and read by `setting`.

/** A name as Postgres takes any name. */
export function identifier(name: string): string {
  if (name === '' || name.includes('\0'))
    throw new RangeError(`${JSON.stringify(name)} is no name`);
  return `"${name.replaceAll('"', '""')}"`;
}

/** With E before it where it has a backslash: right with standard_conforming_strings on and off. */
export function literal(text: string): string {
  if (text.includes('\0')) throw new RangeError('Postgres has no text with a NUL');
  const quoted = `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
  return text.includes('\\') ? `E${quoted}` : quoted;
}

/** A value that was bound with `Reading.set`. Names of ours begin with an underscore, which no parameter of a report does. */
export function setting(name: string, type: string): string {
  return `current_setting(${literal(`rp.${name}`)})::${type}`;
}

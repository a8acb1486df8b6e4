/** A field that may be undefined becomes one that may be left out, which is what the engine asks for. */
export type Defined<T> = {
  [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name];
} & {
  [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>;
};

export function defined<T extends object>(fields: T): Defined<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as Defined<T>;
}

import type { Names } from '@millrace/store-postgres';
import { Refusal } from '../http/refusal.ts';
import type { Authenticate, Caller } from './caller.ts';
import { isName, isNameOfProgram, nameOfSubject } from './names.ts';

/** Callers whose name is known without asking the database. */
const REMEMBERED = 10_000;

/**
 * Callers by the name that they came with first. What somebody submits is theirs by name, and a directory may give a name to
 * somebody else, or change it: the new owner of `ada@example.com` must not have what the old one made, and who is renamed
 * must not lose it. Whoever comes with a name that another subject had before is called `user:` and their subject. A
 * program's name is the id of its registration, which is given to no other: a new service principal of the same registration
 * (it was deleted and made again, or is in another directory) is the same program.
 */
export function byFirstName(authenticate: Authenticate, names: Names): Authenticate {
  const remembered = new Map<string, string>();

  async function firstNameOf({ name, subject }: Caller): Promise<string> {
    const known = remembered.get(subject);
    if (known !== undefined) return known;
    const first = (await names.take({ name, subject })) ?? (await takeOther({ name, subject }));
    const [oldest] = remembered.size < REMEMBERED ? [] : remembered.keys();
    if (oldest !== undefined) remembered.delete(oldest);
    remembered.set(subject, first);
    return first;
  }

  async function takeOther({ name, subject }: Pick<Caller, 'name' | 'subject'>): Promise<string> {
    const other = nameOfSubject(subject);
    const refused = (why: string): Refusal =>
      new Refusal('token_invalid', `Invalid token: the name ${name} is ${why}.`);
    if (!isName(other))
      throw refused(`somebody else's, and the subject is too long to be a name with "user:"`);
    const taken = await names.take({ name: other, subject });
    if (taken === null) throw refused(`somebody else's, and so is ${other}`);
    return taken;
  }

  return async (authorization) => {
    const caller = await authenticate(authorization);
    // Who has no role here can submit nothing, and takes nobody's name.
    if (caller.roles.length === 0 || isNameOfProgram(caller.name)) return caller;
    return { ...caller, name: await firstNameOf(caller) };
  };
}

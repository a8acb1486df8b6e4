import { sameSecret } from './identifiers.ts';
import { type Client, isLoopbackRedirect, type Settings, type User } from './options.ts';

/** Who may sign in, and which programs may ask them to. */
export interface Directory {
  readonly users: readonly User[];
  client(id: string | undefined): Client | undefined;
  /** The user, if the password is theirs. Who has none is taken at their word. */
  signIn(username: string | undefined, password: string | undefined): User | null;
}

export function createDirectory({ users, clients }: Settings): Directory {
  return {
    users,
    client: (id) => clients.find((client) => client.id === id),
    signIn(username, password = '') {
      const user = users.find((each) => each.username === username);
      if (user === undefined) return null;
      return user.password === undefined || sameSecret(password, user.password) ? user : null;
    },
  };
}

export function isPublic(client: Client): boolean {
  return client.secret === undefined;
}

/** Registered addresses are compared letter by letter; loopback addresses belong to programs without a secret. */
export function mayRedirect(client: Client, uri: string): boolean {
  return (client.redirectUris ?? []).includes(uri) || (isPublic(client) && isLoopbackRedirect(uri));
}

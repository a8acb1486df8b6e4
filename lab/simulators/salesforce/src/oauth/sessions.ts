import { randomBytes } from 'node:crypto';
import type { Clock } from '@millrace/simulator-kit';

/** Sessions slide: each use starts the timeout again. */
export interface Sessions {
  open(organizationId: string, userId: string): string;
  /** The user of a token that is still good. Using it keeps it good. */
  use(token: string): string | null;
  end(token: string): void;
  endAll(): void;
  /** Called when sessions were ended, not when they ran out. */
  onEnd(call: () => void): void;
}

export function createSessions(clock: Clock, timeoutMs: number): Sessions {
  const sessions = new Map<string, { readonly userId: string; usedAt: number }>();
  const listeners: (() => void)[] = [];
  const tell = (): void => {
    for (const call of listeners) call();
  };
  return {
    open(organizationId, userId) {
      const token = `${organizationId.slice(0, 15)}!AQ${randomBytes(69).toString('base64url')}`;
      sessions.set(token, { userId, usedAt: clock.now() });
      return token;
    },
    use(token) {
      const session = sessions.get(token);
      if (session === undefined) return null;
      if (clock.now() - session.usedAt > timeoutMs) {
        sessions.delete(token);
        return null;
      }
      session.usedAt = clock.now();
      return session.userId;
    },
    end(token) {
      sessions.delete(token);
      tell();
    },
    endAll() {
      sessions.clear();
      tell();
    },
    onEnd: (call) => void listeners.push(call),
  };
}

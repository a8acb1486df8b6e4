/**
 * How much of something (bytes of requests, streams) is in the process at the same time, and whose it is. Nobody has all of the room: whoever
 * fills their own share leaves the rest to others, also with what never ends.
 */
export interface Room {
  enter(caller: string): Place;
}

/** The share of one request. */
export interface Place {
  /** Null: taken. Else the limit that it would pass, and nothing is taken. */
  take(amount: number): 'all' | 'caller' | null;
  /** From now on nothing counts, also not what still arrives. */
  leave(): void;
}

export function createRoom(most: { readonly all: number; readonly ofCaller: number }): Room {
  let all = 0;
  const ofCallers = new Map<string, number>();

  function change(caller: string, amount: number): void {
    all += amount;
    const own = (ofCallers.get(caller) ?? 0) + amount;
    if (own === 0) ofCallers.delete(caller);
    else ofCallers.set(caller, own);
  }

  return {
    enter(caller) {
      let taken = 0;
      let hasLeft = false;
      return {
        take(amount) {
          if ((ofCallers.get(caller) ?? 0) + amount > most.ofCaller) return 'caller';
          if (hasLeft || all + amount > most.all) return 'all';
          taken += amount;
          change(caller, amount);
          return null;
        },
        leave() {
          if (hasLeft) return;
          hasLeft = true;
          change(caller, -taken);
        },
      };
    },
  };
}

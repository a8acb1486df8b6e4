/**
 * How many bytes of requests are in the process at the same time, and whose they are. Nobody has all of the room: whoever fills their own share
 * leaves the rest to others, also with bodies that never end.
 */
export interface Room {
  enter(caller: string): Place;
}

/** The memory share of one request. */
export interface Place {
  /** False: there is no room for so many more. */
  take(bytes: number): boolean;
  /** From now on nothing counts, also not what still arrives. */
  leave(): void;
}

export function createRoom(most: { readonly all: number; readonly ofCaller: number }): Room {
  let all = 0;
  const ofCallers = new Map<string, number>();

  function change(caller: string, bytes: number): void {
    all += bytes;
    const own = (ofCallers.get(caller) ?? 0) + bytes;
    if (own === 0) ofCallers.delete(caller);
    else ofCallers.set(caller, own);
  }

  return {
    enter(caller) {
      let taken = 0;
      let hasLeft = false;
      return {
        take(bytes) {
          if (hasLeft) return false;
          const own = ofCallers.get(caller) ?? 0;
          if (all + bytes > most.all || own + bytes > most.ofCaller) return false;
          taken += bytes;
          change(caller, bytes);
          return true;
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

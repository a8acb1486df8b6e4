/**
 * `jwks-down` and `token-down` answer 503. `jwks-garbage` answers 200 and half a JSON text. `jwks-slow`
 * holds every answer until another fault is set, so that a test needs no clock to be slow.
 */
export type Fault = 'jwks-down' | 'jwks-slow' | 'jwks-garbage' | 'token-down' | 'none';

export interface Faults {
  readonly current: Fault;
  set(fault: Fault): void;
  /** Ends with the next call of `set`. */
  change(): Promise<void>;
}

export function createFaults(): Faults {
  let current: Fault = 'none';
  const waiting: (() => void)[] = [];
  return {
    get current() {
      return current;
    },
    set(fault) {
      current = fault;
      for (const wake of waiting.splice(0)) wake();
    },
    change: () => new Promise((resolve) => waiting.push(resolve)),
  };
}

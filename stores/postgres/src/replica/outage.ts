/** Hears of each try that failed or passed, and decides what is worth a line: a store that is away fails them all. */
export interface Outage {
  failed(error: unknown): void;
  fine(): void;
}

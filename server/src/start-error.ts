/** Why the process cannot start, in words that are all its reader needs: shown without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

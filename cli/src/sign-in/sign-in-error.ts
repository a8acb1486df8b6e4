/**
 * Why there is no token: `needed` and `refused` are answered by signing in, `unreachable` by waiting for
 * the issuer, `kept` by looking at the file where sign-ins are kept.
 */
export type SignInTrouble = 'needed' | 'refused' | 'unreachable' | 'kept';

/** Shown as a sentence, with exit code 6; 5 where the issuer is away. Its text never has a secret. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
  readonly trouble: SignInTrouble;
  constructor(trouble: SignInTrouble, message: string) {
    super(message);
    this.trouble = trouble;
  }
}

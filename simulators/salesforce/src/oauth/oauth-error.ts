/** The token endpoint speaks of errors in its own way: 400 and `{ error, error_description }`. */
export class OAuthError extends Error {
  readonly error: string;

  constructor(error: string, description: string) {
    super(description);
    this.error = error;
  }
}

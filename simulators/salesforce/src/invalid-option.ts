/** The caller of `startSalesforce` gave something that will not do. */
export function invalidOption(message: string): Error {
  return Object.assign(new Error(message), { code: 'invalid_option' });
}

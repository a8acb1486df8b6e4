/** Changes what the issuer answers at an address that ends like this. */
export function tamper(ending: string, change: (answer: Record<string, unknown>) => object) {
  const changed: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!addressOf(input).endsWith(ending)) return response;
    const answer = change((await response.json()) as Record<string, unknown>);
    return Response.json(answer, { status: response.status });
  };
  return changed;
}

export function addressOf(input: Parameters<typeof fetch>[0]): string {
  return input instanceof Request ? input.url : input.toString();
}

/** Proof that who redeems a code is who asked for it (RFC 7636). */
export interface Proof {
  readonly verifier: string;
  readonly challenge: string;
}

export async function newProof(): Promise<Proof> {
  if (!isSecureContext)
    throw new Error(
      `Sign-in works only over HTTPS or on localhost. Open the console at such an address instead of ${location.origin}.`,
    );
  const verifier = randomText(32);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return { verifier, challenge: base64url(new Uint8Array(digest)) };
}

export function randomText(bytes: number): string {
  return base64url(crypto.getRandomValues(new Uint8Array(bytes)));
}

function base64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

import { ownCode } from '@millrace/api';

/** The code of an error; nothing for a plain `throw`, which has none, and whose message begins with its name. */
export function OwnCode({ error }: { error: { readonly code: string } }) {
  const code = ownCode(error);
  return code === null ? null : <code className="text-failed">{code}</code>;
}

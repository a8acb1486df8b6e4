import { defineCommand } from '../../line/command.ts';
import { EXIT } from '../../line/exit.ts';
import { SignInError } from '../../sign-in/sign-in-error.ts';

export const token = defineCommand({
  name: 'token',
  summary: 'Prints a token for the server, for curl and the like.',
  usage: [''],
  words: { least: 0, most: 0 },
  options: {},
  examples: ['curl -H "authorization: Bearer $(millrace token)" $MILLRACE_URL/jobs'],
  async run({ tokens, signIn, out, json, document }) {
    const found = await tokens.get();
    if (found === null) {
      // Nobody can sign in to a server that is gone: that it does not answer comes first.
      await signIn();
      throw new SignInError('needed', tokens.advice());
    }
    const { accessToken, expiresAt } = found;
    const end = expiresAt === null ? null : new Date(expiresAt).toISOString();
    if (json) document({ token: accessToken, expiresAt: end });
    else out.line(accessToken);
    return EXIT.ok;
  },
});

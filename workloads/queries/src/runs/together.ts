/**
 * What is asked for in the same turn, asked as one: polls are claimed by the dozen, and each reads its run and some write to it. With
 * a statement for each, that was most of what 1,000 polls a second cost (docs/decisions/0025-query-polls.md). `ask` answers in the
 * order of the questions.
 */
export function createTogether<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): (question: Question) => Promise<Answer> {
  let waiting: Waiting<Question, Answer>[] = [];

  async function flush(): Promise<void> {
    const those = waiting;
    waiting = [];
    try {
      const answers = await ask(those.map(({ question }) => question));
      for (const [place, { resolve }] of those.entries()) resolve(answers[place] as Answer);
    } catch (error) {
      for (const { reject } of those) reject(error);
    }
  }

  return (question) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(() => void flush());
      waiting.push({ question, resolve, reject });
    });
}

interface Waiting<Question, Answer> {
  readonly question: Question;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

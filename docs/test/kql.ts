/** One query of alerts.kql with what its comments say. */
export interface KqlAlert {
  readonly alert: string;
  readonly severity: string;
  readonly runbook: string;
  /** Without comments. */
  readonly query: string;
  readonly metrics: readonly string[];
  readonly attributes: readonly string[];
}

export function kqlAlertsOf(text: string): KqlAlert[] {
  return text
    .split(/^(?=\/\/ alert: )/m)
    .slice(1)
    .map((part) => {
      const query = part.replaceAll(/(?:^|\s)\/\/.*$/gm, '').trim();
      return {
        alert: said(part, 'alert'),
        severity: said(part, 'severity'),
        runbook: said(part, 'runbook'),
        query,
        metrics: [...query.matchAll(/\bname (?:==|in) (\("[^)]*"\)|"\w+")/g)].flatMap(
          ([, list = '']) => [...list.matchAll(/"(\w+)"/g)].map(([, name = '']) => name),
        ),
        attributes: [...query.matchAll(/customDimensions\.(\w+)/g)].map(([, name = '']) => name),
      };
    });
}

function said(part: string, what: string): string {
  return new RegExp(`^// (?:.*, )?${what}: ([^,\\n]+)`, 'm').exec(part)?.[1] ?? '';
}

/** The comparisons that decide, such as `> 100`, in their order. */
export function limitsOf(condition: string): string[] {
  return [...condition.matchAll(/(<=|>=|==|<|>) (\d[\d.]*)/g)].map(
    ([, operator = '', number = '']) => `${operator} ${Number(number)}`,
  );
}

import type { Salesforce } from '@millrace/salesforce';

/** The same connection for whom someone waits: such calls go first, and on when the allowance of the rest is used up. */
export function interactively(salesforce: Salesforce): Salesforce {
  const lane = 'interactive';
  return {
    ...salesforce,
    query: (soql, options) => salesforce.query(soql, { ...options, lane }),
    graphs: (graphs, options) => salesforce.graphs(graphs, { ...options, lane }),
    apex: (params) => salesforce.apex({ ...params, lane }),
  };
}

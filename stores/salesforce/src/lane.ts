import type { CallOptions, Salesforce } from '@millrace/salesforce';

/** The same connection, with this said of each call: who waits for it, and under which correlation id. */
export function calling(salesforce: Salesforce, said: CallOptions): Salesforce {
  return {
    ...salesforce,
    query: (soql, options) => salesforce.query(soql, { ...options, ...said }),
    composite: (parts, options) => salesforce.composite(parts, { ...options, ...said }),
    graphs: (graphs, options) => salesforce.graphs(graphs, { ...options, ...said }),
    apex: (params) => salesforce.apex({ ...params, ...said }),
  };
}

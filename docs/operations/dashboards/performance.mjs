import { ALL, JOBS, LIMITS, REPLICA, quantile, rate, templateHitRate } from './figures.mjs';
import { dashboard, heatmap, lines } from './grafana.mjs';

export const performance = dashboard({
  name: 'performance',
  title: 'Millrace / Performance',
  description: 'How long things take: executions, documents, requests, and what they wait for.',
  panels: [
    heatmap({
      title: 'Executions by duration',
      help: 'How many executions of the chosen kinds took how long.',
      unit: 's',
      queries: [
        [
          `sum by (le) (increase(job_duration_seconds_bucket{${JOBS}}[$__rate_interval]))`,
          '{{le}}',
        ],
      ],
    }),
    heatmap({
      title: 'Documents by duration',
      help: 'From the template to the stored or uploaded file, without waiting for a conversion process.',
      unit: 's',
      queries: [
        [
          `sum by (le) (increase(docgen_duration_seconds_bucket{${ALL}}[$__rate_interval]))`,
          '{{le}}',
        ],
      ],
    }),
    lines({
      title: 'Duration of executions',
      help: 'Half of them are faster than P50, one in a hundred is slower than P99.',
      unit: 's',
      queries: [
        [quantile(0.5, 'job_duration_seconds', ''), 'P50'],
        [quantile(0.95, 'job_duration_seconds', ''), 'P95'],
        [quantile(0.99, 'job_duration_seconds', ''), 'P99'],
      ],
    }),
    lines({
      title: 'P95 of documents by template',
      help: 'The lines are the limits: target 10 s, alerts at 15 s and 30 s.',
      unit: 's',
      steps: LIMITS.documentSeconds,
      queries: [
        [
          `topk(10, ${quantile(0.95, 'docgen_duration_seconds', 'template_id', ALL)})`,
          '{{template_id}}',
        ],
      ],
    }),
    lines({
      title: 'P95 of the steps of documents',
      help: 'What takes the time: template, merge, conversion, upload; and the wait for a conversion process.',
      unit: 's',
      queries: [[quantile(0.95, 'docgen_step_seconds', 'mode, step', ALL), '{{mode}} {{step}}']],
    }),
    lines({
      title: 'Conversions and templates per second',
      help: 'Conversions by how they ended, files of theirs that stayed behind, and templates that made room for others.',
      unit: 'ops',
      queries: [
        [rate('conversions_total', 'outcome', ALL), '{{outcome}}'],
        [rate('conversion_cleanup_failures_total', '', ALL), 'files left'],
        [rate('template_cache_evictions_total', '', ALL), 'templates evicted'],
      ],
    }),
    lines({
      title: 'P95 of calls to dependencies',
      help: 'The store, the issuer, and what jobs call. The ten slowest.',
      unit: 's',
      queries: [
        [
          `topk(10, ${quantile(0.95, 'dependency_duration_seconds', 'dependency, operation', REPLICA)})`,
          '{{dependency}} {{operation}}',
        ],
      ],
    }),
    lines({
      title: 'Calls to dependencies per second',
      help: 'By their outcome.',
      unit: 'ops',
      queries: [
        [
          rate('dependency_duration_seconds_count', 'dependency, outcome', REPLICA),
          '{{dependency}} {{outcome}}',
        ],
      ],
    }),
    lines({
      title: 'Template cache hit rate',
      help: 'Templates found in memory. Target 95 %.',
      unit: 'percentunit',
      max: 1,
      steps: LIMITS.templateHits,
      queries: [[templateHitRate(), 'found']],
    }),
    lines({
      title: 'P95 of requests by route',
      help: 'Of the API. The ten slowest routes.',
      unit: 's',
      queries: [
        [
          `topk(10, ${quantile(0.95, 'http_request_duration_seconds', 'method, route', REPLICA)})`,
          '{{method}} {{route}}',
        ],
      ],
    }),
    lines({
      title: 'Outcomes written together',
      help: 'The mean size of a settling batch. Larger ones mean more work per commit.',
      unit: 'short',
      queries: [
        [
          `${rate('settle_batch_size_sum', 'instance', REPLICA)} / ${rate('settle_batch_size_count', 'instance', REPLICA)}`,
          '{{instance}}',
        ],
      ],
    }),
  ],
});

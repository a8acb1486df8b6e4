// What Grafana (10 and 11) wants of a dashboard, so that the dashboards themselves are only titles and queries.

/** @typedef {{ color: string, value: number | null }} Step */
/** @typedef {[expr: string, legend: string]} Query */
/**
 * @typedef {object} PanelSource
 * @property {string} title
 * @property {string} help one sentence, shown when the mouse is on the title
 * @property {Query[]} queries
 * @property {string} unit as Grafana names it
 * @property {Step[]} [steps] colours by limits; the lines are drawn in the panel too
 * @property {number} [width] of 24
 * @property {number} [max]
 * @property {'normal' | 'none'} [stack]
 */
/** @typedef {(id: number) => Record<string, unknown>} Part a panel without its place */
/** @typedef {{ part: Part, width: number, height: number }} Placed */

const SOURCE = { type: 'prometheus', uid: '${datasource}' };
const GREEN = { color: 'green', value: null };

/** @param {PanelSource} source @returns {Placed} */
export function lines({ width = 12, ...source }) {
  return { part: timeseries(source), width, height: 8 };
}

/** One figure, coloured by its limits. @param {PanelSource} source @returns {Placed} */
export function figure({ width = 4, ...source }) {
  const { unit, steps = [GREEN], queries } = source;
  const part = (/** @type {number} */ id) => ({
    ...panel(id, 'stat', source),
    targets: targets(queries, { instant: true }),
    fieldConfig: fields({ unit, thresholds: { mode: 'absolute', steps } }),
    options: {
      colorMode: 'background',
      graphMode: 'none',
      reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
    },
  });
  return { part, width, height: 4 };
}

/** Shares of a whole over the range of the dashboard. @param {PanelSource} source @returns {Placed} */
export function shares({ width = 12, ...source }) {
  const part = (/** @type {number} */ id) => ({
    ...panel(id, 'piechart', source),
    targets: targets(source.queries, { instant: true }),
    fieldConfig: fields({ unit: source.unit }),
    options: {
      pieType: 'donut',
      reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
      legend: { displayMode: 'table', placement: 'right', showLegend: true, values: ['value'] },
    },
  });
  return { part, width, height: 8 };
}

/** How a histogram's buckets filled up over time. @param {PanelSource} source @returns {Placed} */
export function heatmap({ width = 12, ...source }) {
  const part = (/** @type {number} */ id) => ({
    ...panel(id, 'heatmap', source),
    targets: targets(source.queries, { format: 'heatmap' }),
    fieldConfig: { defaults: {}, overrides: [] },
    options: {
      calculate: false,
      cellGap: 1,
      color: { mode: 'scheme', scheme: 'Oranges', exponent: 0.5, steps: 64 },
      tooltip: { show: true, yHistogram: true },
      yAxis: { unit: source.unit },
    },
  });
  return { part, width, height: 8 };
}

/**
 * @param {{ name: string, title: string, description: string, panels: Placed[] }} source
 * @returns {Record<string, unknown>} the file's content
 */
export function dashboard({ name, title, description, panels }) {
  return {
    uid: `millrace-${name}`,
    title,
    description,
    tags: ['millrace'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    annotations: { list: [] },
    links: [
      {
        type: 'dashboards',
        title: 'Millrace',
        tags: ['millrace'],
        asDropdown: false,
        includeVars: true,
        keepTime: true,
      },
    ],
    templating: { list: VARIABLES },
    panels: inRows(panels),
  };
}

/** @param {string} name @param {string} label @param {string} query */
function variable(name, label, query) {
  return {
    name,
    label,
    type: 'query',
    datasource: SOURCE,
    query: { query, refId: name },
    definition: query,
    refresh: 2,
    sort: 1,
    includeAll: true,
    allValue: '.*',
    multi: true,
    current: { selected: true, text: ['All'], value: ['$__all'] },
  };
}

// process_memory_bytes is reported by every process, whatever its role.
const VARIABLES = [
  {
    name: 'datasource',
    label: 'Data source',
    type: 'datasource',
    query: 'prometheus',
    refresh: 1,
    current: {},
  },
  variable('job', 'Installation', 'label_values(process_memory_bytes, job)'),
  variable('kind', 'Kind', 'label_values(queue_depth{job=~"$job"}, kind)'),
  variable('instance', 'Replica', 'label_values(process_memory_bytes{job=~"$job"}, instance)'),
];

/** @param {PanelSource} source @returns {Part} */
function timeseries(source) {
  const { unit, steps, max, stack = 'none', queries } = source;
  return (id) => ({
    ...panel(id, 'timeseries', source),
    targets: targets(queries, {}),
    fieldConfig: fields({
      unit,
      min: 0,
      ...(max !== undefined && { max }),
      ...(steps && { thresholds: { mode: 'absolute', steps } }),
      custom: {
        drawStyle: 'line',
        lineWidth: 1,
        fillOpacity: stack === 'normal' ? 30 : 5,
        showPoints: 'never',
        spanNulls: false,
        stacking: { mode: stack, group: 'A' },
        thresholdsStyle: { mode: steps ? 'dashed' : 'off' },
      },
    }),
    options: {
      legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
  });
}

/** @param {number} id @param {string} type @param {Pick<PanelSource, 'title' | 'help'>} source */
function panel(id, type, { title, help }) {
  return { id, type, title, description: help, datasource: SOURCE };
}

/** @param {Query[]} queries @param {{ instant?: boolean, format?: string }} how */
function targets(queries, { instant = false, format = 'time_series' }) {
  return queries.map(([expr, legendFormat], index) => ({
    refId: String.fromCodePoint(65 + index),
    datasource: SOURCE,
    expr: expr.replaceAll(/\s+/g, ' ').trim(),
    legendFormat,
    format,
    ...(instant ? { instant: true, range: false } : { range: true }),
  }));
}

/** @param {Record<string, unknown>} defaults */
function fields(defaults) {
  return { defaults, overrides: [] };
}

/** From left to right, and on to the next row where one is full. @param {Placed[]} placed */
function inRows(placed) {
  let x = 0;
  let y = 0;
  let tallest = 0;
  return placed.map(({ part, width, height }, index) => {
    if (x + width > 24) {
      y += tallest;
      x = 0;
      tallest = 0;
    }
    const gridPos = { x, y, w: width, h: height };
    x += width;
    tallest = Math.max(tallest, height);
    return { ...part(index + 1), gridPos };
  });
}

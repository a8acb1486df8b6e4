// Every bench, as data: its module, its options with what they are without being named, and the size in which
// it is over in seconds (`--smoke`). A list of several is written with commas.

/** @typedef {string | number | boolean | null} Value null: nothing, unless it is named */
/** @typedef {{ options: Record<string, Value>, smoke: Record<string, Value> }} Bench */

/** @satisfies {Record<string, Bench>} the module of each is `NAME.mjs` and exports `main(settings)` */
export const benches = {
  queue: {
    options: { rounds: 3, jobs: 50_000, pickups: 300 },
    smoke: { rounds: 1, jobs: 300, pickups: 3 },
  },
  growth: {
    options: { rounds: 3, jobs: 50_000, rows: 1_000_000 },
    smoke: { rounds: 1, jobs: 300, rows: 1_000 },
  },
  bullmq: {
    options: { rounds: 5, jobs: 30_000, pickups: 300 },
    smoke: { rounds: 1, jobs: 300, pickups: 3 },
  },
  processes: {
    options: { rounds: 5, jobs: 100_000 },
    smoke: { rounds: 1, jobs: 1_000 },
  },
  embedded: {
    options: { jobs: 1_000_000, single: 100, relaxed: false, 'without-upkeep': false },
    smoke: { jobs: 2_000, single: 1 },
  },
  events: {
    options: { streams: 1_000, rate: 20, seconds: 30 },
    smoke: { streams: 20, rate: 20, seconds: 1 },
  },
  telemetry: {
    options: { rounds: 16, jobs: 25_000 },
    smoke: { rounds: 1, jobs: 500 },
  },
  merge: {
    options: { rounds: 5, rows: '10,1000', turn: 400, 'warm-up': 1_500, invoices: 43 },
    smoke: { rounds: 1, rows: '10,50', turn: 20, 'warm-up': 20, invoices: 1 },
  },
  convert: {
    options: { rounds: 3, batch: 80, singles: 20, documents: 400 },
    smoke: { rounds: 1, batch: 4, singles: 2, documents: 8 },
  },
  documents: {
    options: { requests: 200, rows: 1_000 },
    smoke: { requests: 3, rows: 4 },
  },
  batch: {
    options: { rows: 2_000, bare: 400, embedded: false },
    smoke: { rows: 6, bare: 6 },
  },
  salesforce: {
    options: { documents: 1_000, faulty: 300, latency: 80, replicas: 5 },
    smoke: { documents: 4, faulty: 6, latency: 10, replicas: 2 },
  },
  queries: {
    options: { runs: 10_000, slots: 50, scale: 3, latency: 300, stores: 'postgres,redis' },
    smoke: { runs: 20, slots: 5, scale: 600 },
  },
  reports: {
    options: {
      only: 'csv,peers,xlsx,checkpoint,servers',
      rows: 5_000_000,
      rounds: 2,
      servers: '1,2,4',
      small: 200,
      database: null,
    },
    smoke: { rows: 20_000, rounds: 1, servers: '1,4', small: 8 },
  },
  console: {
    options: { rows: 1_000_000, rounds: 5, rate: 500, seconds: 20, previews: 40, tables: 3_000 },
    smoke: { rows: 3_000, rounds: 1, rate: 50, seconds: 1, previews: 1, tables: 300 },
  },
};

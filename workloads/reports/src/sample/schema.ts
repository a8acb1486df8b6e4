/**
 * The timesheets of home care in California: who worked how long for whom, and what was paid for it. Indexes and keys come after
 * the rows, which makes a million of them twice as fast.
 */
export const SAMPLE_TABLES = `
DROP TABLE IF EXISTS sample_made, payments, timesheets, recipients, providers, counties;

CREATE TABLE counties (
  id int PRIMARY KEY,
  name text NOT NULL UNIQUE,
  region text NOT NULL
);

CREATE TABLE providers (
  id int NOT NULL,
  county_id int NOT NULL REFERENCES counties,
  name text NOT NULL,
  email text NOT NULL,
  phone text,
  status text NOT NULL CHECK (status IN ('active', 'on leave', 'ended')),
  hired_on date NOT NULL,
  hourly_rate numeric(6,2) NOT NULL,
  note text
);

CREATE TABLE recipients (
  id int NOT NULL,
  county_id int NOT NULL REFERENCES counties,
  case_number text NOT NULL,
  name text NOT NULL,
  born_on date NOT NULL,
  language text NOT NULL,
  authorized_hours numeric(6,2) NOT NULL
);

CREATE TABLE timesheets (
  id bigint NOT NULL,
  county_id int NOT NULL,
  provider_id int NOT NULL,
  recipient_id int NOT NULL,
  work_date date NOT NULL,
  hours numeric(5,2) NOT NULL,
  status text NOT NULL,
  entered_by text NOT NULL,
  submitted_at timestamptz,
  approved_at timestamptz,
  comment text
);

CREATE TABLE payments (
  id bigint NOT NULL,
  county_id int NOT NULL,
  provider_id int NOT NULL,
  period_start date NOT NULL,
  period_end date NOT NULL,
  paid_on date NOT NULL,
  timesheets int NOT NULL,
  hours numeric(8,2) NOT NULL,
  gross numeric(10,2) NOT NULL,
  deductions numeric(10,2) NOT NULL,
  net numeric(10,2) NOT NULL,
  method text NOT NULL,
  reference text NOT NULL
);`;

/**
 * Each a step of its own. Reports run along the last column lists: county, provider, date, id. The large tables have no foreign
 * keys: each would look up a row for every row that is put in.
 */
export const SAMPLE_INDEXES: readonly string[] = [
  `ALTER TABLE providers ADD PRIMARY KEY (id);
   ALTER TABLE recipients ADD PRIMARY KEY (id);
   CREATE INDEX providers_by_county ON providers (county_id, id);
   CREATE INDEX recipients_by_county ON recipients (county_id, id);`,
  'ALTER TABLE timesheets ADD PRIMARY KEY (id);',
  'CREATE UNIQUE INDEX timesheets_by_county ON timesheets (county_id, provider_id, work_date, id);',
  'CREATE INDEX timesheets_by_date ON timesheets (work_date);',
];

export const PAYMENT_INDEXES: readonly string[] = [
  `ALTER TABLE payments ADD PRIMARY KEY (id);
   CREATE UNIQUE INDEX payments_by_county ON payments (county_id, provider_id, paid_on, id);`,
];

/** The embedded database has no process that gathers them, and plans would be made for empty tables. */
export const SAMPLE_STATISTICS = 'ANALYZE counties, providers, recipients, timesheets, payments';

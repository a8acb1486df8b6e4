import { EMPTY, JOURNEYS } from './more-views.ts';
import { DATA_VIEWS } from './views.ts';

interface SampleSpec {
  readonly mids: readonly string[];
  /** Server time: `2026-05-20 04:00:00.789`. */
  readonly now: string;
  readonly seed: number;
  /** 1 is 20,000 subscribers and 60 jobs: about 300,000 rows. */
  readonly size: number;
}

const SUBSCRIBERS = 20_000;
const JOBS = 60;

/** Where the rows of all business units are. */
export const DATA = 'data';

/** A number from 0 to 999 that the same arguments repeat. */
const chance = (...parts: readonly (string | number)[]): string =>
  `CAST(hash(${parts.join(', ')}) % 1000 AS INTEGER)`;

/** The rows of the data views, by DuckDB's own SQL: 300,000 take half a second. They cover the six months that are kept. */
export function generateViews({ mids, now, seed, size }: SampleSpec): string[] {
  const subscribers = Math.max(1, Math.round(SUBSCRIBERS * size));
  const moment = `TIMESTAMP '${now}'`;
  const list = `[${mids.join(', ')}]`;
  const later = (days: number, ...parts: readonly (string | number)[]): string =>
    `least(${moment}, EventDate + to_minutes(CAST(${chance(...parts, seed)} * ${(days * 1440) / 1000} AS BIGINT)))`;
  const some = (source: string, thousandths: number, mark: string): string =>
    `SELECT * REPLACE (${later(5, 'JobID', 'SubscriberID', `'${mark}'`)} AS EventDate) FROM ${DATA}.${source}
     WHERE ${chance('JobID', 'SubscriberID', `'${mark}'`, seed, 1)} < ${thousandths}`;

  /** Every fifth send is an e-mail of a journey. */
  const ofJourney = 'j % 5 = 4';

  return [
    `CREATE SCHEMA ${DATA}`,
    table(
      '_Subscribers',
      {
        SubscriberID: 'i',
        DateJoined: `${moment} - to_hours(CAST(${chance('i', seed)} * 24 + i % 24 AS BIGINT))`,
        DateUndeliverable: `CASE WHEN ${chance('i', seed, 2)} < 20 THEN ${moment} - to_days(CAST(i % 90 AS INTEGER)) END`,
        DateUnsubscribed: `CASE WHEN ${chance('i', seed, 3)} < 50 THEN ${moment} - to_days(CAST(i % 90 AS INTEGER)) END`,
        Domain: "(['example.com', 'example.org', 'mail.example.net'])[1 + i % 3]",
        EmailAddress:
          "'person' || i || '@' || (['example.com', 'example.org', 'mail.example.net'])[1 + i % 3]",
        BounceCount: `CASE WHEN ${chance('i', seed, 2)} < 20 THEN 3 ELSE 0 END`,
        SubscriberKey: "'sub-' || lpad(CAST(i AS VARCHAR), 6, '0')",
        SubscriberType: "'Subscriber'",
        Status: `CASE WHEN ${chance('i', seed, 3)} < 50 THEN 'unsubscribed' WHEN ${chance('i', seed, 2)} < 20 THEN 'held' ELSE 'active' END`,
        Locale: "(['de-DE', 'en-US', 'fr-FR'])[1 + i % 3]",
      },
      `range(1, ${subscribers + 1}) AS r(i)`,
      `CAST(${list}[1 + i % ${mids.length}] AS INTEGER) AS unit`,
    ),
    table(
      '_Job',
      {
        JobID: '5000 + j',
        EmailID: '900 + j % 12',
        AccountID: `${list}[1 + j % ${mids.length}]`,
        FromName: "'The Mill'",
        FromEmail: "'news@example.com'",
        SchedTime: `${moment} - to_hours(CAST((${JOBS} - j) * ${(180 * 24) / JOBS} AS BIGINT))`,
        PickupTime: `${moment} - to_hours(CAST((${JOBS} - j) * ${(180 * 24) / JOBS} AS BIGINT))`,
        DeliveredTime: `${moment} - to_hours(CAST((${JOBS} - j) * ${(180 * 24) / JOBS} AS BIGINT)) + to_minutes(20)`,
        IsMultipart: 'true',
        JobStatus: "'Complete'",
        EmailName: "'Newsletter ' || (1 + j % 12)",
        EmailSubject: "'What is new, number ' || (j + 1)",
        Category: "'Newsletters'",
        CharacterSet: "'UTF-8'",
        SendType: "'Marketing Cloud'",
        SendClassificationType: "'Default Commercial'",
        DeduplicateByEmail: 'true',
        TriggererSendDefinitionObjectID: `CASE WHEN ${ofJourney} THEN ${guid('activity', `${list}[1 + j % ${mids.length}]`, 'j % 3')} END`,
        TriggeredSendCustomerKey: `CASE WHEN ${ofJourney} THEN 'journey-email-' || (j % 3) END`,
      },
      `range(0, ${JOBS}) AS r(j)`,
    ),
    ...journeys(mids, moment),
    ...Object.keys(EMPTY).map((view) => table(view, {}, 'range(0)')),
    table(
      '_Sent',
      {
        AccountID: 'job.AccountID',
        JobID: 'job.JobID',
        ListID: '7',
        BatchID: '1',
        SubscriberID: 'subscriber.SubscriberID',
        SubscriberKey: 'subscriber.SubscriberKey',
        EventDate: `job.PickupTime + to_seconds(CAST(${chance('job.JobID', 'subscriber.SubscriberID', seed)} AS BIGINT))`,
        Domain: 'subscriber.Domain',
        TriggererSendDefinitionObjectID: 'job.TriggererSendDefinitionObjectID',
        TriggeredSendCustomerKey: 'job.TriggeredSendCustomerKey',
      },
      `${DATA}._Job AS job CROSS JOIN ${DATA}._Subscribers AS subscriber
       WHERE ${chance('job.JobID', 'subscriber.SubscriberID', seed, 1)} < 160`,
    ),
    event('_Open', `${some('_Sent', 320, 'open')} UNION ALL ${some('_Sent', 60, 'again')}`),
    event('_Click', some('_Open', 180, 'click'), {
      URL: `'https://www.example.com/offers/' || (JobID % 12)`,
      LinkName: `'Offer ' || (JobID % 12)`,
      LinkContent: `'https://www.example.com/offers/' || (JobID % 12)`,
    }),
    event('_Bounce', some('_Sent', 15, 'bounce'), {
      BounceCategoryID: 'CASE WHEN SubscriberID % 3 = 0 THEN 2 ELSE 1 END',
      BounceCategory: "CASE WHEN SubscriberID % 3 = 0 THEN 'Soft bounce' ELSE 'Hard bounce' END",
      BounceSubcategory:
        "CASE WHEN SubscriberID % 3 = 0 THEN 'Mailbox Full' ELSE 'User Unknown' END",
      BounceType: "'immediate'",
      SMTPCode: 'CASE WHEN SubscriberID % 3 = 0 THEN 452 ELSE 550 END',
      IsFalseBounce: 'false',
    }),
    event('_Unsubscribe', some('_Open', 6, 'unsubscribe')),
    event('_Complaint', some('_Open', 1, 'complaint')),
    table(
      '_ListSubscribers',
      {
        AddMethod: "'API'",
        CreatedDate: 'DateJoined',
        DateUnsubscribed: 'DateUnsubscribed',
        EmailAddress: 'EmailAddress',
        ListID: '7',
        ListName: "'All Subscribers'",
        ListType: "'Master'",
        Status: 'Status',
        SubscriberID: 'SubscriberID',
        SubscriberKey: 'SubscriberKey',
        SubscriberType: 'SubscriberType',
      },
      `${DATA}._Subscribers`,
      'unit',
    ),
    ...mids.flatMap((mid, place) => unitViews(mid, place === 0)),
  ];
}

type Expressions = Readonly<Record<string, string>>;

/** With every column that the view has; those that nothing is said about are empty. */
function table(view: string, given: Expressions, source: string, more = ''): string {
  const columns = Object.entries(DATA_VIEWS[view] ?? {}).map(
    ([name, type]) => `CAST(${given[name] ?? 'NULL'} AS ${type}) AS ${name}`,
  );
  return `CREATE TABLE ${DATA}.${view} AS SELECT ${[...columns, ...(more === '' ? [] : [more])].join(', ')} FROM ${source}`;
}

const OF_EVENTS = [
  'AccountID',
  'JobID',
  'ListID',
  'BatchID',
  'SubscriberID',
  'SubscriberKey',
  'EventDate',
  'Domain',
  'TriggererSendDefinitionObjectID',
  'TriggeredSendCustomerKey',
];

/** Marks the first event of one person and one send as unique. */
const IS_FIRST = 'row_number() OVER (PARTITION BY JobID, SubscriberID ORDER BY EventDate) = 1';

function event(view: string, source: string, more: Expressions = {}): string {
  const same = Object.fromEntries(OF_EVENTS.map((name) => [name, name]));
  return table(view, { ...same, IsUnique: IS_FIRST, ...more }, `(${source}) AS source`);
}

/** An id that the same arguments repeat. */
const guid = (what: string, ...parts: readonly string[]): string =>
  `CAST(CAST(md5('${what}' || ${parts.map((part) => `'-' || (${part})`).join(' || ')}) AS UUID) AS VARCHAR)`;

/** One that runs, with three e-mails and a wait, and a draft. */
function journeys(mids: readonly string[], moment: string): string[] {
  const units = `(SELECT unnest([${mids.join(', ')}]) AS unit) AS units`;
  const started = `${moment} - to_days(170)`;
  return [
    table(
      '_Journey',
      {
        VersionID: guid('version', 'unit', 'v'),
        JourneyID: guid('journey', 'unit', 'v'),
        JourneyName: "(['Welcome', 'Birthday'])[1 + v]",
        VersionNumber: '1',
        CreatedDate: started,
        LastPublishedDate: started,
        ModifiedDate: started,
        JourneyStatus: "(['Running', 'Draft'])[1 + v]",
      },
      `${units} CROSS JOIN range(0, 2) AS r(v)`,
      'unit',
    ),
    table(
      '_JourneyActivity',
      {
        VersionID: guid('version', 'unit', '0'),
        ActivityID: guid('canvas', 'unit', 'a'),
        ActivityName: "(['Email 1', 'Email 2', 'Email 3', 'Wait 2 days'])[1 + a]",
        ActivityExternalKey: "(['EMAILV2-1', 'EMAILV2-2', 'EMAILV2-3', 'WAITBYDURATION-1'])[1 + a]",
        JourneyActivityObjectID: `CASE WHEN a < 3 THEN ${guid('activity', 'unit', 'a')} END`,
        ActivityType: "CASE WHEN a < 3 THEN 'EMAILV2' ELSE 'WAIT' END",
      },
      `${units} CROSS JOIN range(0, 4) AS r(a)`,
      'unit',
    ),
  ];
}

/** Each business unit sees its own sends; of subscribers, the enterprise sees all. */
function unitViews(mid: string, isEnterprise: boolean): string[] {
  const schema = schemaOf(mid);
  const views = Object.entries(DATA_VIEWS).map(([view, columns]) => {
    const ofSubscribers = view === '_Subscribers' || view === '_ListSubscribers';
    const hasUnit = ofSubscribers || Object.hasOwn(JOURNEYS, view);
    const own = hasUnit ? `unit = ${mid}` : `AccountID = ${mid}`;
    const isWhole = Object.hasOwn(EMPTY, view) || (ofSubscribers && isEnterprise);
    const where = isWhole ? 'true' : own;
    return `CREATE VIEW ${schema}.${view} AS SELECT ${Object.keys(columns).join(', ')} FROM ${DATA}.${view} WHERE ${where}`;
  });
  return [`CREATE SCHEMA ${schema}`, ...views];
}

/** Where the views and the data extensions of a business unit are. */
export function schemaOf(mid: string): string {
  return `unit_${mid}`;
}

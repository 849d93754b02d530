/**
 * What nothing declares and only a deployment can tell: until then these are estimates, each on the dear side. The
 * dashboards show the true figures; put them here.
 */

/** Billed milliseconds of a warm execution: the calls that it waits for, some 5 ms each, and its own work. */
export const MILLISECONDS: Record<string, number> = {
  'funnel/submit': 20,
  'funnel/ingest-analytics': 25,
  'funnel/mfa-send': 180,
  'funnel/mfa-check': 30,
  'funnel/ai-stream': 5_000,
  'funnel/upload': 250,
  'analytics/overview': 120,
  'analytics/timeseries': 120,
  'analytics/acquisition': 180,
  'training/create-case': 25,
  'training/open-session': 800,
  'training/read-call': 35,
  'training/voice-webhook': 90,
  'landing-pages/copy': 1_500,
  'domains/delete': 70,
  'background/aggregate-events': 40,
  'background/analyse-call': 3_000,
  'background/remove-domain': 2_000,
  'background/compact-facts': 60,
  'background/compact-base': 60,
  'background/sweep-facts': 200,
  'background/erase-late': 100,
  'background/sweep-uploads': 60,
  'background/sweep-calls': 60,
  'background/sweep-copies': 60,
  'background/sweep-domains': 60,
  'background/enforce-retention': 1_000,
};

/** Executions that begin cold, and how long their start takes: it is billed too. */
export const COLD = { share: 0.01, milliseconds: 400 };

/** Bytes of an answer with its headers. */
export const ANSWER_BYTES: Record<string, number> = {
  'analytics/overview': 2_000,
  'analytics/timeseries': 6_000,
  'analytics/acquisition': 14_000,
  'funnel/ai-stream': 2_500,
  'training/open-session': 8_000,
};
export const ANSWER_BYTES_ELSE = 1_200;

/** What an execution writes: Lambda's own lines, and at times a metric of ours. */
export const LOG_BYTES = 700;
export const ACCESS_LOG_BYTES = 350;

/** Of all hours, those in which one of our metrics is counted, which are what it is paid for: most are of what seldom happens. */
export const COUNTED_HOURS = 0.4;

/** The busiest second and the busiest day against the month's average. */
export const PEAK = 4;
export const BUSIEST_DAY = 2;
/** Of all traffic, what the busiest funnel has. */
export const BUSIEST_FUNNEL = 0.2;

/** Of a minor compaction of one funnel, most of which is waiting for S3 and DynamoDB: others are compacted meanwhile. */
export const MINOR_MS = 150;
/** What none can do meanwhile; measured 6 to 10 ms of a processor for a few facts. */
export const MINOR_CPU_MS = 20;
/** Of a major one, besides what its sessions take. */
export const MAJOR_MS = 800;
/** Never measured apart: 6 s a million. */
export const MAJOR_MS_PER_SESSION = 0.006;

/** In files: a raw event as Parquet, a session's fact (architecture, section 5: 15 MB a million), a file's entry in the manifest. */
export const RAW_EVENT_BYTES = 90;
export const FACT_BYTES = 15;
export const LISTED_FILE_BYTES = 300;
/** Of a fresh item: keys and index attributes, and each fact in it. */
export const FRESH_ITEM_BYTES = 300;
export const FRESH_FACT_BYTES = 25;

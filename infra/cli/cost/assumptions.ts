/**
 * Values that no declaration has and only a deployment can measure. Until then they are estimates, on the expensive side.
 * Replace them with the figures of the dashboards.
 */

/** Billed milliseconds of a warm execution: its AWS calls, about 5 ms each, and its own work. */
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

/** Share of cold starts, and their billed duration. */
export const COLD = { share: 0.01, milliseconds: 400 };

/** Bytes of a response with its headers. */
export const RESPONSE_BYTES: Record<string, number> = {
  'analytics/overview': 2_000,
  'analytics/timeseries': 6_000,
  'analytics/acquisition': 14_000,
  'funnel/ai-stream': 2_500,
  'training/open-session': 8_000,
};
export const DEFAULT_RESPONSE_BYTES = 1_200;

/** Log bytes of an execution: Lambda's lines, and sometimes a metric. */
export const LOG_BYTES = 700;
export const ACCESS_LOG_BYTES = 350;

/** Share of hours in which a custom metric has a value: only these are billed, and most metrics are rare events. */
export const COUNTED_HOURS = 0.4;

/** The busiest second and the busiest day, relative to the average of the month. */
export const PEAK = 4;
export const BUSIEST_DAY = 2;
/** Share of the traffic of the busiest funnel. */
export const BUSIEST_FUNNEL = 0.2;

/** Duration of a minor compaction of one funnel. Most of it waits for S3 and DynamoDB, while others run. */
export const MINOR_MS = 150;
/** Its CPU time, which can't overlap; measured 6 to 10 ms for a few facts. */
export const MINOR_CPU_MS = 20;
/** Duration of a major compaction, plus `MAJOR_MS_PER_SESSION`. */
export const MAJOR_MS = 800;
/** Not measured separately: 6 s per million. */
export const MAJOR_MS_PER_SESSION = 0.006;

/** In files: a raw event as Parquet, a session's fact (architecture, section 5: 15 MB a million), a file's entry in the manifest. */
export const RAW_EVENT_BYTES = 90;
export const FACT_BYTES = 15;
export const LISTED_FILE_BYTES = 300;
/** Of a fresh item: keys and index attributes, and each fact in it. */
export const FRESH_ITEM_BYTES = 300;
export const FRESH_FACT_BYTES = 25;

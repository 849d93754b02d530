/**
 * Values that the code does not declare and that only a deployment can measure. They are estimates, chosen too high
 * rather than too low. Replace them with the figures of the dashboards.
 */

/** Billed milliseconds of a warm execution, including its AWS calls (about 5 ms each). */
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
  'webhooks/create-endpoint': 30,
  'webhooks/list-endpoints': 25,
  'webhooks/read-endpoint': 25,
  'webhooks/update-endpoint': 25,
  'webhooks/delete-endpoint': 25,
  'webhooks/rotate-secret': 30,
  'webhooks/test-endpoint': 500,
  'notifications/create-address': 45,
  'notifications/list-addresses': 25,
  'notifications/update-address': 30,
  'notifications/delete-address': 30,
  'notifications/show-link': 15,
  'notifications/follow-link': 20,
  'webhooks/list-deliveries': 30,
  'webhooks/redeliver': 35,
  'webhooks/redeliver-since': 30,
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
  'background/dispatch-messages': 100,
  'background/run-dispatcher': 62_000,
  'background/send-notifications': 60,
};

/** The share of executions that begin with a cold start, and the additional billed milliseconds of a cold start. */
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

/** Bytes of a download of the page client with its headers. The cost model counts one download per session. */
export const PAGE_CLIENT_BYTES = 6_000;

/** Average log bytes of an execution, including metrics and the lines that Lambda writes. */
export const LOG_BYTES = 700;
export const ACCESS_LOG_BYTES = 350;

/**
 * Share of hours in which a custom metric has a value. Only these hours are billed. The share is low, because most
 * metrics count rare events.
 */
export const COUNTED_HOURS = 0.4;

/** Average number of attempts to deliver a message to a webhook endpoint. */
export const ATTEMPTS_PER_MESSAGE = 1.1;
/**
 * Billed milliseconds of an attempt: the wait for the endpoint's response, and the AWS calls. The real value is lower
 * if attempts overlap, because overlapping time is billed only once.
 */
export const ATTEMPT_MS = 400;
/** Duration by which a mail about a lead prolongs a run of send-notifications. */
export const NOTIFICATION_MAIL_MS = 300;
/**
 * Webhook messages that a run of the dispatcher sends per second. Lower than measured (195, with `npm start` on a
 * laptop), so that the estimated cost is too high rather than too low.
 */
export const MESSAGES_PER_SECOND = 60;
/** Bytes of an attempt without its message: DNS, TLS and headers. */
export const ATTEMPT_BYTES = 3_000;
/** Stored (compressed) size of a message, as a multiple of the size of its lead. */
export const STORED_MESSAGE_SHARE = 0.5;

/** Load of the busiest second, as a multiple of the average second of the month. */
export const PEAK = 4;
/** Load of the busiest day, as a multiple of the average day of the month. */
export const BUSIEST_DAY = 2;
/** The busiest funnel's share of the traffic. */
export const BUSIEST_FUNNEL = 0.2;

/**
 * Duration of a minor compaction of one funnel. Most of this time is spent waiting for S3 and DynamoDB, while other
 * funnels are compacted.
 */
export const MINOR_MS = 150;
/**
 * CPU time of a minor compaction of one funnel. The CPU times of concurrent compactions add up. Measured: 6 to 10 ms
 * for a few facts.
 */
export const MINOR_CPU_MS = 20;
/** Duration of a major compaction, without the time that depends on the number of sessions. */
export const MAJOR_MS = 800;
/** Additional duration of a major compaction per session (6 s per million sessions). */
export const MAJOR_MS_PER_SESSION = 0.006;

/** Bytes of a raw event in a Parquet file. */
export const RAW_EVENT_BYTES = 90;
/** Bytes of a fact in a fact file. */
export const FACT_BYTES = 15;
/** Bytes of a file's entry in the manifest. */
export const LISTED_FILE_BYTES = 300;
/** Bytes of a fresh item without its facts: the keys and the attributes of the index. */
export const FRESH_ITEM_BYTES = 300;
/** Bytes of a fact in a fresh item. */
export const FRESH_FACT_BYTES = 25;

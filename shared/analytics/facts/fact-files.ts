/** An immutable file of facts, as the manifest lists it. */
export type FactFile = {
  /** `<funnel id>/<ULID>`. Names are never reused, so that results derived from a file stay valid. */
  name: string;
  /** Number of facts: one per session. */
  factCount: number;
  /** Smallest `Fact.firstTimeMs` in the file. */
  minTimeMs: number;
  /** Largest `Fact.firstTimeMs` in the file. */
  maxTimeMs: number;
  minKey: bigint;
  maxKey: bigint;
  bytes: number;
  /** SHA-256 of the file in base64, so that a damaged copy causes an error instead of a wrong count. */
  sha256: string;
  /**
   * When this file was committed, the listed files of the funnel contained every fact that was stored before this time.
   * Later facts may still be in DynamoDB. Milliseconds since the epoch by the compaction's clock, 0 when unknown. Also
   * the column `complete_until_ms` of the file, from which the view `sessions` computes `complete_until` for analysts.
   * Reads of the API do not use it.
   */
  completeUntilMs: number;
};

export const PARQUET_TYPE = 'application/vnd.apache.parquet';

/** Key prefix of fact files; grants are limited to it. */
export const FACTS_PREFIX = 'facts/';

/** The object key of a fact file. SQL engines read the funnel id from the name of the folder. */
export const factObjectKey = ({ name }: Pick<FactFile, 'name'>): string => `${FACTS_PREFIX}funnel_id=${name}.parquet`;

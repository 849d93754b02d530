import { operations } from '../../functions/declarations.ts';
import type { ServiceOperation } from '../../functions/declare-operation.ts';
import { ingestAnalyticsOperation } from '../../functions/funnel/ingest-analytics/operation.ts';
import type { Settings } from './settings.ts';

/** Only the last segment can be chosen, because the firewall matches requests by the fixed segments of their path. */
const INGEST_PATH = /^\/api\/v2\/public\/funnel\/\{id\}\/[a-z0-9-]{1,64}$/;

type IngestPath = NonNullable<ServiceOperation['alternativePath']>;

/**
 * Reads `ingestPath`, the alternative path of ingest, from CDK context. Returns undefined if it is not set. Then the
 * declared alternative path applies.
 *
 * @throws Error with a message for the operator
 */
export function parseIngestPath(context: Settings): IngestPath | undefined {
  const path = context('ingestPath');
  if (path === undefined) return undefined;
  if (!isIngestPath(path))
    throw new Error(
      'ingestPath: must be a path such as /api/v2/public/funnel/{id}/e, ' +
        'with lowercase letters, digits and hyphens after {id}/.',
    );
  const other = operations.find((operation) => `${operation.path}/`.startsWith(`${path}/`));
  if (other !== undefined)
    throw new Error(`ingestPath: ${path} is in use for ${other.id}. Choose another text after {id}/.`);
  return path;
}

const isIngestPath = (path: unknown): path is IngestPath => typeof path === 'string' && INGEST_PATH.test(path);

/** Replaces the alternative path of ingest with the stage's path, if the stage has one. */
export const withIngestPath = (
  declared: readonly ServiceOperation[],
  ingestPath: IngestPath | undefined,
): readonly ServiceOperation[] =>
  declared.map((operation) =>
    operation.id === ingestAnalyticsOperation.id && ingestPath !== undefined
      ? { ...operation, alternativePath: ingestPath }
      : operation,
  );

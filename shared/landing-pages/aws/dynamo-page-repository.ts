import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { readItem } from '../../platform/aws/table-reader.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import { BLOCKS_MAX, PageAsset, PageBlock, TEXT_BYTES_MAX, UNCOPIED_ASSETS_MAX } from '../landing-page.ts';
import type { PageRepository } from '../ports.ts';
import { pageKey } from './keys.ts';
import { parsePageItem } from './page-item.ts';

type Item = Record<string, unknown>;

const NamedItems = z.array(z.object({ sk: z.string(), hostname: z.optional(z.string()) }));
/** Sort key prefixes of an organization's items to which a copy for another organization must not refer. */
const REFERENCE_PREFIXES = ['block#', 'domain#', 'funnel#', 'removed-domain#'] as const;

export function createDynamoPageRepository(): PageRepository {
  return {
    find: async (orgId, pageId) => parsePageItem(await readItem(pageKey(orgId, pageId), true)),
    getParts: async (pageId) => {
      const items: Item[] = [];
      for await (const found of queryItems(`page#${pageId}`, ['asset#', 'block$'])) {
        items.push(...found);
        if (exceedsLimits(items)) break;
      }
      const withPrefix = (prefix: string) => items.filter(({ sk }) => String(sk).startsWith(prefix));
      return {
        blocks: z.array(PageBlock).parse(withPrefix('block#')),
        assets: z.array(PageAsset).parse(withPrefix('asset#')),
      };
    },
    listOrganizationReferences: async (orgId, targetOrgId) => {
      const byPrefix = await Promise.all(REFERENCE_PREFIXES.map((prefix) => listNamed(orgId, prefix)));
      const all = byPrefix.flat();
      const hostnames = all.flatMap(({ hostname }) => hostname ?? []);
      const removedDomains = byPrefix[REFERENCE_PREFIXES.indexOf('removed-domain#')] ?? [];
      const targetDomains = removedDomains.length > 0 ? await listNamed(targetOrgId, 'domain#') : [];
      const targetHostnames = new Set(targetDomains.map(({ hostname }) => hostname));
      return {
        ids: all.map(({ id }) => id),
        hostnames: hostnames.filter((hostname) => !targetHostnames.has(hostname)),
      };
    },
  };
}

async function listNamed(orgId: string, prefix: string) {
  const found: { id: string; hostname: string | undefined }[] = [];
  const bounds = [prefix, prefix.replace('#', '$')] as const;
  for await (const items of queryItems(`org#${orgId}`, bounds, { ProjectionExpression: 'sk, hostname' })) {
    for (const { sk, hostname } of NamedItems.parse(items)) found.push({ id: sk.slice(prefix.length), hostname });
  }
  return found;
}

/** Whether the items that were read so far already exceed the limits of a copy. */
function exceedsLimits(items: readonly Item[]): boolean {
  if (items.length > UNCOPIED_ASSETS_MAX + BLOCKS_MAX) return true;
  return items.reduce((sum, { body }) => sum + (typeof body === 'string' ? body.length : 0), 0) > TEXT_BYTES_MAX;
}

/**
 * Queries items, strongly consistent, and yields the items of one response at a time.
 *
 * @param bounds of the sort key, inclusive
 */
async function* queryItems(
  pk: string,
  bounds: readonly [string, string],
  options: Partial<QueryCommandInput> = {},
): AsyncGenerator<Item[]> {
  let startKey: Item | undefined;
  do {
    const query = new QueryCommand({
      TableName: requireSetting('directoryTable'),
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: { ':pk': pk, ':from': bounds[0], ':to': bounds[1] },
      ...(startKey !== undefined && { ExclusiveStartKey: startKey }),
      ...options,
    });
    const response = await rethrowAsUnavailable('Landing pages cannot be read. Try again shortly.', () =>
      dynamoDocumentClient().send(query),
    );
    yield response.Items ?? [];
    startKey = response.LastEvaluatedKey;
  } while (startKey !== undefined);
}

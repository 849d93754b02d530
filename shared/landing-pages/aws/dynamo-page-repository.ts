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

const Named = z.object({ sk: z.string(), hostname: z.optional(z.string()) });
/** What a page of one organization can refer to that must not be reached from another one's. */
const REFERRED = ['block#', 'domain#', 'funnel#', 'removed-domain#'] as const;

/** Pages in the directory table. @throws Problem 503 while it is not available */
export function createDynamoPageRepository(): PageRepository {
  return {
    find: async (orgId, pageId) => parsePageItem(await readItem(pageKey(orgId, pageId), true)),
    getParts: async (pageId) => {
      const items: Item[] = [];
      for await (const page of queried(`page#${pageId}`, ['asset#', 'block$'])) {
        items.push(...page);
        if (isTooMuch(items)) break;
      }
      const are = (prefix: string) => items.filter(({ sk }) => String(sk).startsWith(prefix));
      return { blocks: z.array(PageBlock).parse(are('block#')), assets: z.array(PageAsset).parse(are('asset#')) };
    },
    listOrganizationReferences: async (orgId, targetOrgId) => {
      const all = await Promise.all(REFERRED.map((prefix) => named(orgId, prefix)));
      const found = all.flat();
      const hostnames = found.flatMap(({ hostname }) => hostname ?? []);
      const removedDomains = all[REFERRED.indexOf('removed-domain#')] ?? [];
      const targetDomains = removedDomains.length > 0 ? await named(targetOrgId, 'domain#') : [];
      const ofTarget = new Set(targetDomains.map(({ hostname }) => hostname));
      return { ids: found.map(({ id }) => id), hostnames: hostnames.filter((hostname) => !ofTarget.has(hostname)) };
    },
  };
}

async function named(orgId: string, prefix: string) {
  const found: { id: string; hostname: string | undefined }[] = [];
  const bounds = [prefix, prefix.replace('#', '$')] as const;
  for await (const items of queried(`org#${orgId}`, bounds, { ProjectionExpression: 'sk, hostname' })) {
    for (const { sk, hostname } of z.array(Named).parse(items)) found.push({ id: sk.slice(prefix.length), hostname });
  }
  return found;
}

/** Enough to tell that it is more than a page may have. */
function isTooMuch(items: readonly Item[]): boolean {
  if (items.length > UNCOPIED_ASSETS_MAX + BLOCKS_MAX) return true;
  return items.reduce((sum, { body }) => sum + (typeof body === 'string' ? body.length : 0), 0) > TEXT_BYTES_MAX;
}

/** Strongly consistent, a page of up to a megabyte after the other. @param bounds of the sort key */
async function* queried(
  pk: string,
  bounds: readonly [string, string],
  more: Partial<QueryCommandInput> = {},
): AsyncGenerator<Item[]> {
  let from: Item | undefined;
  do {
    const query = new QueryCommand({
      TableName: requireSetting('directoryTable'),
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: { ':pk': pk, ':from': bounds[0], ':to': bounds[1] },
      ...(from !== undefined && { ExclusiveStartKey: from }),
      ...more,
    });
    const answer = await rethrowAsUnavailable('Landing pages cannot be read. Try again shortly.', () =>
      dynamoDocumentClient().send(query),
    );
    yield answer.Items ?? [];
    from = answer.LastEvaluatedKey;
  } while (from !== undefined);
}

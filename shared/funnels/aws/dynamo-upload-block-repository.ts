import * as key from '../../platform/aws/directory-keys.ts';
import { REFERENCE_CACHE_ENTRIES_MAX, REFERENCE_CACHE_TTL_MS, readItem } from '../../platform/aws/table-reader.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { createTtlCache } from '../../platform/ttl-cache.ts';
import { UploadBlock, type UploadBlockRepository } from '../upload-block.ts';

/** Upload blocks in the directory table; blocks of other kinds are not found. @throws Problem 503 while it is not available */
export function createDynamoUploadBlockRepository(clock: Clock = systemClock): UploadBlockRepository {
  const blocks = createTtlCache<UploadBlock>({
    clock,
    ttlMs: REFERENCE_CACHE_TTL_MS,
    entriesMax: REFERENCE_CACHE_ENTRIES_MAX,
  });
  return {
    find: (orgId, blockId) =>
      blocks(`${orgId}/${blockId}`, async () => {
        const record = await readItem(key.block(orgId, blockId));
        return record?.kind === 'upload' ? UploadBlock.parse(record) : undefined;
      }),
  };
}

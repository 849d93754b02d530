import { createReferenceCache, readItem } from '../../platform/aws/table-reader.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { UploadBlockRepository } from '../ports.ts';
import { UploadBlock } from '../upload-block.ts';
import { uploadBlockKey } from './keys.ts';

/**
 * Finds only upload blocks, not blocks of other kinds. `find` throws an UnavailableError if the block is not cached and
 * the table is unavailable.
 */
export function createDynamoUploadBlockRepository(clock: Clock = systemClock): UploadBlockRepository {
  const blocks = createReferenceCache<UploadBlock>(clock);
  return {
    find: (orgId, blockId) =>
      blocks(`${orgId}/${blockId}`, async () => {
        const item = await readItem(uploadBlockKey(orgId, blockId));
        return item?.kind === 'upload' ? UploadBlock.parse(item) : undefined;
      }),
  };
}

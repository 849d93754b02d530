import { createReferenceCache, readItem } from '../../platform/aws/table-reader.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { UploadBlockRepository } from '../ports.ts';
import { UploadBlock } from '../upload-block.ts';
import { uploadBlockKey } from './keys.ts';

/** Finds only upload blocks, no blocks of other kinds. Throws an UnavailableError if the table is not available. */
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

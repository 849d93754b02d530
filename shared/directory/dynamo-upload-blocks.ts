import { type Clock, systemClock } from '../platform/clock.ts';
import { timedCache } from '../platform/timed-cache.ts';
import * as key from './directory-keys.ts';
import { ENTRIES_MAX, POINTER_MS, readRecord } from './directory-table.ts';
import { UploadBlock, type UploadBlocks } from './upload-block.ts';

/** Upload blocks in the directory table; blocks of other kinds are not found. @throws Problem 503 while it is not available */
export function dynamoUploadBlocks(clock: Clock = systemClock): UploadBlocks {
  const blocks = timedCache<UploadBlock>({ clock, ttlMs: POINTER_MS, entriesMax: ENTRIES_MAX });
  return {
    find: (orgId, blockId) =>
      blocks(`${orgId}/${blockId}`, async () => {
        const record = await readRecord(key.block(orgId, blockId));
        return record?.kind === 'upload' ? UploadBlock.parse(record) : undefined;
      }),
  };
}

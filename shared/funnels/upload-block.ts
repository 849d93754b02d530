import * as z from 'zod/mini';

/** The most that a block may take, in bytes. */
export const UPLOAD_BLOCK_BYTES_MAX = 100 * 1024 * 1024;

/** The part of a funnel's page that takes files. */
export const UploadBlock = z.object({
  id: z.guid(),
  kind: z.literal('upload'),
  funnelId: z.guid(),
  /** What operators call it; fields of a funnel file name it so. */
  name: z.optional(z.string()),
  /** Media types, also `image/*`; absent: all that the service takes. */
  acceptedTypes: z.optional(z.array(z.string())),
  /** The largest file, in bytes. */
  bytesMax: z._default(z.int().check(z.minimum(1), z.maximum(UPLOAD_BLOCK_BYTES_MAX)), 25 * 1024 * 1024),
});
export type UploadBlock = z.infer<typeof UploadBlock>;

export type UploadBlockRepository = {
  /** The organization's upload block, cached for at most 30 s. */
  find(orgId: string, blockId: string): Promise<UploadBlock | undefined>;
};

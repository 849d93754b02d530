import * as z from 'zod/mini';

/** The largest `bytesMax` that a block can have, in bytes. */
export const UPLOAD_BLOCK_BYTES_MAX = 100 * 1024 * 1024;

/** A block of a funnel that accepts files. */
export const UploadBlock = z.object({
  id: z.guid(),
  kind: z.literal('upload'),
  funnelId: z.guid(),
  /** The name by which fields of a funnel definition refer to the block. */
  name: z.optional(z.string()),
  /** Media types, or ranges such as `image/*`. Default: all types that the service accepts. */
  acceptedTypes: z.optional(z.array(z.string())),
  /** Maximum file size in bytes. */
  bytesMax: z._default(z.int().check(z.minimum(1), z.maximum(UPLOAD_BLOCK_BYTES_MAX)), 25 * 1024 * 1024),
});
export type UploadBlock = z.infer<typeof UploadBlock>;

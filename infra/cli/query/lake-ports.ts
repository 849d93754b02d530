import {
  createDynamoManifestReader,
  listFunnelsWithManifest,
} from '../../../shared/analytics/facts/aws/dynamo-manifests.ts';
import { createDynamoTombstoneReader } from '../../../shared/analytics/facts/aws/dynamo-tombstone-reader.ts';
import type { LakePorts } from './lake-files.ts';
import { s3Lake } from './s3-lake.ts';

/** The ports of the environment that the command is connected to. */
export const lakePorts = (): LakePorts => ({
  objects: s3Lake(),
  manifests: { ...createDynamoManifestReader(), funnels: listFunnelsWithManifest },
  erasures: createDynamoTombstoneReader(),
});

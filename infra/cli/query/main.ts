import {
  createDynamoManifestReader,
  listFunnelsWithManifest,
} from '../../../shared/analytics/facts/aws/dynamo-manifests.ts';
import { createDynamoTombstoneReader } from '../../../shared/analytics/facts/aws/dynamo-tombstone-reader.ts';
import { connectToEnvironment } from '../environment/target-environment.ts';
import { createInterruptibleTerminal } from '../terminal/terminal.ts';
import { runQuery } from './program.ts';
import { s3Lake } from './s3-lake.ts';

process.exitCode = await runQuery(process.argv.slice(2), {
  terminal: createInterruptibleTerminal(process),
  connect: connectToEnvironment,
  objects: s3Lake(),
  manifests: { ...createDynamoManifestReader(), funnels: listFunnelsWithManifest },
  erasures: createDynamoTombstoneReader(),
});

import { dynamoErasedSessions } from '../../../shared/analytics/facts/dynamo-erased-sessions.ts';
import { dynamoManifestFunnels, dynamoManifestReader } from '../../../shared/analytics/facts/dynamo-manifests.ts';
import { connectToEnvironment } from '../environment/target-environment.ts';
import { createInterruptibleTerminal } from '../terminal/terminal.ts';
import { runQuery } from './program.ts';
import { s3Lake } from './s3-lake.ts';

// `npm run query -- "SELECT …"`: see `program.ts`.

process.exitCode = await runQuery(process.argv.slice(2), {
  terminal: createInterruptibleTerminal(process),
  connect: connectToEnvironment,
  objects: s3Lake(),
  manifests: { ...dynamoManifestReader(), funnels: dynamoManifestFunnels },
  erasures: dynamoErasedSessions(),
});

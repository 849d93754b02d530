import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

// Independent implementations of DynamoDB and S3. `npm run test:independent -- --install` downloads them.

const FOLDER = join(import.meta.dirname, '../../.local/independent');
export const DYNAMODB_LOCAL = { folder: join(FOLDER, 'dynamodb-local'), version: '2.6.1' };
export const VERSITYGW = { folder: join(FOLDER, 'bin'), version: 'v1.8.0' };

/** The jars and native libraries of DynamoDB Local. */
export const DYNAMODB_LOCAL_LIBRARIES = join(DYNAMODB_LOCAL.folder, 'lib');
export const VERSITYGW_BINARY = join(VERSITYGW.folder, 'versitygw');

export const hasDynamoDbLocal = (): boolean =>
  existsSync(join(DYNAMODB_LOCAL_LIBRARIES, `DynamoDBLocal-${DYNAMODB_LOCAL.version}.jar`));
export const hasVersitygw = (): boolean => existsSync(VERSITYGW_BINARY);

/** Starts a program through a shell that kills the program when this process ends, even if this process is killed. */
export function spawnBound(
  command: string,
  args: readonly string[],
  { env, cwd }: { env?: NodeJS.ProcessEnv; cwd?: string },
): ChildProcess {
  const script = '"$0" "$@" & cat > /dev/null; kill -9 $!';
  const stdio = ['pipe', 'ignore', 'ignore'] as const;
  return spawn('sh', ['-c', script, command, ...args], { cwd, env: { ...process.env, ...env }, stdio: [...stdio] });
}

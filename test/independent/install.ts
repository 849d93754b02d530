import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DYNAMODB_LOCAL, DYNAMODB_LOCAL_LIBRARIES, VERSITYGW } from './tools.ts';

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>tributary</groupId><artifactId>dynamodb-local</artifactId><version>1</version><dependencies><dependency>
<groupId>com.amazonaws</groupId><artifactId>DynamoDBLocal</artifactId><version>${DYNAMODB_LOCAL.version}</version>
</dependency></dependencies></project>
`;

/** Downloads DynamoDB Local with Maven and versitygw with Go. @returns whether both commands succeeded */
export function install(): boolean {
  mkdirSync(DYNAMODB_LOCAL.folder, { recursive: true });
  const pom = join(DYNAMODB_LOCAL.folder, 'pom.xml');
  writeFileSync(pom, POM);
  const jars = ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${DYNAMODB_LOCAL_LIBRARIES}`];
  const module = `github.com/versity/versitygw/cmd/versitygw@${VERSITYGW.version}`;
  return [run('mvn', jars), run('go', ['install', module], { GOBIN: VERSITYGW.folder })].every(Boolean);
}

function run(command: string, args: readonly string[], env: Record<string, string> = {}): boolean {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  if (error !== undefined) console.error(`${command} could not be run (${error.message}). Install ${command} first.`);
  return status === 0;
}

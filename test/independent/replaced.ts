import { hasDynamoDbLocal, hasVersitygw } from './tools.ts';

/** The embedded stand-ins by the ends of their module's addresses, and what runs in their place where it is installed. */
const REPLACED: readonly [isInstalled: boolean, replaced: RegExp, by: string][] = [
  [hasDynamoDbLocal(), /\/node_modules\/dynalite\/index\.js$/, './dynamodb-local.ts'],
  [hasVersitygw(), /\/infra\/local\/s3\/server\.ts$/, './versitygw.ts'],
];

/** The file that is loaded instead of a module; undefined: the module itself. @param module its path or URL */
export function replacementOf(module: string): URL | undefined {
  const found = REPLACED.find(([isInstalled, replaced]) => isInstalled && replaced.test(module));
  return found && new URL(found[2], import.meta.url);
}

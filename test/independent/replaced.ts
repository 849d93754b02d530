import { hasDynamoDbLocal, hasVersitygw } from './tools.ts';

/** Patterns of the URLs of replaced modules, and the replacements. A replacement is used only if it is installed. */
const REPLACED: readonly [isInstalled: boolean, replaced: RegExp, by: string][] = [
  [hasDynamoDbLocal(), /\/node_modules\/dynalite\/index\.js$/, './dynamodb-local.ts'],
  [hasVersitygw(), /\/infra\/local\/s3\/server\.ts$/, './versitygw.ts'],
];

/** Returns the file to load instead of a module, if the module is replaced. @param module its path or URL */
export function replacementOf(module: string): URL | undefined {
  const found = REPLACED.find(([isInstalled, replaced]) => isInstalled && replaced.test(module));
  return found && new URL(found[2], import.meta.url);
}

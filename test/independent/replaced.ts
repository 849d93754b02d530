import { hasDynamoDbLocal, hasVersitygw } from './tools.ts';

/** The replaced modules by the ends of their URLs, and their replacements, which are used only if installed. */
const REPLACED: readonly [isInstalled: boolean, replaced: RegExp, by: string][] = [
  [hasDynamoDbLocal(), /\/node_modules\/dynalite\/index\.js$/, './dynamodb-local.ts'],
  [hasVersitygw(), /\/infra\/local\/s3\/server\.ts$/, './versitygw.ts'],
];

/** Returns the file to load instead of a module, if there is one. @param module the path or URL of the module */
export function replacementOf(module: string): URL | undefined {
  const found = REPLACED.find(([isInstalled, replaced]) => isInstalled && replaced.test(module));
  return found && new URL(found[2], import.meta.url);
}

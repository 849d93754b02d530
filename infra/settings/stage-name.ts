/** `dev` and `prod` are permanent. Every other stage is a preview, which expires. */
export type StageKind = 'dev' | 'prod' | 'preview';

/** Resource names and file names contain the stage name. Lambda allows 64 characters for a function's name. */
const STAGE_NAME = /^[a-z][a-z0-9-]{1,15}$/;

const RULE =
  'A stage name has 2 to 16 characters: lowercase letters, digits and hyphens, and a letter at the beginning, ' +
  'such as dev, prod or pr-123.';

/** Names that users mistake for permanent stages. A preview with such a name would lose its data when it expires. */
const MISTAKEN: Readonly<Record<string, string>> = { development: 'dev', production: 'prod' };

/** Returns what is wrong with the name of a stage, as a message for the operator; undefined if the name is valid. */
export function stageNameIssue(name: unknown): string | undefined {
  if (typeof name !== 'string' || !STAGE_NAME.test(name)) return `"${name}" is not a stage name. ${RULE}`;
  if (Object.hasOwn(MISTAKEN, name)) return `The stage "${name}" does not exist. Did you mean ${MISTAKEN[name]}?`;
  return undefined;
}

/** @param name a valid name */
export const stageKind = (name: string): StageKind => (name === 'dev' || name === 'prod' ? name : 'preview');

export const isPreviewName = (name: string): boolean =>
  stageNameIssue(name) === undefined && stageKind(name) === 'preview';

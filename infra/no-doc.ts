/** Stands for `shared/http/doc.ts` in bundles: a call of an empty function goes, and its text with it. */
export function doc(_text: string): undefined {
  return undefined;
}

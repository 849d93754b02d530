/**
 * A text of the API's description. It is written beside what it describes and read by OpenAPI alone: the bundler puts
 * `no-doc.ts` in this file's place, so that no function carries it.
 */
export const doc = (text: string): string => text;

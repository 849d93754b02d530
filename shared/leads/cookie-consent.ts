import * as z from 'zod';
import { doc } from '../http/doc.ts';
import { jsonObject } from '../http/schemas.ts';

const text = z.string().nullish();
const time = z.number().nullish();

/** A consent manager's record. Only its name is insisted on: a consent lost over a detail can't be proven later. */
export const CookieConsent = z.looseObject({
  cmp: z.string().min(1).max(64).describe(doc('Its provider, for example `usercentrics`.')),
  controllerId: text,
  type: text,
  language: text,
  setting: z.looseObject({ id: text, type: text, version: text }).nullish(),
  createdAt: time,
  updatedAt: time,
  updatedBy: text,
  hash: text,
  services: jsonObject().nullish(),
});

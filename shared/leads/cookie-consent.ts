import * as z from 'zod/mini';
import { docText, withDocs } from '../http/schema-docs.ts';
import { jsonObject } from '../http/schemas.ts';

const text = z.nullish(z.string());
const time = z.nullish(z.number());

/** A consent manager's record. Only its name is insisted on: a consent lost over a detail can't be proven later. */
export const CookieConsent = withDocs(
  z.looseObject({
    cmp: withDocs(
      z.string().check(z.minLength(1), z.maxLength(64)),
      docText('Its provider, for example `usercentrics`.'),
    ),
    controllerId: text,
    type: text,
    language: text,
    setting: z.nullish(z.looseObject({ id: text, type: text, version: text })),
    createdAt: time,
    updatedAt: time,
    updatedBy: text,
    hash: text,
    services: z.nullish(jsonObject()),
  }),
  { id: 'CookieConsent' },
);

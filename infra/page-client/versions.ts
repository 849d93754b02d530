import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { UserError } from '../common/user-error.ts';

/*
 * The version of the page client, and the record of published versions. A version is published when
 * `npm run record-release` has recorded its files. Its files then never change (docs/adr/0027-page-client-delivery.md).
 */

export const VERSIONS_FILE = join(import.meta.dirname, '..', '..', 'web', 'page-client', 'versions.json');

const VERSION = /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}$/;
const INTEGRITY = /^sha384-[A-Za-z0-9+/]{64}$/;

/** The value of the attribute `integrity` of each file, by the file's name. */
export type Integrity = Readonly<Record<string, string>>;

const Versions = z.object({
  /** The version of the sources. */
  current: z.string().check(z.regex(VERSION)),
  published: z.record(z.string().check(z.regex(VERSION)), z.record(z.string(), z.string().check(z.regex(INTEGRITY)))),
});

export type Versions = z.infer<typeof Versions>;

export const readVersions = (): Versions => Versions.parse(JSON.parse(readFileSync(VERSIONS_FILE, 'utf8')));

/**
 * Whether the current version is published.
 *
 * @param built the files of the current sources
 * @throws UserError if the version is published with other files
 */
export function isPublished({ current, published }: Versions, built: Integrity): boolean {
  const recorded = published[current];
  if (recorded === undefined) return false;
  const names = [...new Set([...Object.keys(recorded), ...Object.keys(built)])].toSorted();
  const different = names.filter((name) => recorded[name] !== built[name]);
  if (different.length === 0) return true;
  const next = current.replace(/\d+$/, (patch) => String(Number(patch) + 1));
  throw new UserError(
    `Version ${current} of the page client is published, but these built files differ from the published files: ` +
      `${different.join(', ')}. Files of a published version never change. Set a new version in ` +
      `web/page-client/versions.json: "current": "${next}"`,
  );
}

/**
 * Adds the current version to the published versions. Changes nothing if the current version is already published.
 *
 * @throws UserError if the version is published with other files
 */
export const withCurrentPublished = (versions: Versions, built: Integrity): Versions =>
  isPublished(versions, built)
    ? versions
    : { ...versions, published: { ...versions.published, [versions.current]: { ...built } } };

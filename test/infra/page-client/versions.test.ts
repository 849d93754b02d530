import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { bundlePageClient, readIntegrity } from '../../../infra/bundles/page-client.ts';
import { isPublished, readVersions, type Versions, withCurrentPublished } from '../../../infra/page-client/versions.ts';

const DIST = join(import.meta.dirname, '..', '..', '..', 'dist');

mkdirSync(DIST, { recursive: true });
const folder = mkdtempSync(join(DIST, 'test-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('if the current version is published, a build of the sources equals the recorded files', async () => {
  await bundlePageClient(folder);
  const built = await readIntegrity(folder);
  expect(() => isPublished(readVersions(), built)).not.toThrow();
});

const hash = (letter: string) => `sha384-${letter.repeat(64)}`;
const built = { 'funnel.js': hash('a'), 'funnel.d.mts': hash('b') };
const unpublished: Versions = { current: '2.1.9', published: { '2.1.8': { 'funnel.js': hash('z') } } };
const published: Versions = { ...unpublished, published: { ...unpublished.published, '2.1.9': built } };

describe('a version', () => {
  test('can change its files until it is recorded as published', () => {
    expect(isPublished(unpublished, built)).toBe(false);
    expect(isPublished(unpublished, { ...built, 'funnel.js': hash('c') })).toBe(false);
  });

  test('is published when it is recorded with its files, and earlier versions stay recorded', () => {
    expect(withCurrentPublished(unpublished, built)).toEqual(published);
    expect(isPublished(published, built)).toBe(true);
    expect(withCurrentPublished(published, built)).toEqual(published);
  });

  test.each([
    ['other bytes', { ...built, 'funnel.js': hash('c') }, 'funnel.js'],
    ['a missing file', { 'funnel.js': hash('a') }, 'funnel.d.mts'],
    ['an additional file', { ...built, 'upload.mjs': hash('d') }, 'upload.mjs'],
  ])('that is published rejects a build with %s; the error names the file and the next version', (_, files, name) => {
    const message =
      `Version 2.1.9 of the page client is published, but these built files differ from the published files: ${name}. ` +
      'Files of a published version never change. Set a new version in web/page-client/versions.json: "current": "2.1.10"';
    expect(() => isPublished(published, files)).toThrow(message);
    expect(() => withCurrentPublished(published, files)).toThrow(message);
  });
});

import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDynamoPageWriter } from '../../../shared/landing-pages/aws/dynamo-page-writer.ts';
import { COPIED_ASSETS_MAX } from '../../../shared/landing-pages/landing-page.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import { sanitizeContent } from '../../../shared/uploads/content/sanitize-content.ts';
import { mimeTypeOf } from '../../../shared/uploads/file-type.ts';
import { notReadable, UserError } from '../../common/user-error.ts';
import { requireOrganization } from '../organizations/dependencies.ts';
import { formatCount } from '../terminal/format.ts';
import { readInputFile } from '../terminal/input-file.ts';
import { printableLine } from '../terminal/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { addPage, type NewAsset } from './add-page.ts';
import { parsePageFile } from './page-file.ts';
import { jsonOf } from './pages.ts';
import { putAsset } from './s3-asset-writer.ts';

export type AddOptions = { json?: true; assets?: string };

export const ASSET_BYTES_MAX = 25_000_000;
const PLAIN_NAME = /^[A-Za-z0-9._-]*[A-Za-z0-9_-]$/;

/** Adds a page that a file describes. @throws FriendlyError when it can not be used; nothing is written then */
export async function add(orgId: string, path: string, options: AddOptions, terminal: Terminal): Promise<void> {
  await requireOrganization(orgId);
  const assets = options.assets === undefined ? [] : await assetsIn(options.assets);
  const read = parsePageFile(await readInputFile(path), new Set(assets.map(({ name }) => name)));
  if ('faults' in read) {
    for (const { line, column, path: place, message } of read.faults) {
      terminal.note(printableLine(`${line}:${column}  ${place === '' ? '' : `${place}: `}${message}`));
    }
    throw new UserError(`${path} can not be used. Nothing was added.`);
  }
  const ports = {
    writes: createDynamoPageWriter(),
    files: { put: putAsset },
    clock: systemClock,
    ids: systemIdGenerator,
  };
  const { id } = await addPage(ports, { orgId, page: read.page, assets, log: logTo(terminal) });
  if (options.json) return terminal.write(jsonOf({ id, blocks: read.page.blocks.length, assets: assets.length }));
  await terminal.write(`${id}\n`);
  terminal.note(
    `A draft with ${formatCount(read.page.blocks.length, 'block')} and ${formatCount(assets.length, 'asset')}: publish it with pages publish.`,
  );
}

function logTo({ note }: Terminal): Logger {
  const silent = () => undefined;
  return { info: silent, warn: silent, recordMetric: silent, error: (message) => note(`${message}.`) };
}

const bytesOf = (path: string): Promise<Buffer> =>
  readFile(path).catch((cause: unknown) => {
    throw notReadable(path, cause);
  });

/** The files of a folder, each looked at in whole. */
async function assetsIn(folder: string): Promise<NewAsset[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw notReadable(folder, cause);
  });
  const names = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name);
  if (names.length > COPIED_ASSETS_MAX) throw new UserError(`${folder} holds more than ${COPIED_ASSETS_MAX} files.`);
  const assets: NewAsset[] = [];
  for (const name of names.sort()) assets.push(await assetOf(folder, name));
  return assets;
}

async function assetOf(folder: string, name: string): Promise<NewAsset> {
  const path = join(folder, name);
  if (!PLAIN_NAME.test(name)) {
    throw new UserError(`${path} has a name that can not stand in an address: use letters, digits, hyphens and dots.`);
  }
  await refuseLarge(path);
  const kind = sanitizeContent(await bytesOf(path), name, undefined);
  if (kind === undefined) {
    throw new UserError(`${path} is of a type that is not taken, or its content and its name do not agree.`);
  }
  const content = async () => {
    const bytes = await bytesOf(path);
    // Again, as it takes the place out of images.
    if (sanitizeContent(bytes, name, undefined) !== kind) throw new UserError(`${path} has changed meanwhile.`);
    return bytes;
  };
  return { name, extension: kind, mimeType: mimeTypeOf(kind), content };
}

async function refuseLarge(path: string): Promise<void> {
  await using file = await open(path).catch((cause: unknown) => {
    throw notReadable(path, cause);
  });
  const { size } = await file.stat();
  if (size > ASSET_BYTES_MAX) throw new UserError(`${path} is larger than ${ASSET_BYTES_MAX} bytes.`);
}

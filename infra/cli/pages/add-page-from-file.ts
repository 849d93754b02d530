import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createDynamoPageWriter } from '../../../shared/landing-pages/aws/dynamo-page-writer.ts';
import { COPIED_ASSETS_MAX } from '../../../shared/landing-pages/landing-page.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import { sanitizeContent } from '../../../shared/uploads/content/sanitize-content.ts';
import { mimeTypeOf } from '../../../shared/uploads/file-type.ts';
import { notReadable, UserError } from '../../common/user-error.ts';
import { createErrorLogger } from '../terminal/error-logger.ts';
import { readInputFile } from '../terminal/input-file.ts';
import { printableLine } from '../terminal/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { addPage, type NewAsset } from './add-page.ts';
import { parsePageFile } from './page-file.ts';
import { putAsset } from './s3-asset-writer.ts';

export const ASSET_BYTES_MAX = 25_000_000;
const URL_SAFE_NAME = /^[A-Za-z0-9._-]*[A-Za-z0-9_-]$/;

/**
 * Adds the page that a file describes, with the files of a folder as its assets. Prints the issues of an invalid file.
 *
 * @throws UserError for an invalid or unreadable file; no page is added in this case
 */
export async function addPageFromFile(orgId: string, path: string, folder: string | undefined, { note }: Terminal) {
  const assets = folder === undefined ? [] : await assetsIn(folder);
  const parsed = parsePageFile(await readInputFile(path), new Set(assets.map(({ name }) => name)));
  if ('issues' in parsed) {
    for (const { line, column, path: at, message } of parsed.issues) {
      note(printableLine(`${line}:${column}  ${at === '' ? '' : `${at}: `}${message}`));
    }
    throw new UserError(`${path} is not valid. Nothing was added.`);
  }
  const log = createErrorLogger((message) => note(message));
  const ports = {
    writes: createDynamoPageWriter(),
    files: { put: putAsset },
    clock: systemClock,
    ids: systemIdGenerator,
  };
  const { id } = await addPage(ports, { orgId, page: parsed.page, assets, log });
  return { id, blocks: parsed.page.blocks.length, assets: assets.length };
}

const orNotReadable = (path: string) => (cause: unknown) => {
  throw notReadable(path, cause);
};

async function assetsIn(folder: string): Promise<NewAsset[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(orNotReadable(folder));
  const names = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name);
  if (names.length > COPIED_ASSETS_MAX) {
    throw new UserError(`${folder} contains more than ${COPIED_ASSETS_MAX} files: use fewer, or split the page.`);
  }
  const assets: NewAsset[] = [];
  for (const name of names.sort()) assets.push(await assetOf(folder, name));
  return assets;
}

async function assetOf(folder: string, name: string): Promise<NewAsset> {
  const path = join(folder, name);
  if (!URL_SAFE_NAME.test(name)) {
    throw new UserError(
      `${path} has a name that is not accepted: use only a-z, A-Z, 0-9, hyphens, underscores and dots, ` +
        'and no dot at the end.',
    );
  }
  const { size } = await stat(path).catch(orNotReadable(path));
  if (size > ASSET_BYTES_MAX) {
    throw new UserError(`${path} is larger than ${ASSET_BYTES_MAX.toLocaleString('en')} bytes: use a smaller file.`);
  }
  const kind = sanitizeContent(await readFile(path).catch(orNotReadable(path)), name, undefined);
  if (kind === undefined) {
    throw new UserError(
      `${path} has a type that is not accepted, or its content does not match its name: ` +
        'use an image (not SVG), a PDF, an Office document, or a text, audio or video file.',
    );
  }
  const content = async () => {
    // Reads the file again, so that memory holds one file at a time.
    const bytes = await readFile(path).catch(orNotReadable(path));
    // `sanitizeContent` also removes metadata of images, such as the place where a photo was taken.
    if (sanitizeContent(bytes, name, undefined) !== kind)
      throw new UserError(`${path} was changed during the command: run the command again.`);
    return bytes;
  };
  return { name, extension: kind, mimeType: mimeTypeOf(kind), content };
}

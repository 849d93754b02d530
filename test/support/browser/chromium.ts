import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium, firefox, webkit } from 'playwright-core';

const SWITCHES = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const { TEST_BROWSER } = process.env;
/** Whether tests can use DevTools and processes of Chromium. */
export const isChromium = TEST_BROWSER !== 'firefox' && TEST_BROWSER !== 'webkit';
/** The headless shell that `npm ci` installs has no back/forward cache. */
export const hasBackForwardCache = isChromium && TEST_BROWSER !== undefined;
const CACHE = join(import.meta.dirname, '../../../node_modules/.cache');

/**
 * Starts the headless Chromium that `npm ci` installs. It needs no system packages. The caller must close it.
 * `TEST_BROWSER` names another browser: `firefox` or `webkit` of Playwright, or the path of a Chromium.
 */
export async function launchChromium(): Promise<Browser> {
  if (TEST_BROWSER === 'firefox') return firefox.launch();
  if (TEST_BROWSER === 'webkit') return webkit.launch();
  // Pages may enter the back/forward cache, as in a visitor's browser.
  return chromium.launch({ ...(await findChromium()), ignoreDefaultArgs: ['--disable-back-forward-cache'] });
}

export async function findChromium(): Promise<{ executablePath: string; args: string[]; env: Environment }> {
  const folder = await unpacked();
  const executablePath = TEST_BROWSER ?? join(folder, 'chromium');
  return { executablePath, args: SWITCHES, env: await environmentFor(executablePath, join(folder, 'al2023', 'lib')) };
}

type Environment = Record<string, string>;

/**
 * Returns the browser's folder. Unpacks each version once, into a temporary folder that is then renamed, so that no
 * process finds an incomplete browser.
 */
async function unpacked(): Promise<string> {
  const require = createRequire(import.meta.url);
  const packageFolder = dirname(dirname(require.resolve('@sparticuz/chromium')));
  const { version } = require(join(packageFolder, 'package.json'));
  const folder = join(CACHE, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const scratch = await mkdtemp(join(CACHE, 'chromium-unpacking-'));
  await unpackInto(scratch, join(packageFolder, 'bin'));
  await rename(scratch, folder).catch(() => rm(scratch, { recursive: true }));
  return folder;
}

/** Sets `TMPDIR` to the folder until the end of the work, because the package unpacks into `TMPDIR`. */
async function unpackInto(folder: string, archives: string): Promise<void> {
  const { inflate } = await import('@sparticuz/chromium');
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  try {
    const unpacking = ['chromium.br', 'al2023.tar.br'].map((name) => inflate(join(archives, name)));
    await Promise.all(unpacking);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

/** Adds the libraries of the package if Chromium does not start without them, for example if libnss3 is missing. */
async function environmentFor(executablePath: string, libraries: string): Promise<Environment> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const runs = await promisify(execFile)(executablePath, ['--version']).then(
    () => true,
    () => false,
  );
  return runs ? env : { ...env, LD_LIBRARY_PATH: [libraries, env.LD_LIBRARY_PATH].filter(Boolean).join(':') };
}

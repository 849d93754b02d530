import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

// DuckDB runs in the bare functions as it is on this machine. Of what is deployed, which runs on arm64 alone, only this
// is known here: that the files are there, and for which processor they are.

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const FILES = ['libduckdb.so', 'duckdb.node'];
const bindings = (modules: string, platform: string) => join(modules, '@duckdb', `node-bindings-${platform}`);

/** Of an ELF file's header: `e_machine`. @returns undefined for another file */
function machineOf(path: string): number | undefined {
  const header = Buffer.alloc(20);
  const file = openSync(path, 'r');
  readSync(file, header);
  closeSync(file);
  return header.toString('latin1', 0, 4) === '\x7fELF' ? header.readUInt16LE(18) : undefined;
}

const MACHINES = { 'linux-x64': 62, 'linux-arm64': 183 };
const here = `linux-${process.arch}` as keyof typeof MACHINES;
const installed = bindings(join(ROOT, 'node_modules'), here);
const layer = bindings(join(ROOT, 'dist', 'layers', 'duckdb', 'nodejs', 'node_modules'), 'linux-arm64');

describe('DuckDB’s files', () => {
  test.skipIf(!existsSync(installed)).each(FILES)('%s of this machine are for its processor', (file) => {
    expect(machineOf(join(installed, file))).toBe(MACHINES[here]);
  });

  test.skipIf(!existsSync(layer)).each(FILES)('%s of the layer is for Lambda’s', (file) => {
    expect(machineOf(join(layer, file))).toBe(MACHINES['linux-arm64']);
  });
});

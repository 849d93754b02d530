import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

// The other tests in this folder use the DuckDB of this machine. The deployed layer runs only on arm64, so this test
// only checks the processor in the headers of its files.

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const FILES = ['libduckdb.so', 'duckdb.node'];
const bindings = (modules: string, platform: string) => join(modules, '@duckdb', `node-bindings-${platform}`);

/** Reads `e_machine` from the header of an ELF file. @returns undefined if the file is not an ELF file */
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

describe('DuckDB’s file', () => {
  test.skipIf(!existsSync(installed)).each(FILES)('%s in node_modules fits the processor of this machine', (file) => {
    expect(machineOf(join(installed, file))).toBe(MACHINES[here]);
  });

  test.skipIf(!existsSync(layer)).each(FILES)('%s of the layer is built for the processor of Lambda', (file) => {
    expect(machineOf(join(layer, file))).toBe(MACHINES['linux-arm64']);
  });
});

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

const filesOf = (pattern: string): readonly string[] =>
  globSync(pattern, { cwd: ROOT, exclude: ['**/node_modules'] }).sort();

/** The paths of all Markdown files of the repository, relative to its root. */
export const DOCUMENTS = filesOf('{*.md,{docs,functions,infra,shared,test,web,.github}/**/*.md}');

/** The paths of all code in the folders of the repository, relative to its root. */
export const SOURCES = filesOf('{functions,infra,shared,test,web}/**/*.{ts,mts,js}');

export const readDocument = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** A fenced block of code. The info string after the language contains attributes: `sh test=upload`. */
export type CodeBlock = {
  document: string;
  /** Line of the fence, from 1. */
  line: number;
  language: string;
  attributes: Readonly<Record<string, string>>;
  /** The lines between the fences, without the indentation of the fence. */
  text: string;
};

const FENCED = /^( *)```(\S*)([^\n]*)\n(.*?)^\1```$/gms;
const ATTRIBUTE = /([\w-]+)=(?:"([^"]*)"|(\S+))/g;

export function codeBlocksOf(document: string): CodeBlock[] {
  const text = readDocument(document);
  return [...text.matchAll(FENCED)].map(({ index, 1: indent = '', 2: language = '', 3: info = '', 4: lines = '' }) => ({
    document,
    line: text.slice(0, index).split('\n').length,
    language,
    attributes: Object.fromEntries(
      [...info.matchAll(ATTRIBUTE)].map(([, name = '', quoted, plain = '']) => [name, quoted ?? plain]),
    ),
    text: lines.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

export const proseOf = (document: string): string => readDocument(document).replaceAll(FENCED, '');

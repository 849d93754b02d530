import { FunnelFile } from '../funnel-file.ts';
import { type Fault, messageOf, pathText } from './fault.ts';
import { fieldFindings } from './field-checks.ts';
import { type FileText, readFileText } from './file-text.ts';
import { type Located, locator } from './located.ts';
import { messageFindings } from './message-checks.ts';
import { otherFindings } from './other-checks.ts';
import { type Positions, positionsIn } from './positions.ts';
import { shapeFindings } from './shape.ts';

/** So many faults are told at once. */
const FAULTS_MAX = 50;

/** A funnel file that can be published, or all that is wrong with it: the first ones in the file, and how many more. */
export type FileReading = { file: FunnelFile } | { faults: Fault[]; more: number };

/** Reads a funnel file. Never throws, whatever the bytes are. */
export function readFunnelFile(bytes: Uint8Array): FileReading {
  const read = readFileText(bytes);
  const findings = read.json === undefined ? [] : findingsIn(read.json);
  const positions = positionsIn(read.text);
  const faults = [...onePerLine(read, positions), ...onePerPlace(findings)].sort((a, b) => a.offset - b.offset);
  if (faults.length === 0) return { file: FunnelFile.parse(read.json?.value) };
  const shown = faults.slice(0, FAULTS_MAX).map((found) => faultOf(found, positions));
  return { faults: shown, more: faults.length - shown.length };
}

const faultOf = (found: Located, { lineOf, columnOf }: Positions): Fault => ({
  path: pathText(found.at),
  line: lineOf(found.offset),
  column: columnOf(found.offset),
  message: messageOf(found),
});

function findingsIn({ tree, value }: NonNullable<FileText['json']>): Located[] {
  const locate = locator(tree);
  const beyond = [...fieldFindings(value), ...otherFindings(value), ...messageFindings(value)];
  return [
    ...shapeFindings({ tree, value }, locate),
    ...beyond.map((finding) => ({ ...finding, offset: locate(finding.at) })),
  ];
}

/** After a fault of the text, further ones in its line mostly follow from it. */
function onePerLine({ faults }: FileText, { lineOf }: Positions): Located[] {
  const lines = new Set<number>();
  return faults.flatMap(({ offset, message }) => {
    const line = lineOf(offset);
    if (lines.has(line)) return [];
    lines.add(line);
    return [{ at: [], offset, message }];
  });
}

/** Of faults at one place the first says it. */
function onePerPlace(findings: readonly Located[]): Located[] {
  const places = new Set<string>();
  return findings.filter(({ at, offset }) => {
    const place = `${offset} ${JSON.stringify(at)}`;
    return places.has(place) ? false : places.add(place);
  });
}

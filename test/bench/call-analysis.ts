import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFunction } from '../../infra/bundles/bundle.ts';
import type { CallToAnalyse } from '../../shared/training/analysis/analyse-transcript.ts';
import type { TranscriptTurn } from '../../shared/training/call.ts';
import { aTrainingCase } from '../support/training/calls.ts';
import { type Row, row } from './table.ts';

const MB = 1024 * 1024;
const TRANSCRIPT_BYTES = 1_000_000;
const SECONDS = 7_200;
const RUNS = 5;

const LABELS = [
  'Fragt nach dem Budget',
  'Nennt den Preis',
  'Vereinbart einen Folgetermin',
  'Begrüßt den Kunden',
  'Stellt sich vor',
  'Erklärt den Nutzen',
  'Geht auf den Preiseinwand ein',
  'Fasst das Gespräch zusammen',
  'Fragt nach dem Entscheider',
  'Erwähnt die Garantie von fünf Jahren',
];
const SAID = [
  'Wissen Sie, wir haben in den letzten Jahren viele Projekte in dieser Art gemacht, und das lief immer ordentlich ab.',
  'Was genau brauchen Sie denn für Ihre Leute in der Werkstatt?',
  'Das kostet im Monat etwa 49 Euro, und damit sparen Sie viel Zeit bei der Abrechnung.',
  'Ähm, ja, das ist halt so, wie ich es vorhin gesagt habe.',
  'Passt Ihnen Dienstag um zehn Uhr, oder lieber am Freitag?',
];

/** A German call of two hours with ten dos and a transcript of about 1 MB. */
function aLongCall(turnCount: number): CallToAnalyse {
  const charactersEach = TRANSCRIPT_BYTES / turnCount;
  const turns = Array.from({ length: turnCount }, (_, index): TranscriptTurn => {
    let message = '';
    for (let at = index; message.length < charactersEach; at++) message += `${SAID[at % SAID.length]} ${at} `;
    const timeInCallSecs = Math.floor((index * SECONDS) / turnCount);
    return { role: index % 2 === 0 ? 'agent' : 'user', message: message.slice(0, charactersEach), timeInCallSecs };
  });
  const dos = LABELS.map((label, index) => ({ id: String(index), label }));
  return { trainingCase: aTrainingCase({ dos }), turns, durationSeconds: SECONDS, interruptions: null };
}

/** Measures the median time and the maximum memory of several processes, each of which analyses one long call. */
export async function callAnalysis(log: (line: string) => void): Promise<Row[]> {
  const bundle = join('dist', 'bench', 'call-analysis-alone');
  await bundleFunction('bench/call-analysis-alone', 'test/bench/call-analysis-alone.ts', bundle);
  const folder = mkdtempSync(join(tmpdir(), 'tributary-analysis-'));
  const rows = [1_000, 10_000].flatMap((turnCount) => {
    const path = join(folder, `${turnCount}.json`);
    writeFileSync(path, JSON.stringify(aLongCall(turnCount)));
    const runs = Array.from({ length: RUNS }, () => alone(join(bundle, 'index.mjs'), path));
    const ms = runs.map((run) => run.ms).sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.NaN;
    const bytes = Math.max(...runs.map((run) => run.residentBytes));
    log(`analysis of ${turnCount} turns: score ${runs[0]?.total}, ${ms.toFixed(0)} ms`);
    const what = `analysis of a 2-hour transcript (1 MB) of ${turnCount} turns`;
    return [
      row(`${what}, p50`, ms, 1_000, 'ms', 'at most'),
      row(`${what}: resident memory`, bytes / MB, 150, 'MB', 'at most'),
    ];
  });
  rmSync(folder, { recursive: true });
  return rows;
}

function alone(bundle: string, path: string): { ms: number; residentBytes: number; total: number } {
  return JSON.parse(execFileSync(process.execPath, [bundle, path], { encoding: 'utf8' }));
}

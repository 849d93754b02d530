import { systemClock } from '../../../shared/platform/clock.ts';
import { extensionSecrets } from '../../../shared/platform/extension-secrets.ts';
import { jsonLog } from '../../../shared/platform/log.ts';
import { dynamoCalls } from '../../../shared/training/lifecycle/dynamo-calls.ts';
import { s3TranscriptWriter } from '../../../shared/training/lifecycle/s3-transcript-objects.ts';
import { startAnalysis } from '../../../shared/training/lifecycle/start-analysis.ts';
import { type SweepPorts, sweepCalls } from '../../../shared/training/lifecycle/sweep-calls.ts';
import { configuredVoice } from '../../../shared/training/voice/configured-voice.ts';

/** Fails in the end when a call could not be looked after, so that the alarm sees it; it is tried again by itself. */
export const createHandler = (ports: SweepPorts) => async (): Promise<void> => {
  const counts = await sweepCalls(ports);
  for (const [swept, count] of counts) ports.log.count(`Calls_${swept}`, count);
  if (counts.has('broken')) throw new Error(`${counts.get('broken')} calls could not be looked after.`);
};

export const handler = createHandler({
  calls: dynamoCalls(),
  transcripts: s3TranscriptWriter(),
  voice: configuredVoice(extensionSecrets()),
  start: startAnalysis,
  clock: systemClock,
  log: jsonLog({ function: 'background/sweep-calls' }),
});

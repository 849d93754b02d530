import { createS3RecordingStore } from '../../../../shared/training/aws/s3-recording-store.ts';
import { createElevenLabsVoiceProvider } from '../../../../shared/training/elevenlabs/voice-provider.ts';
import { storeRecording } from '../../../../shared/training/recordings.ts';

// Runs in its own process. Stores a small recording, then a large one, and prints the maximum memory that the large
// recording needs. Each measurement collects garbage first, so that garbage is not counted.

const [baseUrl = ''] = process.argv.slice(2);
const ports = {
  voice: createElevenLabsVoiceProvider({ baseUrl: () => baseUrl, apiKey: async () => 'key' }),
  recordings: createS3RecordingStore(),
};
const ids = { orgId: '00000000-0000-4000-8000-000000000001', callId: '00000000-0000-4000-8000-000000000002' };

function usedBytes(): number {
  // The second collection waits until the first collection has finished.
  for (const _ of [1, 2]) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

await storeRecording(ports, { ...ids, conversationId: 'small' }, 60_000);
const before = usedBytes();
let peak = before;
let samples = 0;
const watch = setInterval(() => {
  peak = Math.max(peak, usedBytes());
  samples++;
}, 100);
const key = await storeRecording(ports, { ...ids, conversationId: 'large' }, 60_000);
clearInterval(watch);
process.stdout.write(JSON.stringify({ key, samples, grown: peak - before }));

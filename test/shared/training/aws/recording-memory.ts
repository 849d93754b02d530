import { createS3RecordingStore } from '../../../../shared/training/aws/s3-recording-store.ts';
import { createElevenLabsVoiceProvider } from '../../../../shared/training/elevenlabs/voice-provider.ts';
import { storeRecording } from '../../../../shared/training/recordings.ts';

// A process of its own: keeps a small recording, then a large one, and says how many bytes more it held meanwhile. What
// V8 has not swept up yet, some 80 MB whatever the size of the recording, does not count.

const [baseUrl = ''] = process.argv.slice(2);
const ports = {
  voice: createElevenLabsVoiceProvider({ baseUrl: () => baseUrl, apiKey: async () => 'key' }),
  recordings: createS3RecordingStore(),
};
const ids = { orgId: '00000000-0000-4000-8000-000000000001', callId: '00000000-0000-4000-8000-000000000002' };

function held(): number {
  // The second one waits for what the first is still sweeping.
  for (const _ of [1, 2]) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

await storeRecording(ports, { ...ids, conversationId: 'small' }, 60_000);
const before = held();
let peak = before;
let looks = 0;
const watch = setInterval(() => {
  peak = Math.max(peak, held());
  looks++;
}, 100);
const key = await storeRecording(ports, { ...ids, conversationId: 'large' }, 60_000);
clearInterval(watch);
process.stdout.write(JSON.stringify({ key, looks, grown: peak - before }));

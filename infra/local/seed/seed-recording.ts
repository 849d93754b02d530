import { PutObjectCommand } from '@aws-sdk/client-s3';
import { s3Client } from '../../../shared/platform/aws/s3-client.ts';
import { silentMp3 } from '../elevenlabs/silent-mp3.ts';
import { CALL_SECONDS, RECORDING_KEY } from './demo-call.ts';

/** Writes the recording of the demo call: silence with the duration of the call. */
export async function seedRecording(bucket: string): Promise<void> {
  const recording = { Body: silentMp3(CALL_SECONDS), ContentType: 'audio/mpeg' };
  await s3Client().send(new PutObjectCommand({ Bucket: bucket, Key: RECORDING_KEY, ...recording }));
}

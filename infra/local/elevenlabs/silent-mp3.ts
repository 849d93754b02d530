/** MPEG-2 Layer III, 8 kbit/s, 16 kHz, mono: 576 samples in 36 bytes, which are 36 ms. */
const FRAME_HEADER = Buffer.from([0xff, 0xf3, 0x18, 0xc0]);
const FRAME_BYTES = 36;
const FRAME_SECONDS = 0.036;
const TITLE = 'Silent recording of a rehearsal';

/**
 * An MP3 of silence that is titled so. In each frame (ISO 13818-3) everything behind the header is zero: no spectral
 * line is coded.
 */
export function silentMp3(seconds: number): Buffer {
  const frame = Buffer.concat([FRAME_HEADER], FRAME_BYTES);
  return Buffer.concat([titleTag(TITLE), Buffer.alloc(FRAME_BYTES * Math.ceil(seconds / FRAME_SECONDS), frame)]);
}

/** An ID3v2.3 tag with the title alone. */
function titleTag(title: string): Buffer {
  const text = Buffer.concat([Buffer.from([0]), Buffer.from(title, 'latin1')]);
  const frame = Buffer.alloc(10);
  frame.write('TIT2');
  frame.writeUInt32BE(text.length, 4);
  const size = frame.length + text.length;
  // Seven bits a byte, so that no byte of the size begins what looks like a frame of sound.
  const head = Buffer.from([...Buffer.from('ID3'), 3, 0, 0, 0, 0, size >> 7, size & 0x7f]);
  return Buffer.concat([head, frame, text]);
}

/** MPEG-2 Layer III, 8 kbit/s, 16 kHz, mono. A frame has 36 bytes and 576 samples, which last 36 ms. */
const FRAME_HEADER = Buffer.from([0xff, 0xf3, 0x18, 0xc0]);
const FRAME_BYTES = 36;
const FRAME_SECONDS = 0.036;
const TITLE = 'Silent recording of a rehearsal';

/** Creates a silent MP3 with a title. A frame with only zeros after its header is silent (ISO 13818-3). */
export function silentMp3(seconds: number): Buffer {
  const frame = Buffer.concat([FRAME_HEADER], FRAME_BYTES);
  return Buffer.concat([titleTag(TITLE), Buffer.alloc(FRAME_BYTES * Math.ceil(seconds / FRAME_SECONDS), frame)]);
}

/** Creates an ID3v2.3 tag with a title. */
function titleTag(title: string): Buffer {
  const text = Buffer.concat([Buffer.from([0]), Buffer.from(title, 'latin1')]);
  const frame = Buffer.alloc(10);
  frame.write('TIT2');
  frame.writeUInt32BE(text.length, 4);
  const size = frame.length + text.length;
  // Each byte of the size holds only seven bits, so that it cannot look like the start of an audio frame.
  const head = Buffer.from([...Buffer.from('ID3'), 3, 0, 0, 0, 0, size >> 7, size & 0x7f]);
  return Buffer.concat([head, frame, text]);
}

/** `u16` and `u32` return a number as bytes. With `little`, the least significant byte is first. */
export const u16 = (value: number, little = false): Buffer => {
  const bytes = Buffer.alloc(2);
  if (little) bytes.writeUInt16LE(value);
  else bytes.writeUInt16BE(value);
  return bytes;
};
export const u32 = (value: number, little = false): Buffer => {
  const bytes = Buffer.alloc(4);
  if (little) bytes.writeUInt32LE(value);
  else bytes.writeUInt32BE(value);
  return bytes;
};
export const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

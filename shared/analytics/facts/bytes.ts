/**
 * Writes numbers and texts as bytes. `unsigned` and `signed` use fewer bytes for small numbers; `int64` always uses
 * eight.
 */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(4096);
  #length = 0;

  #reserve(bytes: number): number {
    const at = this.#length;
    if (at + bytes > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, at + bytes));
      this.#bytes.copy(larger, 0, 0, at);
      this.#bytes = larger;
    }
    this.#length += bytes;
    return at;
  }

  #byte(value: number): void {
    const at = this.#reserve(1);
    this.#bytes[at] = value;
  }

  /**
   * Writes a non-negative safe integer as a varint: 7 bits per byte, low bits first.
   *
   * @throws RangeError for other numbers
   */
  unsigned(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new RangeError(`The number ${value} cannot be written: it is not a non-negative safe integer.`);
    let rest = value;
    // Uses division, because shifts truncate to 32 bits.
    while (rest > 127) {
      this.#byte((rest % 128) + 128);
      rest = Math.floor(rest / 128);
    }
    this.#byte(rest);
  }

  /** Writes an integer from -2^52 to 2^52 - 1, zigzag-encoded. @throws RangeError for other numbers */
  signed(value: number): void {
    if (!Number.isSafeInteger(value))
      throw new RangeError(`The number ${value} cannot be written: it is not a safe integer.`);
    this.unsigned(value < 0 ? -2 * value - 1 : 2 * value);
  }

  int64(value: bigint): void {
    const at = this.#reserve(8);
    this.#bytes.writeBigInt64BE(value, at);
  }

  text(value: string): void {
    const bytes = Buffer.byteLength(value);
    this.unsigned(bytes);
    const at = this.#reserve(bytes);
    this.#bytes.write(value, at);
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}

/** Reads what a ByteWriter wrote, in the same order. Reading beyond the end throws a RangeError. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /**
   * Call this method before allocating memory for a list or text. The length of the list or text was read from the
   * bytes, and a damaged length can be any number.
   *
   * @param bytes minimum size of the list or text
   * @throws RangeError when fewer bytes are left
   */
  expect(bytes: number): void {
    const left = this.#bytes.length - this.#at;
    if (bytes > left) throw new RangeError(`At byte ${this.#at}, ${bytes} bytes are expected, but ${left} are left.`);
  }

  /** @throws RangeError when bytes are left */
  end(): void {
    const left = this.#bytes.length - this.#at;
    if (left > 0) throw new RangeError(`At byte ${this.#at}, the end is expected, but ${left} bytes are left.`);
  }

  unsigned(): number {
    let value = 0;
    for (let place = 1; ; place *= 128) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError(`The bytes end at byte ${this.#bytes.length}, within a number.`);
      value += (byte & 127) * place;
      if (!Number.isSafeInteger(value))
        throw new RangeError(`The number that contains byte ${this.#at - 1} is not a safe integer.`);
      if (byte < 128) return value;
    }
  }

  signed(): number {
    const value = this.unsigned();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  int64(): bigint {
    this.expect(8);
    const value = this.#bytes.readBigInt64BE(this.#at);
    this.#at += 8;
    return value;
  }

  text(): string {
    const bytes = this.unsigned();
    this.expect(bytes);
    const value = this.#bytes.toString('utf8', this.#at, this.#at + bytes);
    this.#at += bytes;
    return value;
  }
}

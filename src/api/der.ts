/** The little of DER (X.690) that requests for certificates are written in. Every length is checked. */

export class DerError extends Error {
  override readonly name = 'DerError';
}

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  ia5String: 0x16,
  sequence: 0x30,
  set: 0x31,
  /** Constructed, of the structure it stands in. */
  context0: 0xa0,
  emailName: 0x81,
  dnsName: 0x82,
  uriName: 0x86,
  ipName: 0x87,
} as const;

export class DerValue {
  readonly tag: number;
  readonly bytes: Uint8Array;

  constructor(tag: number, bytes: Uint8Array) {
    this.tag = tag;
    this.bytes = bytes;
  }

  /** Reads what is inside. */
  reader(): DerReader {
    return new DerReader(this.bytes);
  }
}

export class DerReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  get peekTag(): number | undefined {
    return this.#bytes[this.#at];
  }

  /** The next value of any kind. Throws `DerError` for a value that is cut off or not in the one encoding that DER allows. */
  readAny(): DerValue {
    const tag = this.#byte();
    if ((tag & 0x1f) === 0x1f) throw new DerError('a tag of more than one byte');
    const length = this.#length();
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new DerError('the request is cut off');
    const value = new DerValue(tag, this.#bytes.subarray(this.#at, end));
    this.#at = end;
    return value;
  }

  read(tag: number): DerValue {
    const value = this.readAny();
    if (value.tag !== tag) throw new DerError(`unexpected tag 0x${value.tag.toString(16)}`);
    return value;
  }

  /** All that is left, each with this tag. */
  all(tag: number): DerValue[] {
    const values: DerValue[] = [];
    while (!this.isAtEnd) values.push(this.read(tag));
    return values;
  }

  end(what: string): void {
    if (!this.isAtEnd) throw new DerError(`${what} has more than it should`);
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new DerError('the request is cut off');
    this.#at += 1;
    return byte;
  }

  #length(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    const count = first & 0x7f;
    if (count === 0 || count > 3) throw new DerError('a length that is not known, or too large');
    let length = 0;
    for (let left = count; left > 0; left -= 1) length = length * 256 + this.#byte();
    if (length < 0x80 || length < 256 ** (count - 1)) throw new DerError('a length with more bytes than it needs');
    return length;
  }
}

/** "2.5.4.3" */
export function readObjectIdentifier({ bytes }: DerValue): string {
  const arcs: number[] = [];
  let value = 0;
  for (const [at, byte] of bytes.entries()) {
    value = value * 128 + (byte & 0x7f);
    if (value > Number.MAX_SAFE_INTEGER / 128) throw new DerError('an object identifier is too large');
    if ((byte & 0x80) !== 0) {
      if (at === bytes.length - 1) throw new DerError('an object identifier is cut off');
      continue;
    }
    if (arcs.length === 0) {
      const first = Math.min(Math.floor(value / 40), 2);
      arcs.push(first, value - first * 40);
    } else {
      arcs.push(value);
    }
    value = 0;
  }
  return arcs.join('.');
}

/** IP addresses in text, as Go's `netip` reads them (no zone, no leading zeros). */
export function isIpv4Address(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

export function isIpv6Address(text: string): boolean {
  const tail = text.slice(text.lastIndexOf(':') + 1);
  const embedded = tail.includes('.');
  if (embedded && !isIpv4Address(tail)) return false;
  const plain = embedded ? `${text.slice(0, text.lastIndexOf(':') + 1)}0:0` : text;
  const halves = plain.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const fits = halves.length === 2 ? groups.length <= 7 : groups.length === 8;
  return fits && groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group));
}

export function isIpAddress(text: string): boolean {
  return isIpv4Address(text) || isIpv6Address(text);
}

/** The 16 bytes of an address, an IPv4 one in its mapped form (::ffff:a.b.c.d); `undefined` for what is none. */
export function ipBytes(text: string): Uint8Array | undefined {
  if (isIpv4Address(text)) return Uint8Array.from([...zeros(10), 255, 255, ...text.split('.').map(Number)]);
  if (!isIpv6Address(text)) return undefined;
  const tail = text.slice(text.lastIndexOf(':') + 1);
  const [a = 0, b = 0, c = 0, d = 0] = tail.includes('.') ? tail.split('.').map(Number) : [];
  const embedded = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  const plain = tail.includes('.') ? `${text.slice(0, text.length - tail.length)}${embedded}` : text;
  const [head = [], rest = []] = plain
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':').map((group) => Number.parseInt(group, 16))));
  const groups = [...head, ...zeros(8 - head.length - rest.length), ...rest];
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 255]));
}

function zeros(count: number): number[] {
  return Array.from({ length: count }, () => 0);
}

export type AddressScope =
  | 'unspecified'
  | 'loopback'
  | 'link-local'
  | 'link-local multicast'
  | 'multicast'
  | 'broadcast'
  | 'global';

/** How far an address reaches; `undefined` for what is none. IPv4 within IPv6 counts as that IPv4, however it is written. */
export function scopeOfIp(text: string): AddressScope | undefined {
  const bytes = ipBytes(text);
  if (bytes === undefined) return undefined;
  const v4 = embeddedIpv4(bytes);
  return v4 === undefined ? scopeOfIpv6(bytes) : scopeOfIpv4(v4);
}

/** Mapped (::ffff:0:0/96), compatible (::/96) and translated (64:ff9b::/96) addresses. */
function embeddedIpv4(bytes: Uint8Array): Uint8Array | undefined {
  const head = [...bytes.subarray(0, 12)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const tail = bytes.subarray(12);
  if (head === '00000000000000000000ffff' || head === '0064ff9b0000000000000000') return tail;
  // ::0 and ::1 are addresses of their own.
  const isLow = tail[0] === 0 && tail[1] === 0 && tail[2] === 0 && (tail[3] ?? 0) <= 1;
  return /^0+$/.test(head) && !isLow ? tail : undefined;
}

function scopeOfIpv4([a = 0, b = 0, c = 0, d = 0]: Uint8Array): AddressScope {
  // All of 0.0.0.0/8 is "this network".
  if (a === 0) return 'unspecified';
  if (a === 127) return 'loopback';
  if (a === 169 && b === 254) return 'link-local';
  if (a === 224 && b === 0 && c === 0) return 'link-local multicast';
  if (a >= 224 && a < 240) return 'multicast';
  return a === 255 && b === 255 && c === 255 && d === 255 ? 'broadcast' : 'global';
}

function scopeOfIpv6(bytes: Uint8Array): AddressScope {
  const [a = 0, b = 0] = bytes;
  if (bytes.every((byte) => byte === 0)) return 'unspecified';
  if (bytes[15] === 1 && bytes.subarray(0, 15).every((byte) => byte === 0)) return 'loopback';
  if (a === 0xfe && (b & 0xc0) === 0x80) return 'link-local';
  if (a === 0xff) return (b & 0x0f) === 2 ? 'link-local multicast' : 'multicast';
  return 'global';
}

/** An address that others may have, too (upstream: Go's net.IP.IsGlobalUnicast; networks of private use are among them). */
export function isGlobalUnicast(text: string): boolean {
  return scopeOfIp(text) === 'global';
}

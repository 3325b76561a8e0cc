/** Names of the DNS: labels, as bytes and as text. Pure. */
import { HEADER_BYTES, MAX_LABEL_BYTES, MAX_NAME_BYTES } from './wire.ts';

/** Labels from the most specific to the top; each character is one byte. The root has none. */
export type DnsName = readonly string[];

/**
 * Reads the name at `at`, with compression, in lower case. A pointer must lead to an earlier place than the part that has it,
 * so that reading ends.
 * @returns undefined for what is no name
 */
export function readName(bytes: Uint8Array, at: number): { readonly name: DnsName; readonly end: number } | undefined {
  const name: string[] = [];
  let length = 1;
  let start = at;
  let place = at;
  let end: number | undefined;
  for (;;) {
    const size = bytes[place];
    if (size === undefined) return undefined;
    if (size === 0) return { name, end: end ?? place + 1 };
    if (size >= 0xc0) {
      const low = bytes[place + 1];
      if (low === undefined) return undefined;
      const target = ((size & 0x3f) << 8) | low;
      if (target >= start || target < HEADER_BYTES) return undefined;
      end ??= place + 2;
      start = target;
      place = target;
      continue;
    }
    length += size + 1;
    if (size > MAX_LABEL_BYTES || length > MAX_NAME_BYTES || place + size >= bytes.length) return undefined;
    name.push(lowerLabel(bytes, place + 1, place + 1 + size));
    place += size + 1;
  }
}

function lowerLabel(bytes: Uint8Array, from: number, to: number): string {
  let label = '';
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    label += String.fromCharCode(byte >= 65 && byte <= 90 ? byte + 32 : byte);
  }
  return label;
}

/** "a.b." or "a.b"; undefined: it is no name in letters, digits, "-" and "_", or is too long. */
export function parseName(text: string): DnsName | undefined {
  const plain = text.endsWith('.') ? text.slice(0, -1) : text;
  if (plain === '') return text === '.' ? [] : undefined;
  const name = plain.toLowerCase().split('.');
  const right = name.every((label) => /^[a-z0-9_-]{1,63}$/.test(label));
  return right && plain.length + 2 <= MAX_NAME_BYTES ? name : undefined;
}

/** For people and as a key: what is no letter, digit, "-" or "_" is written as "\\DDD" (RFC 1035 §5.1). */
export function formatName(name: DnsName): string {
  const escaped = (character: string): string => `\\${String(character.charCodeAt(0)).padStart(3, '0')}`;
  return `${name.map((label) => label.replace(/[^a-zA-Z0-9_-]/g, escaped)).join('.')}.`;
}

/** Tells any two names apart, whatever bytes their labels have; from the label `first` on. */
export function nameKey(name: DnsName, first = 0): string {
  let key = '';
  for (let at = first; at < name.length; at++) {
    const label = name[at] ?? '';
    key += String.fromCharCode(label.length) + label;
  }
  return key;
}

/** The labels of `name` before those of `zone`; undefined: it lies outside. Both in lower case. */
export function below(name: DnsName, zone: DnsName): DnsName | undefined {
  const own = name.length - zone.length;
  if (own < 0) return undefined;
  for (const [at, label] of zone.entries()) if (name[own + at] !== label) return undefined;
  return name.slice(0, own);
}

/** The address that a name of in-addr.arpa asks for; undefined: it is no whole one. */
export function reverseIpv4(name: DnsName): string | undefined {
  if (name.length !== 6 || name[5] !== 'arpa' || name[4] !== 'in-addr') return undefined;
  const parts = name.slice(0, 4).toReversed();
  return parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255) ? parts.join('.') : undefined;
}

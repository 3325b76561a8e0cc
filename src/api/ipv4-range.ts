/** Ranges of IPv4 addresses as numbers, for giving them out. */
import { isIpv4Address } from './ip-address.ts';

export interface Ipv4Range {
  /** As it was written. */
  readonly text: string;
  /** The network's own address, as an unsigned 32-bit number. */
  readonly base: number;
  readonly size: number;
}

/** Reads "10.96.0.0/16"; undefined for what is none, or has bits set behind its mask. */
export function parseIpv4Range(text: string): Ipv4Range | undefined {
  const [address = '', bits = '', ...rest] = text.split('/');
  if (rest.length > 0 || !isIpv4Address(address) || !/^\d{1,2}$/.test(bits) || Number(bits) > 32) return undefined;
  const size = 2 ** (32 - Number(bits));
  const base = ipv4ToNumber(address);
  return base % size === 0 ? { text, base, size } : undefined;
}

/** The address as an unsigned number; it must be one. */
export function ipv4ToNumber(address: string): number {
  return address.split('.').reduce((value, part) => value * 256 + Number(part), 0);
}

export function numberToIpv4(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}

/** Whether the range contains the address, including its first and last, which are never given out. */
export function isInRange(range: Ipv4Range, address: string): boolean {
  if (!isIpv4Address(address)) return false;
  const offset = ipv4ToNumber(address) - range.base;
  return offset >= 0 && offset < range.size;
}

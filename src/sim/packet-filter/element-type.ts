/** Whether an element has the type of its set. Pure. */
import { type SetWish, UnknownWord } from './nft-syntax.ts';

const FORMS: Readonly<Record<string, RegExp>> = {
  ipv4_addr: /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\/(?:3[0-2]|[12]?\d))?$/,
  inet_proto: /^(?:tcp|udp|sctp)$/,
  inet_service: /^[1-9]\d{0,4}$/,
};
const VERDICT = /^(?:goto \S+|drop)$/;

/** @throws UnknownWord */
export function checkElement(wish: SetWish, key: string, value: string): void {
  if (!isOfType(key, wish.key)) throw new UnknownWord(`"${key}" is no ${wish.key.join(' . ')}`);
  if (key.includes('/') && !wish.isInterval) throw new UnknownWord(`"${key}" in a set without intervals`);
  if (wish.value === undefined && value !== '') throw new UnknownWord(`"${value}" in a set`);
  if (wish.value === 'verdict' && !VERDICT.test(value)) throw new UnknownWord(`"${value}" is no verdict of ours`);
  if (wish.value !== undefined && wish.value !== 'verdict' && !isOfType(value, wish.value.split(' . '))) {
    throw new UnknownWord(`"${value}" is no ${wish.value}`);
  }
}

function isOfType(text: string, types: readonly string[]): boolean {
  const parts = text.split(' . ');
  return parts.length === types.length && parts.every((part, at) => FORMS[types[at] ?? '']?.test(part) === true);
}

/** The formats of strings that a schema may name (upstream: apiextensions-apiserver/pkg/apiserver/validation/formats.go). Pure. */
import { isIpAddress } from '../ip-address.ts';
import { parseTimeText } from './date-text.ts';

type Check = (text: string) => boolean;

const by =
  (pattern: RegExp): Check =>
  (text) =>
    pattern.test(text);

const UUID = '[0-9a-f]{8}-?[0-9a-f]{4}-?';
const ISBN10 = /^(?:\d{9}X|\d{10})$/;
const HOST_LABEL = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/;

/** By the name without dashes, as upstream looks them up. */
const FORMATS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['bsonobjectid', by(/^[0-9a-fA-F]{24}$/)],
  ['uri', isUri],
  ['email', by(/^[^\s@<>]+@[^\s@<>]+$/)],
  ['hostname', isHostname],
  ['ipv4', (text) => /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text) && isIpAddress(text)],
  ['ipv6', (text) => text.includes(':') && isIpAddress(text)],
  ['cidr', isCidr],
  [
    'mac',
    by(
      /^[0-9a-fA-F]{2}(?:(?::[0-9a-fA-F]{2}){5}|(?:-[0-9a-fA-F]{2}){5}|(?::[0-9a-fA-F]{2}){7}|(?:-[0-9a-fA-F]{2}){7})$/,
    ),
  ],
  ['uuid', by(new RegExp(`^${UUID}[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, 'i'))],
  ['uuid3', by(new RegExp(`^${UUID}3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, 'i'))],
  ['uuid4', by(new RegExp(`^${UUID}4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$`, 'i'))],
  ['uuid5', by(new RegExp(`^${UUID}5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$`, 'i'))],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', by(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ['hexcolor', by(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['rgbcolor', by(/^rgb\(\s*(?:\d{1,3}\s*,\s*){2}\d{1,3}\s*\)$/)],
  ['byte', by(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)],
  ['password', () => true],
  ['date', (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && parseTimeText(`${text}T00:00:00Z`)],
  ['duration', by(/^-?(?:\d+(?:\.\d+)?\s*(?:ns|us|µs|μs|ms|s|m|h|d|w|[a-z]+)\s*)+$/)],
  ['datetime', parseTimeText],
]);

/** Whether a schema may name the format and expect it to be checked. */
export function isKnownFormat(format: string): boolean {
  return FORMATS.has(plain(format));
}

/** Whether the text has the format; one that is not known is had by every text. */
export function hasFormat(format: string, text: string): boolean {
  return FORMATS.get(plain(format))?.(text) ?? true;
}

function plain(format: string): string {
  return format.replaceAll('-', '');
}

/** A request URI: absolute, or a path (upstream: url.ParseRequestURI). */
function isUri(text: string): boolean {
  if (text.startsWith('/')) return !/[\s]/.test(text);
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:[^\s]+$/.test(text);
}

function isHostname(text: string): boolean {
  if (text === '' || text.length > 255) return false;
  const labels = (text.endsWith('.') ? text.slice(0, -1) : text).split('.');
  return labels.every((label) => HOST_LABEL.test(label));
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  if (rest.length > 0 || !/^\d{1,3}$/.test(bits) || !isIpAddress(address)) return false;
  return Number(bits) <= (address.includes(':') ? 128 : 32);
}

function isIsbn10(text: string): boolean {
  const digits = text.replaceAll(/[\s-]/g, '');
  if (!ISBN10.test(digits)) return false;
  let sum = 0;
  for (const [position, digit] of digits.split('').entries())
    sum += (position + 1) * (digit === 'X' ? 10 : Number(digit));
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replaceAll(/[\s-]/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  let sum = 0;
  for (const [position, digit] of digits.split('').entries()) sum += (position % 2 === 0 ? 1 : 3) * Number(digit);
  return sum % 10 === 0;
}

function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '');
  if (digits.length < 12 || digits.length > 19) return false;
  let sum = 0;
  for (const [position, digit] of digits.split('').toReversed().entries()) {
    const value = Number(digit) * (position % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

/**
 * Parses certificate requests (PKCS #10, RFC 2986) without any library, because the approver must see exactly what will be
 * signed. Strict: unknown content is refused. It does not check the request's signature.
 */
import { DerError, DerReader, type DerValue, readObjectIdentifier, TAG } from './der.ts';

export interface ParsedCertificateRequest {
  /** All parts of the subject, in order. */
  readonly subject: readonly SubjectPart[];
  /** "" without one. */
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  /** IPv4 with dots, IPv6 as eight groups without leading zeros. */
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
}

export interface SubjectPart {
  /** "2.5.4.3" is the common name. */
  readonly type: string;
  readonly value: string;
}

export type CertificateRequestResult =
  | { readonly ok: true; readonly request: ParsedCertificateRequest }
  | { readonly ok: false; readonly reason: string };

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const SUBJECT_ALTERNATIVE_NAMES = '2.5.29.17';
const PEM = /^\s*-----BEGIN CERTIFICATE REQUEST-----\r?\n([A-Za-z0-9+/=\s]+?)-----END CERTIFICATE REQUEST-----\s*$/;
/** A request holds a name and a key; RSA 16384 with a hundred names is far below. */
const MAX_PEM_CHARACTERS = 64 * 1024;

/** @param pem one PEM block, "CERTIFICATE REQUEST", and nothing else */
export function parseCertificateRequest(pem: string): CertificateRequestResult {
  if (pem.length > MAX_PEM_CHARACTERS) return { ok: false, reason: 'the request is too long' };
  const body = PEM.exec(pem)?.[1];
  if (body === undefined) return { ok: false, reason: 'PEM block type must be CERTIFICATE REQUEST' };
  try {
    return { ok: true, request: readRequest(Buffer.from(body.replaceAll(/\s/g, ''), 'base64')) };
  } catch (error) {
    if (error instanceof DerError) return { ok: false, reason: error.message };
    throw error;
  }
}

function readRequest(der: Uint8Array): ParsedCertificateRequest {
  const whole = new DerReader(der);
  const outer = whole.read(TAG.sequence).reader();
  whole.end('the request');
  const info = outer.read(TAG.sequence).reader();
  outer.read(TAG.sequence);
  outer.read(TAG.bitString);
  outer.end('the request');
  const version = info.read(TAG.integer).bytes;
  if (version.length !== 1 || version[0] !== 0) throw new DerError('unknown version of the request');
  const subject = readName(info.read(TAG.sequence));
  // The key.
  info.read(TAG.sequence);
  const attributes = info.isAtEnd ? undefined : info.read(TAG.context0);
  info.end('the request');
  return {
    subject,
    commonName: only(subject, COMMON_NAME),
    organizations: subject.filter(({ type }) => type === ORGANIZATION).map(({ value }) => value),
    ...readNames(attributes),
  };
}

function only(subject: readonly SubjectPart[], type: string): string {
  const found = subject.filter((part) => part.type === type);
  // With two of them it is unclear which one is meant.
  if (found.length > 1) throw new DerError('the subject has more than one common name');
  return found[0]?.value ?? '';
}

function readName(name: DerValue): SubjectPart[] {
  const parts: SubjectPart[] = [];
  for (const set of name.reader().all(TAG.set)) {
    for (const pair of set.reader().all(TAG.sequence)) {
      const reader = pair.reader();
      const type = readObjectIdentifier(reader.read(TAG.objectIdentifier));
      const value = readText(reader.readAny());
      reader.end('a part of the subject');
      parts.push({ type, value });
    }
  }
  return parts;
}

const PRINTABLE = /^[\x20-\x7e]*$/;

/** Old alphabets that others may read otherwise are refused. */
function readText({ tag, bytes }: DerValue): string {
  if (tag !== TAG.utf8String && tag !== TAG.printableString && tag !== TAG.ia5String)
    throw new DerError('a text of the subject is neither UTF-8 nor ASCII');
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let value: string;
  try {
    value = text.decode(bytes);
  } catch {
    throw new DerError('a text of the subject is no UTF-8');
  }
  if (tag !== TAG.utf8String && !PRINTABLE.test(value)) throw new DerError('a text of the subject is no ASCII');
  if (/\p{Cc}/u.test(value)) throw new DerError('a text of the subject has a control character');
  return value;
}

interface Names {
  dnsNames: string[];
  ipAddresses: string[];
  emailAddresses: string[];
  uris: string[];
}

function readNames(attributes: DerValue | undefined): Names {
  const names: Names = { dnsNames: [], ipAddresses: [], emailAddresses: [], uris: [] };
  let extensions = 0;
  for (const attribute of attributes?.reader().all(TAG.sequence) ?? []) {
    const reader = attribute.reader();
    const type = readObjectIdentifier(reader.read(TAG.objectIdentifier));
    const values = reader.read(TAG.set);
    reader.end('an attribute');
    if (type !== EXTENSION_REQUEST) continue;
    for (const list of values.reader().all(TAG.sequence)) {
      for (const extension of list.reader().all(TAG.sequence)) {
        if (readExtension(extension, names)) extensions += 1;
      }
    }
  }
  if (extensions > 1) throw new DerError('the request names its alternative names twice');
  return names;
}

/** True for the alternative names; no other extension is signed, whatever the request asks for. */
function readExtension(extension: DerValue, names: Names): boolean {
  const reader = extension.reader();
  const type = readObjectIdentifier(reader.read(TAG.objectIdentifier));
  if (reader.peekTag === TAG.boolean) reader.read(TAG.boolean);
  const value = reader.read(TAG.octetString);
  reader.end('an extension');
  if (type !== SUBJECT_ALTERNATIVE_NAMES) return false;
  const inner = new DerReader(value.bytes);
  const list = inner.read(TAG.sequence).reader();
  inner.end('the alternative names');
  while (!list.isAtEnd) readAlternativeName(list.readAny(), names);
  return true;
}

function readAlternativeName({ tag, bytes }: DerValue, names: Names): void {
  switch (tag) {
    case TAG.emailName:
      names.emailAddresses.push(ascii(bytes));
      return;
    case TAG.dnsName:
      names.dnsNames.push(ascii(bytes));
      return;
    case TAG.uriName:
      names.uris.push(ascii(bytes));
      return;
    case TAG.ipName:
      names.ipAddresses.push(printAddress(bytes));
      return;
    default:
      throw new DerError('an alternative name is neither a host, an address, a mail address nor a URI');
  }
}

function ascii(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('latin1');
  if (!/^[\x21-\x7e]+$/.test(text)) throw new DerError('an alternative name is no plain ASCII');
  return text;
}

function printAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return [...bytes].join('.');
  if (bytes.length !== 16) throw new DerError('an address has neither 4 nor 16 bytes');
  const groups = Array.from({ length: 8 }, (_, at) => ((bytes[at * 2] ?? 0) << 8) | (bytes[at * 2 + 1] ?? 0));
  return groups.map((group) => group.toString(16)).join(':');
}

/** An address in text as `ipAddresses` has it; undefined for what is none. */
export function canonicalAddress(text: string): string | undefined {
  if (!text.includes(':')) return /^(\d{1,3}\.){3}\d{1,3}$/.test(text) ? text : undefined;
  const tail = text.slice(text.lastIndexOf(':') + 1);
  const [a = 0, b = 0, c = 0, d = 0] = tail.split('.').map(Number);
  const plain = tail.includes('.')
    ? `${text.slice(0, text.lastIndexOf(':') + 1)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
    : text;
  const [head = '', rest] = plain.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = rest === undefined || rest === '' ? [] : rest.split(':');
  const gap = rest === undefined ? 0 : 8 - left.length - right.length;
  if (gap < 0 || left.length + right.length + gap !== 8) return undefined;
  const groups = [...left, ...Array.from({ length: gap }, () => '0'), ...right];
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':');
}

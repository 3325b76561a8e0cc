/** Semantic versions (upstream: apiserver/pkg/cel/library/semverlib). Pure. */
import { compareTexts } from '../values/equality.ts';
import { CelError, type OpaqueValue, type Value } from '../values/value.ts';
import { makeOpaque } from './opaque.ts';
import { type Overload, overload } from './overload.ts';

interface Version {
  readonly core: readonly [bigint, bigint, bigint];
  readonly pre: readonly string[];
  readonly build: readonly string[];
}

const MAX_LENGTH = 1024;
const NUMBER = '(0|[1-9][0-9]{0,18})';
const PART = '[0-9A-Za-z-]+';
const PATTERN = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${PART}(?:\\.${PART})*))?(?:\\+(${PART}(?:\\.${PART})*))?$`,
);

function parseVersion(text: string): Version | CelError {
  const match = text.length > MAX_LENGTH ? null : PATTERN.exec(text);
  if (match === null) return new CelError(whatIsWrong(text));
  const [, major = '0', minor = '0', patch = '0', pre = '', build = ''] = match;
  const parts = pre === '' ? [] : pre.split('.');
  const leading = parts.find((part) => /^0\d+$/.test(part));
  if (leading !== undefined) {
    return new CelError(`Numeric PreRelease version must not contain leading zeroes "${leading}"`);
  }
  return {
    core: [BigInt(major), BigInt(minor), BigInt(patch)],
    pre: parts,
    build: build === '' ? [] : build.split('.'),
  };
}

function whatIsWrong(text: string): string {
  if (text === '') return 'Version string empty';
  const names = ['major', 'minor', 'patch'] as const;
  const parts = text.slice(0, MAX_LENGTH).split('.');
  if (parts.length < 3) return 'No Major.Minor.Patch elements found';
  for (const [index, name] of names.entries()) {
    const part = (parts[index] ?? '').replace(index === 2 ? /[-+].*$/ : /$^/, '');
    const title = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    if (!/^\d+$/.test(part)) return `Invalid character(s) found in ${name} number "${part}"`;
    if (/^0\d/.test(part)) return `${title} number must not contain leading zeroes "${part}"`;
  }
  return 'Invalid character(s) found in prerelease or build metadata';
}

/** Without a `v`, with three numbers, none of them with zeros before it. */
function normalize(text: string): string | CelError {
  const parts = splitAt(text.replace(/^v/, ''), 3).map((part) => {
    if (part.length <= 1) return part;
    const trimmed = part.replace(/^0+/, '');
    return /^\d/.test(trimmed) ? trimmed : `0${trimmed}`;
  });
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) {
    return new CelError('short version cannot contain PreRelease/Build meta data');
  }
  while (parts.length < 3) parts.push('0');
  return parts.join('.');
}

function splitAt(text: string, count: number): readonly string[] & string[] {
  const parts = text.split('.');
  return parts.length <= count ? parts : [...parts.slice(0, count - 1), parts.slice(count - 1).join('.')];
}

function read(text: string, normalized = false): Version | CelError {
  if (!normalized) return parseVersion(text);
  const plain = normalize(text);
  return plain instanceof CelError ? plain : parseVersion(plain);
}

function of(value: OpaqueValue): Version {
  return value.inner as Version;
}

function compareVersions(one: Version, other: Version): number {
  for (const index of [0, 1, 2] as const) {
    if (one.core[index] !== other.core[index]) return one.core[index] > other.core[index] ? 1 : -1;
  }
  if (one.pre.length === 0 || other.pre.length === 0) return Math.sign(other.pre.length - one.pre.length);
  const shared = Math.min(one.pre.length, other.pre.length);
  for (let index = 0; index < shared; index++) {
    const order = comparePart(one.pre[index] ?? '', other.pre[index] ?? '');
    if (order !== 0) return order;
  }
  return Math.sign(one.pre.length - other.pre.length);
}

/** Numbers stand below words. */
function comparePart(one: string, other: string): number {
  const isNumber = (part: string): boolean => /^\d+$/.test(part);
  if (isNumber(one) !== isNumber(other)) return isNumber(one) ? -1 : 1;
  if (!isNumber(one)) return Math.sign(compareTexts(one, other));
  const [left, right] = [BigInt(one), BigInt(other)];
  if (left === right) return 0;
  return left > right ? 1 : -1;
}

function show({ core, pre, build }: Version): string {
  return `${core.join('.')}${pre.length === 0 ? '' : `-${pre.join('.')}`}${build.length === 0 ? '' : `+${build.join('.')}`}`;
}

function toSemver(text: string, normalized?: boolean): Value | CelError {
  const version = read(text, normalized);
  if (version instanceof CelError) return version;
  const equals = (one: Version, other: Version): boolean => compareVersions(one, other) === 0;
  return makeOpaque({ typeName: 'kubernetes.Semver', inner: version, equals, show });
}

function isSemver(text: string, normalized?: boolean): boolean {
  return !(read(text, normalized) instanceof CelError);
}

export const SEMVERS: readonly Overload[] = [
  overload('string_to_semver', 'semver(string): semver', toSemver),
  overload('string_bool_to_semver', 'semver(string, bool): semver', toSemver),
  overload('is_semver_string', 'isSemver(string): bool', isSemver),
  overload('is_semver_string_bool', 'isSemver(string, bool): bool', isSemver),
  overload(
    'semver_is_greater_than',
    '<semver>.isGreaterThan(semver): bool',
    (one: OpaqueValue, other: OpaqueValue) => compareVersions(of(one), of(other)) > 0,
  ),
  overload(
    'semver_is_less_than',
    '<semver>.isLessThan(semver): bool',
    (one: OpaqueValue, other: OpaqueValue) => compareVersions(of(one), of(other)) < 0,
  ),
  overload('semver_compare_to', '<semver>.compareTo(semver): int', (one: OpaqueValue, other: OpaqueValue) =>
    BigInt(compareVersions(of(one), of(other))),
  ),
  overload('semver_major', '<semver>.major(): int', (value: OpaqueValue) => of(value).core[0]),
  overload('semver_minor', '<semver>.minor(): int', (value: OpaqueValue) => of(value).core[1]),
  overload('semver_patch', '<semver>.patch(): int', (value: OpaqueValue) => of(value).core[2]),
];

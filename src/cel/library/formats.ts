/** Named formats of strings (upstream: apiserver/pkg/cel/library/format). Pure. */
import {
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelKey,
  checkLabelValue,
  forPrefix,
} from '../../api/index.ts';
import { ArrayList } from '../values/containers.ts';
import { parseDate, parseTimestamp } from '../values/time.ts';
import { CelError, Optional, type OpaqueValue, type Value } from '../values/value.ts';
import { makeOpaque } from './opaque.ts';
import { type Overload, overload } from './overload.ts';
import { parseUrl } from './urls.ts';

export interface NamedFormat {
  readonly name: string;
  /** What is wrong with a text; nothing when it is of the format. */
  readonly check: (text: string) => readonly string[];
  /** The length of the pattern that stands for it in costs. */
  readonly patternSize: number;
}

const UUID = /^(?:[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12})$/i;
const BASE_64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;

function checkUri(text: string): readonly string[] {
  const url = parseUrl(text);
  return url instanceof CelError ? [url.message] : [];
}

function must(test: (text: string) => boolean, message: string): (text: string) => readonly string[] {
  return (text) => (test(text) ? [] : [message]);
}

/** Name of the function → format. The sizes of the last five are those of the patterns that upstream's libraries have. */
const FORMATS: Readonly<Record<string, NamedFormat>> = {
  dns1123Label: { name: 'DNS1123Label', check: checkDns1123Label, patternSize: 30 },
  dns1123Subdomain: { name: 'DNS1123Subdomain', check: checkDns1123Subdomain, patternSize: 60 },
  dns1035Label: { name: 'DNS1035Label', check: checkDns1035Label, patternSize: 30 },
  qualifiedName: { name: 'QualifiedName', check: checkLabelKey, patternSize: 60 },
  dns1123LabelPrefix: { name: 'DNS1123LabelPrefix', check: forPrefix(checkDns1123Label), patternSize: 30 },
  dns1123SubdomainPrefix: { name: 'DNS1123SubdomainPrefix', check: forPrefix(checkDns1123Subdomain), patternSize: 60 },
  dns1035LabelPrefix: { name: 'DNS1035LabelPrefix', check: forPrefix(checkDns1035Label), patternSize: 30 },
  labelValue: { name: 'LabelValue', check: checkLabelValue, patternSize: 40 },
  uri: { name: 'URI', check: checkUri, patternSize: 1122 },
  uuid: {
    name: 'uuid',
    check: must((text) => UUID.test(text), 'does not match the UUID format'),
    patternSize: 103,
  },
  byte: { name: 'byte', check: must((text) => BASE_64.test(text), 'invalid base64'), patternSize: 92 },
  date: { name: 'date', check: must((text) => parseDate(text) !== undefined, 'invalid date'), patternSize: 70 },
  datetime: {
    name: 'datetime',
    check: must((text) => parseTimestamp(text.toUpperCase()) !== undefined, 'invalid datetime'),
    patternSize: 70,
  },
};

function formatOf(inner: NamedFormat): Value {
  const equals = (one: NamedFormat, other: NamedFormat): boolean => one.name === other.name;
  return makeOpaque({ typeName: 'kubernetes.NamedFormat', inner, equals, show: ({ name }: NamedFormat) => name });
}

function validate(format: OpaqueValue, text: string): Value {
  const mistakes = (format.inner as NamedFormat).check(text);
  return mistakes.length === 0 ? Optional.none : new Optional(new ArrayList([...mistakes]));
}

function named(name: string): Value {
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  return format === undefined ? Optional.none : new Optional(formatOf(format));
}

export const NAMED_FORMATS: readonly Overload[] = [
  overload('format-validate', '<format>.validate(string): optional(list(string))', validate),
  overload('format-named', 'format.named(string): optional(format)', named),
  ...Object.entries(FORMATS).map(([name, format]) =>
    overload(`format.${name}`, `format.${name}(): format`, () => formatOf(format)),
  ),
];

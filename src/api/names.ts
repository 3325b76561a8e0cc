/**
 * The rules for names. Every check returns upstream's messages, none when the name is good (apimachinery `util/validation`).
 * Lengths count UTF-16 units, which are ASCII whenever the pattern matches.
 */
export type NameCheck = (value: string) => readonly string[];

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const DNS1035_LABEL = '[a-z]([-a-z0-9]*[a-z0-9])?';
const LABEL_KEY = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${LABEL_KEY})?`;
const CONFIG_KEY = '[-._a-zA-Z0-9]+';
const HEADER_NAME = '[-A-Za-z0-9]+';

const LABEL_PATTERN = anchored(LABEL);
const SUBDOMAIN_PATTERN = anchored(SUBDOMAIN);
const DNS1035_PATTERN = anchored(DNS1035_LABEL);
const LABEL_KEY_PATTERN = anchored(LABEL_KEY);
const LABEL_VALUE_PATTERN = anchored(LABEL_VALUE);
const CONFIG_KEY_PATTERN = anchored(CONFIG_KEY);
const HEADER_NAME_PATTERN = anchored(HEADER_NAME);

const LABEL_MESSAGE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const SUBDOMAIN_MESSAGE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const DNS1035_MESSAGE =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
const LABEL_KEY_MESSAGE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const LABEL_VALUE_MESSAGE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

export function checkDns1123Label(value: string): readonly string[] {
  const errors = checkLength(value, 63);
  if (LABEL_PATTERN.test(value)) return errors;
  const dotted = SUBDOMAIN_PATTERN.test(value);
  return [...errors, dotted ? 'must not contain dots' : patternError(LABEL_MESSAGE, LABEL, 'my-name', '123-abc')];
}

export function checkDns1123Subdomain(value: string): readonly string[] {
  const errors = checkLength(value, 253);
  return SUBDOMAIN_PATTERN.test(value)
    ? errors
    : [...errors, patternError(SUBDOMAIN_MESSAGE, SUBDOMAIN, 'example.com')];
}

export function checkDns1035Label(value: string): readonly string[] {
  const errors = checkLength(value, 63);
  return DNS1035_PATTERN.test(value)
    ? errors
    : [...errors, patternError(DNS1035_MESSAGE, DNS1035_LABEL, 'my-name', 'abc-123')];
}

/** Longest name that no other rule bounds; names become keys of the store. */
const MAX_PATH_SEGMENT = 1024;

/** The rule for one segment of a path: names of roles have colons and capitals (upstream: IsValidPathSegmentName). */
export function checkPathSegment(value: string): readonly string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  if (value.length > MAX_PATH_SEGMENT) return [`may not be longer than ${MAX_PATH_SEGMENT} characters`];
  const errors = ['/', '%'].filter((sign) => value.includes(sign)).map((sign) => `may not contain '${sign}'`);
  if (value.includes('\0')) errors.push('may not contain NUL');
  return value.isWellFormed() ? errors : [...errors, 'must be valid Unicode'];
}

/** A qualified name: the rule for keys of labels and annotations, finalizers and resource names. */
export function checkLabelKey(value: string): readonly string[] {
  const parts = value.split('/');
  const explain = patternError(LABEL_KEY_MESSAGE, LABEL_KEY, 'MyName', 'my.name', '123-abc');
  if (parts.length > 2) {
    return [`a valid label key ${explain} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = parts.at(-1) ?? '';
  const errors: string[] = [];
  const prefix = parts.length === 2 ? parts[0] : undefined;
  if (prefix === '') errors.push('prefix part must be non-empty');
  else if (prefix !== undefined)
    errors.push(...checkDns1123Subdomain(prefix).map((message) => `prefix part ${message}`));
  if (name === '') errors.push('name part must be non-empty');
  else errors.push(...checkLength(name, 63).map((message) => `name part ${message}`));
  if (!LABEL_KEY_PATTERN.test(name)) errors.push(`name part ${explain}`);
  return errors;
}

export function checkLabelValue(value: string): readonly string[] {
  const errors = checkLength(value, 63);
  return LABEL_VALUE_PATTERN.test(value)
    ? errors
    : [...errors, patternError(LABEL_VALUE_MESSAGE, LABEL_VALUE, 'MyValue', 'my_value', '12345')];
}

/** Printable ASCII but '=' (relaxed rule, general since 1.34). */
export function checkEnvVarName(value: string): readonly string[] {
  if (value === '') return ['environment variable name must be non-empty'];
  if (/^[ -<>-~]*$/.test(value)) return [];
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** A key of a ConfigMap or Secret: it becomes a file name. */
export function checkConfigMapKey(value: string): readonly string[] {
  const errors = [...checkLength(value, 253)];
  if (!CONFIG_KEY_PATTERN.test(value)) {
    const message = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    errors.push(patternError(message, CONFIG_KEY, 'key.name', 'KEY_NAME', 'key-name'));
  }
  if (value === '.') errors.push("must not be '.'");
  else if (value === '..') errors.push("must not be '..'");
  else if (value.startsWith('..')) errors.push("must not start with '..'");
  return errors;
}

export function checkPortName(value: string): readonly string[] {
  const errors = [...checkLength(value, 15)];
  if (!/^[-a-z0-9]+$/.test(value))
    errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(value)) errors.push('must contain at least one letter (a-z)');
  if (value.includes('--')) errors.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) errors.push('must not begin or end with a hyphen');
  return errors;
}

export function checkPortNumber(port: number): readonly string[] {
  return checkRange(port, 1, 65535);
}

export function checkRange(value: number, minimum: number, maximum: number): readonly string[] {
  return value >= minimum && value <= maximum ? [] : [`must be between ${minimum} and ${maximum}, inclusive`];
}

export function checkHeaderName(value: string): readonly string[] {
  if (HEADER_NAME_PATTERN.test(value)) return [];
  return [
    patternError("a valid HTTP header must consist of alphanumeric characters or '-'", HEADER_NAME, 'X-Header-Name'),
  ];
}

/** The check for a prefix (`generateName`): a trailing dash is fine, more will follow. */
export function forPrefix(check: NameCheck): NameCheck {
  return (value) => check(value.length > 1 && value.endsWith('-') ? `${value.slice(0, -2)}a` : value);
}

function checkLength(value: string, maximum: number): readonly string[] {
  return value.length > maximum ? [`must be no more than ${maximum} characters`] : [];
}

function patternError(message: string, pattern: string, ...examples: readonly string[]): string {
  const listed = examples.map((example) => `'${example}', `).join('or ');
  return `${message} (e.g. ${listed}regex used for validation is '${pattern}')`;
}

function anchored(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`);
}

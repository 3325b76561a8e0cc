/** Label selectors: the text form of queries (set-based included) and `LabelSelector` objects, as requirements that match labels. */
import { type FieldError, invalidValue, printFieldErrors } from './field-error.ts';
import { checkLabelKey, checkLabelValue } from './names.ts';
import type { LabelSelector } from './types.gen.ts';

export type LabelOperator = 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

export interface LabelRequirement {
  readonly key: string;
  /** '=' and '==' are 'in' of one value, '!=' is 'notin' of one. */
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** All requirements must hold; an empty list matches everything. */
export type ParsedLabelSelector = readonly LabelRequirement[];

export type Labels = Readonly<Record<string, string>>;

/** A malformed selector; the message is upstream's. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}

/** Whether the labels (absent ones count as empty) fulfil every requirement. */
export function matchesLabels(selector: ParsedLabelSelector, labels: Labels | undefined): boolean {
  return selector.every((requirement) => matchesRequirement(requirement, labels ?? {}));
}

function matchesRequirement({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'in':
      return value !== undefined && values.includes(value);
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'gt':
    case 'lt':
      return compareIntegers(operator, value, values[0]);
  }
}

function compareIntegers(operator: 'gt' | 'lt', value: string | undefined, bound: string | undefined): boolean {
  if (value === undefined || bound === undefined || !isInteger(value) || !isInteger(bound)) return false;
  return operator === 'gt' ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound);
}

function isInteger(text: string): boolean {
  return /^-?\d{1,19}$/.test(text);
}

/** Parses `a=b,c!=d,e in (f,g),!h,i`. Throws `SelectorError`. */
export function parseLabelSelector(text: string): ParsedLabelSelector {
  const tokens = tokenize(text);
  const selector: LabelRequirement[] = [];
  let token = tokens.next();
  while (token !== '') {
    const parsed = parseRequirement(token, tokens);
    validateRequirement(parsed);
    selector.push(parsed);
    const separator = tokens.next();
    if (separator === '') break;
    if (separator !== ',')
      throw new SelectorError(`unable to parse requirement: found '${separator}', expected: ',' or 'end of string'`);
    token = tokens.next();
    if (token === '') throw new SelectorError("found '', expected: identifier after ','");
  }
  return selector;
}

interface Tokens {
  /** The next token, '' at the end. */
  next(): string;
  peek(): string;
}

function tokenize(text: string): Tokens {
  const tokens = text.match(/[(),]|==|=|!=|!|>|<|[^\s(),=!<>]+/g) ?? [];
  let position = 0;
  return { next: () => tokens[position++] ?? '', peek: () => tokens[position] ?? '' };
}

const SYMBOLS = new Set(['(', ')', ',', '=', '==', '!=', '!', '>', '<', '']);

function parseRequirement(first: string, tokens: Tokens): LabelRequirement {
  const negated = first === '!';
  const key = negated ? tokens.next() : first;
  if (SYMBOLS.has(key)) throw unexpected(key, 'identifier');
  if (negated) return { key, operator: '!', values: [] };
  if (tokens.peek() === '' || tokens.peek() === ',') return { key, operator: 'exists', values: [] };
  const operator = tokens.next();
  switch (operator) {
    case 'in':
    case 'notin':
      return { key, operator, values: parseValues(tokens) };
    case '=':
    case '==':
      return { key, operator: 'in', values: [parseExactValue(tokens)] };
    case '!=':
      return { key, operator: 'notin', values: [parseExactValue(tokens)] };
    case '>':
      return { key, operator: 'gt', values: [parseExactValue(tokens)] };
    case '<':
      return { key, operator: 'lt', values: [parseExactValue(tokens)] };
    default:
      throw unexpected(operator, 'in, notin, =, ==, !=, gt, lt');
  }
}

function parseValues(tokens: Tokens): string[] {
  const opening = tokens.next();
  if (opening !== '(') throw new SelectorError(`unable to parse requirement: found '${opening}' expected: '('`);
  const values = new Set<string>();
  for (;;) {
    const value = SYMBOLS.has(tokens.peek()) ? '' : tokens.next();
    values.add(value);
    const separator = tokens.next();
    if (separator === ')') return [...values].toSorted();
    if (separator !== ',') throw unexpected(separator, "',' or ')'");
  }
}

function parseExactValue(tokens: Tokens): string {
  if (tokens.peek() === '' || tokens.peek() === ',') return '';
  const value = tokens.next();
  if (SYMBOLS.has(value)) throw unexpected(value, 'identifier');
  return value;
}

function unexpected(found: string, expected: string): SelectorError {
  return new SelectorError(`unable to parse requirement: found '${found}', expected: ${expected}`);
}

function validateRequirement({ key, operator, values }: LabelRequirement): void {
  const errors: FieldError[] = [];
  const keyErrors = checkLabelKey(key);
  if (keyErrors.length > 0) errors.push(invalidValue('', key, keyErrors.join('; ')));
  values.forEach((value, position) => {
    const valueErrors = checkLabelValue(value);
    if (valueErrors.length > 0) errors.push(invalidValue(`values[${position}][${key}]`, value, valueErrors.join('; ')));
    if ((operator === 'gt' || operator === 'lt') && !isInteger(value)) {
      errors.push(invalidValue(`values[${position}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer"));
    }
  });
  if (errors.length > 0) throw new SelectorError(`unable to parse requirement: ${printFieldErrors(errors)}`);
}

const OPERATORS: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

/**
 * The requirements of a `LabelSelector` object; `undefined` for no selector (matches nothing), empty for an empty one
 * (matches everything). Throws `SelectorError`.
 */
export function labelSelectorOf(selector: LabelSelector | undefined): ParsedLabelSelector | undefined {
  if (selector === undefined) return undefined;
  const fromLabels = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({
    key,
    operator: 'in' as const,
    values: [value],
  }));
  const fromExpressions = (selector.matchExpressions ?? []).map((expression) => {
    const operator = OPERATORS[expression.operator];
    if (operator === undefined)
      throw new SelectorError(`"${expression.operator}" is not a valid label selector operator`);
    return { key: expression.key, operator, values: expression.values ?? [] };
  });
  return [...fromLabels, ...fromExpressions];
}

/** Canonical text of a selector (keys sorted). */
export function formatLabelSelector(selector: ParsedLabelSelector): string {
  return selector
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ key, operator, values }) => {
      if (operator === 'exists') return key;
      if (operator === '!') return `!${key}`;
      if (operator === 'gt' || operator === 'lt') return `${key}${operator === 'gt' ? '>' : '<'}${values[0]}`;
      if (values.length === 1) return `${key}${operator === 'in' ? '=' : '!='}${values[0]}`;
      return `${key} ${operator} (${values.join(',')})`;
    })
    .join(',');
}

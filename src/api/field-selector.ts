/** Field selectors: `status.phase!=Running,spec.nodeName=a`, over the few fields that each kind offers. */
import { SelectorError } from './label-selector.ts';
import type { Resource } from './resource.ts';
import { matchesSelectableField, selectableFieldsOf } from './selectable-fields.ts';

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** All requirements must hold; an empty list matches everything. */
export type ParsedFieldSelector = readonly FieldRequirement[];

/** Parses the text form; `\` escapes `,`, `=` and itself in values. Throws `SelectorError` with upstream's message. */
export function parseFieldSelector(text: string): ParsedFieldSelector {
  return splitTerms(text)
    .filter((term) => term !== '')
    .toSorted()
    .map((term) => {
      const match = /^(.*?)(!=|==|=)([\s\S]*)$/.exec(term);
      if (match === null) throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
      const [, field = '', operator, value = ''] = match;
      return { field, operator: operator === '!=' ? '!=' : '=', value: unescape(value) };
    });
}

function splitTerms(text: string): string[] {
  return text.match(/(?:\\[\s\S]|[^\\,])+|\\$/g) ?? [];
}

function unescape(value: string): string {
  const bad = /\\(?![\\,=])([\s\S]?)/.exec(value.replace(/\\[\\,=]/g, ''));
  if (bad !== null) throw new SelectorError(`invalid field selector: invalid escape sequence: ${bad[0]}`);
  const bare = /[,=]/.exec(value.replace(/\\[\\,=]/g, ''));
  if (bare !== null)
    throw new SelectorError(`invalid field selector: unescaped character in value: ${bare[0].codePointAt(0)}`);
  return value.replace(/\\([\\,=])/g, '$1');
}

/** Throws `SelectorError` when the kind doesn't offer one of the fields. */
export function checkFieldSelector(selector: ParsedFieldSelector, resource: Pick<Resource<unknown>, 'rules'>): void {
  const known = selectableFieldsOf(resource);
  for (const { field } of selector) {
    if (!known.includes(field)) throw new SelectorError(`field label not supported: ${field}`);
  }
}

/** Whether the object fulfils every requirement. A field without a value counts as ''. */
export function matchesFields(
  selector: ParsedFieldSelector,
  resource: Pick<Resource<unknown>, 'rules'>,
  object: unknown,
): boolean {
  return selector.every(
    ({ field, operator, value }) => matchesSelectableField(resource, object, field, value) === (operator === '='),
  );
}

/** The value that the selector demands of `field`, if it demands exactly one: lets a server narrow its search. */
export function requiredFieldValue(selector: ParsedFieldSelector, field: string): string | undefined {
  return selector.find((requirement) => requirement.field === field && requirement.operator === '=')?.value;
}

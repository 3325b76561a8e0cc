/** Label selectors and requirements as a finding tells them. Pure. */

export interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface SelectorLike {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly Requirement[];
}

/** "disk=ssd", "zone in a|b", "gpu exists" */
export function requirementText({ key, operator, values = [] }: Requirement): string {
  if (operator === 'Exists') return `${key} exists`;
  if (operator === 'DoesNotExist') return `no ${key}`;
  if (operator === 'In' && values.length === 1) return `${key}=${values[0]}`;
  const signs: Readonly<Record<string, string>> = { In: 'in', NotIn: 'not in', Gt: '>', Lt: '<' };
  return `${key} ${signs[operator] ?? operator} ${values.join('|')}`;
}

export function labelTexts(labels: Readonly<Record<string, string>> = {}): readonly string[] {
  return Object.entries(labels).map(([key, value]) => `${key}=${value}`);
}

/** The requirements one by one; empty: it asks for nothing. */
export function requirementsOf({ matchLabels = {}, matchExpressions = [] }: SelectorLike = {}): readonly Requirement[] {
  const labels = Object.entries(matchLabels).map(([key, value]) => ({ key, operator: 'In', values: [value] }));
  return [...labels, ...matchExpressions];
}

export function selectorTexts(selector: SelectorLike | undefined): readonly string[] {
  return requirementsOf(selector).map((each) => requirementText(each));
}

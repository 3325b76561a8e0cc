/** Label selectors and requirements as a finding tells them. Pure. */

import { type Requirement, requirementText } from '../placement/node-wishes.ts';

export interface SelectorLike {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly Requirement[];
}

/** The requirements one by one; empty: it asks for nothing. */
export function requirementsOf({ matchLabels = {}, matchExpressions = [] }: SelectorLike = {}): readonly Requirement[] {
  const labels = Object.entries(matchLabels).map(([key, value]) => ({ key, operator: 'In', values: [value] }));
  return [...labels, ...matchExpressions];
}

export function selectorTexts(selector: SelectorLike | undefined): readonly string[] {
  return requirementsOf(selector).map((each) => requirementText(each));
}

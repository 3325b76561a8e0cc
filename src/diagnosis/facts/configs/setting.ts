/** A setting that is told with an error which speaks only of what it sets. */
import type { Quote } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { Variable } from '../variables/environment.ts';
import { quotable } from '../words/text.ts';

export interface Setting {
  /** "its variable BUCKET is "invoices"" */
  readonly says: string;
  readonly quotes: readonly Quote[];
}

/** Characters of a value that is told. */
const MAX_VALUE = 80;
const MAY_BE_SECRET = /pass|pwd|secret|token|key|cred|url|uri|dsn/i;

/** Whether a variable holds a plain word that everybody may see: the name of something, and no address with its secrets. */
export function isPlain({ name, value }: Variable): boolean {
  return value !== '' && value.length <= MAX_VALUE && !MAY_BE_SECRET.test(name) && !/[@\s]/.test(value);
}

/** Where the variable stands, with its source, or else what of it is told. */
export function fieldOf({ path }: ContainerFacts, { at, of }: Variable, value: string): Quote {
  return { source: 'field', path: `${path}.${at}`, value: of ?? quotable(value) };
}

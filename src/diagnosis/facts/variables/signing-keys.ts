/** Knows the variable with the key by which a program checks signatures that it refuses, and whether it has an old value of that. Pure. */
import { parseTime } from '../../../lib/index.ts';
import { keyVariables } from '../configs/config-references.ts';
import type { Setting } from '../configs/setting.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import type { RankedFinding } from '../../finding.ts';
import { formatAge, hasWord } from '../words/text.ts';
import { ofText } from './environment.ts';

/** What is shown was signed with another key. */
const REFUSES =
  /\bBad(?:Time)?Signature\b|\bInvalidSignature(?:Error|Exception)?\b|\bSignatureVerification\w{0,20}|\bsignature(?: is)? (?:mismatch|invalid)\b|\bsignature\b.{0,100}\b(?:does not match|mismatch(?:es)?|verification failed|validation failed|could not be verified)\b|\binvalid (?:token |jwt |webhook )?signature\b|\bHMAC (?:mismatch|verification failed)\b/i;
const KEY =
  /(?:SIGN(?:ING|ATURE)?|JWT|JWS|TOKEN|SESSION|HMAC|COOKIE|AUTH|WEBHOOK)\w*(?:KEY|SECRET)|^SECRET_KEY(?:_BASE)?$|SIGNING/;

/** Whether a line speaks of a signature that is refused. */
export function refusesSignature(line: string): boolean {
  return REFUSES.test(line);
}

/** "it checks signatures with its variable SIGNING_KEY of Secret session-signing, key k, which was written 2m ago, after its start …" */
export function signingKey(facts: PodFacts, container: ContainerFacts, { says }: RankedFinding): Setting | undefined {
  const line = container.reading.decisive?.line ?? container.again?.said.line ?? '';
  if (!refusesSignature(line) && !refusesSignature(says)) return undefined;
  const given = keyVariables(container.spec).map(({ kind, name, variable, key }) => ({
    name: variable,
    of: ` of ${kind} ${name}, key ${key ?? ''}`,
    stale: staleText(facts, container, kind, name),
  }));
  const plain = container.environment.map((each) => ({ name: each.name, of: ofText(each), stale: '' }));
  const all = [...given, ...plain.filter(({ name }) => given.every((each) => each.name !== name))].filter(({ name }) =>
    KEY.test(name),
  );
  const [only] = all;
  if (only === undefined || new Set(all.map(({ name }) => name)).size > 1 || hasWord(says, only.name)) return undefined;
  return {
    says: `it checks signatures with its variable ${only.name}${only.of}${only.stale}`,
    quotes: [{ source: 'field', path: `${container.path}.env`, value: `sets ${only.name}${only.of}` }],
  };
}

/** A variable has the value of the container's start. */
function staleText({ evidence, now }: PodFacts, { status }: ContainerFacts, kind: string, name: string): string {
  const config = evidence.configs.find((each) => each.kind === kind && each.name === name);
  const startedAt = parseTime(status?.state?.running?.startedAt ?? undefined);
  const writtenAt = parseTime(config?.writtenAt);
  if (startedAt === undefined || writtenAt === undefined || writtenAt <= startedAt) return '';
  return `, which was written ${formatAge(now - writtenAt)} ago, after its start: it has the old value, and a restart takes the new one`;
}

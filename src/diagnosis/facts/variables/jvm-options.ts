/** Names the variable with the options that a JVM does not take. Pure. */
import type { ContainerFacts } from '../pod/container-facts.ts';
import { ofText } from './environment.ts';
import { fieldOf, type Setting } from '../configs/setting.ts';
import { quotable } from '../words/text.ts';

/** What a JVM says of its options before it runs anything. */
const JVM_REFUSES =
  /heap size (?:set )?|Unrecognized (?:VM )?option|Could not create the Java Virtual Machine|initialization of VM|Conflicting collector|Invalid (?:maximum|initial|minimum) |Improperly specified VM option|Error opening zip file or JAR manifest/i;

/** The only variable with options of a JVM, behind what it says of them. */
export function jvmOptions(container: ContainerFacts): Setting | undefined {
  const { reading, environment } = container;
  const lines = [reading.decisive?.line ?? '', ...(reading.decisive?.related ?? [])];
  if (!lines.some((line) => JVM_REFUSES.test(line))) return undefined;
  const named = environment.filter(({ value }) => /(?:^|\s)-(?:X|D|agent|javaagent)/.test(value.slice(0, 2000)));
  const [only, ...more] = named;
  const flags = (only?.value.match(/(?:^|\s)-(?:X\S{1,60}|javaagent:\S{1,100})/g) ?? []).map((flag) => flag.trim());
  if (only === undefined || more.length > 0 || flags.length === 0) return undefined;
  return {
    says: `its variable ${only.name}${ofText(only)} sets ${quotable(flags.slice(0, MAX_FLAGS).join(' '))}`,
    quotes: [fieldOf(container, only, flags.slice(0, MAX_FLAGS).join(' '))],
  };
}

const MAX_FLAGS = 4;

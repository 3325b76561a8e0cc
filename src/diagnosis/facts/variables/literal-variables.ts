/** Finds variables in arguments that no shell reads, so that the program gets their names. Pure. */
import type { RankedFinding } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { type Setting } from '../configs/setting.ts';
import { quotable } from '../words/text.ts';

/** "$PORT", "${PORT}" in an argument. */
const SHELL_REFERENCE = /\$(?:\{([A-Z_][A-Z0-9_]{1,60})\}|([A-Z_][A-Z0-9_]{1,60}))/;
const SHELLS = /(?:^|\/)(?:sh|bash|ash|dash|zsh|ksh|busybox|envsubst|awk|gawk|mawk|perl|make)$/;

/** A variable in an argument that no shell reads, so that the program has its name instead of its value. */
export function literalVariable({ spec, path }: ContainerFacts, { id }: RankedFinding): Setting | undefined {
  if (!/^(?:exit-code|bad-argument|malformed-config|missing-setting|dependency-not-resolved)$/.test(id))
    return undefined;
  const words = [...(spec.command ?? []), ...(spec.args ?? [])];
  // What one of them hands to a shell, or to a language that has such names, is expanded there, or is no reference.
  if (spec.command === undefined || words.slice(0, SHELL_WORDS).some((word) => SHELLS.test(word))) return undefined;
  const found = words.find((word) => word.length < MAX_ARGUMENT && SHELL_REFERENCE.test(word));
  const [whole = '', braced, plain] = SHELL_REFERENCE.exec(found ?? '') ?? [];
  const name = braced ?? plain;
  if (found === undefined || name === undefined || !(spec.env ?? []).some((each) => each.name === name))
    return undefined;
  return {
    says: `its argument ${quotable(found)} goes to it as it stands, as no shell reads it: Kubernetes fills in $(${name}), and not ${whole}`,
    quotes: [
      {
        source: 'field',
        path: `${path}.${(spec.command ?? []).includes(found) ? 'command' : 'args'}`,
        value: quotable(found),
      },
    ],
  };
}

/** What is said of an argument that is not known. */
const UNKNOWN = /unrecogni[sz]ed|unknown|invalid|no such|unexpected|not (?:a )?(?:valid|defined|known)/i;

/** Several arguments in one entry, as the program says that it does not know them. */
export function argumentsInOne({ spec, path, reading }: ContainerFacts, { id }: RankedFinding): Setting | undefined {
  const line = reading.decisive?.line ?? reading.lastLine ?? '';
  if (!/^(?:bad-argument|exit-code)$/.test(id) || !UNKNOWN.test(line)) return undefined;
  const words = [...(spec.command ?? []), ...(spec.args ?? [])];
  const found = words.find(
    (word) =>
      /^--?\w[\w-]*[ =]\S/.test(word) && word.includes(' ') && word.length < MAX_ARGUMENT && line.includes(word),
  );
  if (found === undefined) return undefined;
  const field = (spec.command ?? []).includes(found) ? 'command' : 'args';
  return {
    says: `its ${field} ${field === 'args' ? 'have' : 'has'} ${JSON.stringify(quotable(found))} in one entry, which is one argument with blanks: each word needs an entry of its own`,
    quotes: [{ source: 'field', path: `${path}.${field}`, value: quotable(found) }],
  };
}

/** "env", "tini", "--", "sh" */
const SHELL_WORDS = 4;
const MAX_ARGUMENT = 200;

/** Rule: a program does not use a key or a password file that others may read, as files of Secrets are by default. */
import { anyOf, fileNear } from '../../../log-analysis/index.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { endedByItself, lastLine, lastWord, type LastWord, rankOfWord } from '../../facts/words/last-words.ts';
import { configsBehind, volumeOf } from '../../facts/files/mounts.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { listed } from '../../facts/words/text.ts';
import type { Quote } from '../../finding.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { commandForLog, explainedEnd, title } from './exit-code.ts';

const TOO_OPEN = anyOf(
  /permissions (?:0?\d{3,4} )?(?:for|on|of) .{1,300}(?:are|is) too (?:open|permissive|lax|loose|wide)/i,
  /permissions .{0,40}too (?:open|permissive|lax|loose|wide)/i,
  /(?:insecure|unsafe|overly permissive|too permissive) (?:file )?(?:permissions|mode)/i,
  /has (?:group|group or world|world) access/i,
  /is (?:group|world|group or world)(?: |-)?(?:or (?:group|world)(?: |-))?(?:readable|writable|writeable|accessible)/i,
  /must be accessible by owner only/i,
  /permissions should be (?:u=rw|0?[46]00)/i,
  /(?:must|should) (?:be|have|not be) .{0,40}\b0?[46]00\b/i,
  /bad (?:permissions|file mode)\b/i,
);
/** What follows from a key or password that was not used. */
const CONSEQUENCE =
  /permission denied|no password (?:was )?supplied|authentication|password|credential|login|publickey|could not read from remote/i;

const ofContainer: ContainerRule = (facts, container) => {
  if (!endedByItself(container)) return NOTHING;
  const word = openFile(container);
  const file = word === undefined ? undefined : fileNear(word.line, word.match.index);
  const mounted = file === undefined ? undefined : volumeOf(facts, container, file);
  if (word === undefined || file === undefined || mounted === undefined) return NOTHING;
  const configs = configsBehind(mounted);
  const [config] = configs;
  if (config === undefined) return NOTHING;
  const { volume, path } = mounted;
  const source = volume.configMap ?? volume.secret ?? volume.projected;
  const mode = source?.defaultMode ?? 0o644;
  const field = `${path}.${volume.secret === undefined ? (volume.configMap === undefined ? 'projected' : 'configMap') : 'secret'}.defaultMode`;
  const of = listed(configs.map(({ kind, name }) => `${kind} ${name}`));
  const quote: Quote = { source: 'field', path: field, value: `0${mode.toString(8)}` };
  return [
    explainedEnd(facts, container, {
      id: 'permission-denied',
      rank: rankOfWord(89, word),
      says: `${title(container)} refuses ${file}, which others may read: volume ${volume.name} (${of}) has the mode 0${mode.toString(8)}${byGroup(facts, mode)}; ${advice(facts, container, { line: word.line, mode })}`,
      line: word.line,
      more: [quote, config.quote],
      try: [...facts.commands.edit, commandForLog(facts, container)],
    }),
  ];
};

export const fileModes: PodRule = eachContainer(ofContainer);

/** Whether this rule tells of the file: it lies in a volume of a ConfigMap or Secret, whose mode is known. */
export function isTooOpen(facts: PodFacts, container: ContainerFacts): boolean {
  return ofContainer(facts, container).length > 0;
}

/** The decisive line, or one above an end that follows from it. */
function openFile(container: ContainerFacts): LastWord | undefined {
  const own = lastWord(container, TOO_OPEN);
  if (own !== undefined) return own;
  const { decisive } = container.reading;
  const above = decisive === undefined || CONSEQUENCE.test(decisive.line) ? lastLine(container, TOO_OPEN) : undefined;
  return above === undefined ? undefined : { ...above, fromEnd: 0 };
}

/** What group and others may do. */
const OTHERS = 0o077;

/** ", which fsGroup 1000 makes 0440": a group of the pod's volumes may read what their owner may. */
function byGroup({ pod }: PodFacts, mode: number): string {
  const { fsGroup } = pod.spec?.securityContext ?? {};
  if (fsGroup === undefined || (mode & OTHERS) !== 0) return '';
  return `, which fsGroup ${fsGroup} makes 0${(mode | 0o040).toString(8)}`;
}

/** Files of such volumes belong to root, so another user reads them by its group alone. */
function advice(
  { pod }: PodFacts,
  { spec }: ContainerFacts,
  { line, mode }: { readonly line: string; readonly mode: number },
): string {
  const { securityContext: shared } = pod.spec ?? {};
  const user = spec.securityContext?.runAsUser ?? shared?.runAsUser;
  const changed = user === undefined || user === 0 ? changesTo(spec, line) : undefined;
  const isOwners = /by owner only/i.test(line);
  if (changed !== undefined && isOwners)
    return `its files belong to root and not to ${changed}, so that only a copy that an init container makes will do`;
  if (changed !== undefined)
    return shared?.fsGroup === undefined
      ? `set its defaultMode to 0640, and fsGroup to the group of ${changed}`
      : 'set its defaultMode to 0640';
  if (user === undefined || user === 0)
    return shared?.fsGroup === undefined
      ? 'set its defaultMode to 0400'
      : `set ${(mode & OTHERS) === 0 ? '' : 'its defaultMode to 0400, and '}no fsGroup (${shared.fsGroup}), which lets its group read it`;
  if (isOwners)
    return `its files belong to root and not to user ${user}, so that only a copy that an init container makes will do`;
  return shared?.fsGroup === undefined
    ? `set its defaultMode to 0440, and fsGroup so that user ${user} may read it`
    : 'set its defaultMode to 0440';
}

/** "postgres, to which it changes": the user that reads the file, where root starts the program; undefined: root does, as far as that is known. */
function changesTo({ command = [], args = [] }: ContainerFacts['spec'], line: string): string | undefined {
  const name = CHANGES.exec([...command, ...args].join(' ').slice(0, 4000))?.[1];
  if (name !== undefined && name !== 'root') return `${name}, to which it changes`;
  // PostgreSQL never runs as root, and its image changes the user by itself.
  return /private key file .* has group or world access/i.test(line) ? 'its user' : undefined;
}

const CHANGES =
  /\b(?:gosu|su-exec|runuser -u|sudo -u|setpriv --reuid[= ]|chroot --userspec=)\s{0,2}([a-z_][\w-]{0,40})/;

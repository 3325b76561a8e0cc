/** Rule: a container lacks a permission: for a file, a read-only file system, its user, or a port below 1024. */
import { anyOf } from '../../log-analysis/index.ts';
import type { ContainerFacts } from '../facts/container-facts.ts';
import { endedByItself, lastWord, rankOfWord } from '../facts/last-words.ts';
import { configsBehind, volumeOf } from '../facts/mounts.ts';
import { fileNear, listenPort } from '../../log-analysis/index.ts';
import { quotable } from '../facts/text.ts';
import type { PodFacts } from '../facts/pod-facts.ts';
import type { Quote } from '../finding.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../rule.ts';
import { commandForLog, explainedEnd, title } from './exit-code.ts';

const DENIED = anyOf(
  /permission denied/i,
  /operation not permitted/i,
  /EACCES/i,
  /EPERM\b/i,
  /AccessDeniedException/i,
  /has wrong ownership/i,
  /must be owned by/i,
  /accessible by owner only/i,
  /read-only director(?:y|ies)/i,
  /has (?:group|group or world|world) access/i,
  /access denied: \//i,
  /access is denied/i,
  /access to (?:the )?(?:path |file )?\S{1,300} is denied/i,
  /not writable/i,
  /must be writable/i,
  /must not be (?:run|accessible)/i,
  /can not be run as root/i,
  /not permitted as root/i,
  /as root\b.{0,60}(?:not|security)/i,
  /please read "security"/i,
);
const READ_ONLY = /read-only file ?system|EROFS/i;

const ofContainer: ContainerRule = (facts, container) => {
  const waiting = container.status?.state?.waiting;
  if (waiting?.reason === 'CreateContainerConfigError' && /runAsNonRoot/i.test(waiting.message ?? '')) {
    return [nonRoot(facts, container, waiting.message ?? '')];
  }
  // Other rules explain these exit codes better.
  if (!endedByItself(container) || [126, 127, 128].includes(container.death?.exitCode ?? 0)) return NOTHING;
  const readOnly = lastWord(container, READ_ONLY);
  if (readOnly !== undefined) {
    const file = fileNear(readOnly.line, readOnly.match.index);
    return [
      explainedEnd(facts, container, {
        id: 'read-only-file-system',
        rank: rankOfWord(85, readOnly),
        says: `${title(container)} cannot write${file === undefined ? '' : ` ${file}`}: ${file === undefined ? quotable(readOnly.line) : 'the file system is read-only'}`,
        line: readOnly.line,
        more: [...readOnlyFields(container, file), ...readOnlyKind(facts, container, file)],
        try: facts.commands.edit,
        manifest: emptyDirAt(container, file),
      }),
    ];
  }
  const denied = lastWord(container, DENIED);
  if (denied === undefined) return NOTHING;
  const file = fileNear(denied.line, denied.match.index);
  const port = /bind|listen/i.test(denied.line) ? privilegedPort(denied.line) : undefined;
  const what = port !== undefined ? `listen on port ${port}` : file === undefined ? 'do what it wants' : `use ${file}`;
  return [
    explainedEnd(facts, container, {
      id: 'permission-denied',
      rank: rankOfWord(84, denied),
      says: `${title(container)} may not ${what}: ${file === undefined && port === undefined ? quotable(denied.line) : 'permission denied'}`,
      line: denied.line,
      more: userFields(facts, container),
      try: [commandForLog(facts, container), ...facts.commands.edit],
    }),
  ];
};

export const permissions: PodRule = eachContainer(ofContainer);

/** A port below 1024 that only a privileged process may listen on. */
function privilegedPort(line: string): number | undefined {
  const port = listenPort(line);
  return port !== undefined && port < 1024 ? port : undefined;
}

function nonRoot(facts: PodFacts, container: ContainerFacts, message: string) {
  return {
    id: 'run-as-non-root',
    severity: 'critical' as const,
    rank: 90,
    topic: `end/${container.name}`,
    container: container.name,
    says: `${title(container)} must not run as root (runAsNonRoot), but its image ${ofImage(message)}`,
    evidence: [
      {
        source: 'field' as const,
        path: `${container.path}: state.waiting`,
        value: `CreateContainerConfigError: ${message}`,
      },
      ...userFields(facts, container),
    ],
    try: facts.commands.edit,
    manifest: 'securityContext:\n  runAsNonRoot: true\n  runAsUser: 1000\n',
  };
}

/** A user that the image names and does not number may be root, too. */
function ofImage(message: string): string {
  const user = /non-numeric user \(([^)]{1,100})\)/.exec(message)?.[1];
  return user === undefined
    ? 'does and no user is named'
    : `names its user ${user} without a number, so that nobody can tell (set runAsUser)`;
}

function userFields({ pod }: PodFacts, { path, spec }: ContainerFacts): readonly Quote[] {
  const found: Quote[] = [];
  const add = (at: string, value: unknown): void => {
    if (value !== undefined && value !== null) found.push({ source: 'field', path: at, value: JSON.stringify(value) });
  };
  const { securityContext: own } = spec;
  const { securityContext: shared } = pod.spec ?? {};
  add(`${path}.securityContext.runAsNonRoot`, own?.runAsNonRoot);
  add(`${path}.securityContext.runAsUser`, own?.runAsUser);
  add(`${path}.securityContext.capabilities`, own?.capabilities);
  if (own?.runAsUser === undefined) add('spec.securityContext.runAsUser', shared?.runAsUser);
  if (own?.runAsNonRoot === undefined) add('spec.securityContext.runAsNonRoot', shared?.runAsNonRoot);
  add('spec.securityContext.fsGroup', shared?.fsGroup);
  return found;
}

function readOnlyFields({ path, spec }: ContainerFacts, file: string | undefined): readonly Quote[] {
  const root: readonly Quote[] =
    spec.securityContext?.readOnlyRootFilesystem === true
      ? [{ source: 'field', path: `${path}.securityContext.readOnlyRootFilesystem`, value: 'true' }]
      : [];
  const mounts = (spec.volumeMounts ?? []).flatMap(({ readOnly, mountPath }, index): readonly Quote[] =>
    readOnly === true && file?.startsWith(mountPath) === true
      ? [{ source: 'field', path: `${path}.volumeMounts[${index}].readOnly`, value: `true (${mountPath})` }]
      : [],
  );
  return [...root, ...mounts].slice(0, 3);
}

/** Quotes a volume of a ConfigMap or Secret, which is read-only whatever its mount says. */
function readOnlyKind(facts: PodFacts, container: ContainerFacts, file: string | undefined): readonly Quote[] {
  const mounted = file === undefined ? undefined : volumeOf(facts, container, file);
  const [config] = mounted === undefined ? [] : configsBehind(mounted);
  if (mounted === undefined || config === undefined) return [];
  const says = `of ${config.kind} ${config.name}: such volumes are always read-only`;
  return [{ source: 'object', object: `volume ${mounted.volume.name}`, says }];
}

/** Suggests an emptyDir at the folder if the root file system is read-only on purpose. */
function emptyDirAt({ spec }: ContainerFacts, file: string | undefined): string | undefined {
  const folder = file?.slice(0, file.lastIndexOf('/'));
  if (spec.securityContext?.readOnlyRootFilesystem !== true || folder === undefined || folder === '') return undefined;
  return `containers:\n- name: ${spec.name}\n  volumeMounts:\n  - name: scratch\n    mountPath: ${folder}\nvolumes:\n- name: scratch\n  emptyDir: {}\n`;
}
